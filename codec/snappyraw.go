package codec

import (
	"bytes"
	"io"
	"slices"

	"github.com/golang/snappy"
)

// snappyBlockCodec is one raw Snappy block (format_description.txt), by name or as
// Content-Encoding, where Prometheus calls it "snappy". It begins with its decoded
// length and has no magic and no checksum. Matches may reach back to the start, so
// the block is decoded in one piece, and its length is what MaxWindow limits.
func snappyBlockCodec() Codec {
	return Codec{
		Name:      "snappy-block",
		Encodings: []string{"snappy"},
		Requires: func(head []byte) (Needs, error) {
			length, n, err := snappyHeader(head)
			if err == nil && n == 0 {
				err = io.ErrUnexpectedEOF
			}
			return Needs{Window: length, Memory: snappyEncoded(length) + length, Size: length}, err
		},
		NewReader: opener("snappy-block", newSnappyRaw),
	}
}

// snappyRaw is one member, the whole source.
type snappyRaw struct {
	*blocks
	in     *Input
	length int64
	begun  bool
	err    error // after rest
}

func newSnappyRaw(o *Options) (format, error) { return &snappyRaw{blocks: newBlocks(o)}, nil }

func (f *snappyRaw) begin(in *Input, first bool) error {
	f.in, f.rest, f.begun, f.err = in, nil, false, nil
	for n := 1; ; n++ {
		b, err := in.Peek(n)
		if err != nil {
			in.Discard(len(b))
			if len(b) > 0 {
				err = noEOF(err)
			}
			return err
		}
		if !first {
			return errNoMember
		}
		length, size, err := snappyHeader(b)
		if err != nil {
			return snappyForeign(in, "raw snappy")
		}
		if size > 0 {
			f.length = length
			break
		}
	}
	return f.opts.admit(f.length, snappyEncoded(f.length)+f.length)
}

// snappyEncoded is the most stored bytes that an encoder writes for n.
func snappyEncoded(n int64) int64 { return 32 + n + n/6 }

func (f *snappyRaw) read(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		f.decode(f.all())
	}
	n := f.give(p)
	if len(f.rest) == 0 {
		return n, f.err
	}
	return n, nil
}

// all reads the source to its end, or as far as a block of this length can reach.
// Memory grows with what arrives.
func (f *snappyRaw) all() ([]byte, error) {
	usual, most := int(snappyEncoded(f.length)), int(blockBytes(f.length))
	for have := 0; ; {
		if len(f.stored.buf) == have {
			size := max(2*have, spanStep)
			if have <= usual {
				size = min(size, usual+1) // so that most blocks need no more
			}
			size = min(size, most+1)
			if err := f.opts.hold(f.length + int64(size-1)); err != nil {
				return f.stored.buf[:have], err
			}
			f.stored.buf = grow(f.stored.buf, size)
		}
		n, err := f.in.Read(f.stored.buf[have:])
		have += n
		switch {
		case have > most || err == io.EOF:
			return f.stored.buf[:have], nil
		case err != nil:
			return f.stored.buf[:have], err
		}
	}
}

// decode sets rest and err. Of a faulty block it gives what came before the fault,
// and it gives back what is behind a whole one.
func (f *snappyRaw) decode(src []byte, err error) {
	_, n, _ := snappyHeader(src)
	size := f.length
	if size > snappyBound(len(src)) {
		size = snappyElements(src[n:]).decoded
	}
	f.out = grow(f.out, int(min(size, f.length)))
	if err == nil && size == f.length {
		if _, err := snappy.Decode(f.out[:size:size], src); err == nil {
			f.rest, f.err = f.out[:size], io.EOF
			return
		}
	}
	rest, used, fault := snappyPrefix(f.out[:0], src[n:], f.length)
	switch {
	case fault == io.EOF:
		f.in.unread(src[n+used:])
	case err != nil && fault == io.ErrUnexpectedEOF:
		fault = err
	}
	f.rest, f.err = rest, fault
}

func (f *snappyRaw) close() { *f = snappyRaw{} }

// snappyPrefix decodes elements into dst until length bytes are there, io.EOF, or
// up to a fault. dst has room for them. used is how much of b that took.
func snappyPrefix(dst, b []byte, length int64) (data []byte, used int, err error) {
	for int64(len(dst)) < length {
		if used == len(b) {
			return dst, used, io.ErrUnexpectedEOF
		}
		n, offset, size := snappyElement(b[used:])
		if n == 0 {
			return dst, used, io.ErrUnexpectedEOF
		}
		if size > length-int64(len(dst)) || offset > int64(len(dst)) {
			return dst, used, errSnappyBlock
		}
		used += n
		if offset == 0 {
			have := min(size, int64(len(b)-used))
			dst = append(dst, b[used:used+int(have)]...)
			if used += int(have); have < size {
				return dst, used, io.ErrUnexpectedEOF
			}
			continue
		}
		for range size {
			dst = append(dst, dst[int64(len(dst))-offset])
		}
	}
	return dst, used, io.EOF
}

// unread gives back the last bytes that were read from in.
func (in *Input) unread(tail []byte) {
	b, _ := in.Peek(in.Buffered())
	again := bytes.NewReader(slices.Concat(tail, b))
	then := in.src.r
	if in.src.err != nil {
		then = ended{in.src.err}
	}
	in.src = counter{r: io.MultiReader(again, then), n: in.src.n - again.Size()}
	in.Reader.Reset(&in.src)
}

// ended is a source that has nothing but its error.
type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }
