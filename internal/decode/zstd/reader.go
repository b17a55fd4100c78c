package zstd

import (
	"bufio"
	"io"
	"math"
)

// Reader decodes the blocks of one frame after the other. Reset comes before the
// first Read.
type Reader struct {
	d    decoder
	src  *bufio.Reader
	own  []byte // a block that the source's buffer is too small for
	done int64  // bytes of blocks, stored and decoded, since Begin
	last bool   // the last block was decoded
	err  error  // sticky
}

// NewReader makes a Reader. What it needs is allocated when it is used.
func NewReader() *Reader { return new(Reader) }

// Reset begins a frame, whose first block begins at the next byte of src. window
// is the frame's window in bytes. dict is its dictionary or nil, and is not
// changed.
func (r *Reader) Reset(src *bufio.Reader, window int64, dict *Dict) {
	r.src, r.last, r.err = src, false, nil
	r.d.reset(int(min(window, math.MaxInt-4*blockLimit)), dict)
}

// Begin begins an object: what its tables cost is held against its own bytes.
func (r *Reader) Begin() { r.done, r.d.counts.work = 0, 0 }

// Bound says that the frame decodes to window bytes at most, where that is less than
// its window, so that the buffer need not grow further.
func (r *Reader) Bound(window int64) {
	if o := &r.d.out; window < int64(o.window) && !o.full && len(o.buf) < o.limit {
		o.bound(int(window))
	}
}

// Read returns decoded bytes, and io.EOF after the last block.
func (r *Reader) Read(p []byte) (int, error) {
	o := &r.d.out
	for o.r == o.w {
		if len(p) == 0 {
			return 0, nil
		}
		if r.err == nil && r.last {
			r.err = io.EOF
		}
		if r.err != nil {
			return 0, r.err
		}
		if r.err = r.block(); r.err != nil {
			o.w = o.r
		}
	}
	n := copy(p, o.buf[o.r:o.w])
	o.r += n
	r.done += int64(n)
	return n, nil
}

// block decodes the next block.
func (r *Reader) block() error {
	head, err := r.take(3)
	if err != nil {
		return err
	}
	b := ParseBlock(head)
	if err := b.Check(int64(r.d.blockMax)); err != nil {
		return err
	}
	r.last = b.Last
	if err := r.afford(); err != nil {
		return err
	}
	r.done += 3 + int64(b.Size)
	o := &r.d.out
	switch b.Type {
	case BlockRaw:
		o.reserve(b.Size)
		if _, err := io.ReadFull(r.src, o.buf[o.w:o.w+b.Size]); err != nil {
			return truncated(err)
		}
		o.w += b.Size
		return nil
	case BlockRLE:
		c, err := r.src.ReadByte()
		if err != nil {
			return truncated(err)
		}
		o.reserve(b.Size)
		fill(o.buf[o.w:o.w+b.Size], c)
		o.w += b.Size
		return nil
	}
	stored, err := r.take(b.Size)
	if err != nil {
		return err
	}
	o.reserve(r.d.blockMax)
	return r.d.compressed(stored)
}

// take reads n bytes and returns them until the next read. At the end of the
// source it takes what is left.
func (r *Reader) take(n int) ([]byte, error) {
	if n > r.src.Size() {
		if len(r.own) < n {
			r.own = make([]byte, blockLimit)
		}
		_, err := io.ReadFull(r.src, r.own[:n])
		return r.own[:n], truncated(err)
	}
	b, err := r.src.Peek(n)
	r.src.Discard(len(b))
	return b, truncated(err)
}

// truncated is err for a place where the source must not end.
func truncated(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
