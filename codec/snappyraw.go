package codec

import (
	"bytes"
	"io"

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
		Requires:  snappyBlockRequires,
		Scan:      func() Scanner { return &singleScanner{requires: snappyBlockRequires} },
		MaxMemory: chunkMemory,
		NewReader: opener("snappy-block", newSnappyRaw),
	}
}

func snappyBlockRequires(head []byte) (Needs, error) {
	length, n, err := snappyHeader(head)
	if err == nil && n == 0 {
		err = io.ErrUnexpectedEOF
	}
	return Needs{Window: length, Memory: chunkMemory(length), Size: length}, err
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
	return f.opts.admit(f.length, chunkMemory(f.length))
}

// snappyEncoded is the most stored bytes that an encoder writes for n.
func snappyEncoded(n int64) int64 { return 32 + n + n/6 }

func (f *snappyRaw) read(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		f.decode(f.all())
	}
	n := f.drain(p)
	if len(f.rest) == 0 {
		return n, f.err
	}
	return n, nil
}

// all reads the source to its end, or one byte more than an encoder writes for a
// block of this length. Memory grows with what arrives.
func (f *snappyRaw) all() ([]byte, error) {
	most := int(snappyEncoded(f.length)) + 1
	if n := len(f.stored.buf); n < most && n > most/4 {
		f.stored.buf = nil
	}
	for have := 0; ; {
		if len(f.stored.buf) == have {
			if err := f.stored.grow(most, have); err != nil {
				return f.stored.buf[:have], err
			}
		}
		n, err := f.in.Read(f.stored.buf[have:min(most, len(f.stored.buf))])
		have += n
		switch {
		case have == most || err == io.EOF:
			return f.stored.buf[:have], nil
		case err != nil:
			return f.stored.buf[:have], err
		}
	}
}

// decode sets rest and err. Of a faulty block it keeps what came before the fault,
// and it unreads what follows a whole one.
func (f *snappyRaw) decode(src []byte, err error) {
	_, n, _ := snappyHeader(src)
	size := f.length
	if size > snappyBound(len(src)) {
		size = snappyElements(src[n:]).decoded
	}
	more := int64(len(src)) > snappyEncoded(f.length)
	if more {
		size = f.length // what it takes is not known before more is read
	}
	if int64(cap(f.out)) < size {
		f.out = nil // it is not to be held beside the larger one
		f.out = make([]byte, min(size, f.length))
	}
	f.out = f.out[:cap(f.out)]
	if err == nil && size == f.length {
		if _, err := snappy.Decode(f.out[:size:size], src); err == nil {
			f.rest, f.err = f.out[:size], io.EOF
			return
		}
	}
	rest, used, fault := snappyPrefix(f.out[:0], src[n:], f.length)
	used += n
	for fault == io.ErrUnexpectedEOF && err == nil && more {
		// Written in a wasteful way: what was decoded makes room for more.
		buf, have := f.stored.buf, len(src)
		if have == len(buf) {
			have, used = copy(buf, src[used:]), 0
		}
		n, err = f.in.Read(buf[have:])
		if more = err != io.EOF; !more {
			err = nil
		}
		src = buf[:have+n]
		rest, n, fault = snappyPrefix(rest, src[used:], f.length)
		used += n
	}
	src = src[used:]
	switch {
	case fault == io.EOF:
		f.in.unread(src)
	case fault == io.ErrUnexpectedEOF:
		rest = snappyTorn(rest, src, f.length)
		if err != nil {
			fault = err
		}
	}
	f.rest, f.err = rest, fault
}

func (f *snappyRaw) close() { *f = snappyRaw{} }

// snappyPrefix decodes whole elements into dst until length bytes are there, io.EOF,
// or up to a fault; io.ErrUnexpectedEOF is b's end. dst has room for them. used is how
// much of b that took.
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
		if offset == 0 {
			if size > int64(len(b)-used-n) {
				return dst, used, io.ErrUnexpectedEOF
			}
			used += n
			dst = append(dst, b[used:used+int(size)]...)
			used += int(size)
			continue
		}
		used += n
		for range size {
			dst = append(dst, dst[int64(len(dst))-offset])
		}
	}
	return dst, used, io.EOF
}

// snappyTorn adds to dst what is there of a literal that b, the end of the source,
// cuts.
func snappyTorn(dst, b []byte, length int64) []byte {
	if len(b) == 0 {
		return dst
	}
	n, offset, size := snappyElement(b)
	if n == 0 || offset != 0 {
		return dst
	}
	have := min(size, int64(len(b)-n), length-int64(len(dst)), int64(cap(dst)-len(dst)))
	return append(dst, b[n:n+int(have)]...)
}

// unread puts the last bytes that were read from in back. They must not change
// while in reads from the same source.
func (in *Input) unread(tail []byte) {
	b, _ := in.Peek(in.Buffered())
	n := int64(len(tail) + len(b))
	then := in.src.r
	if in.src.err != nil {
		then = ended{in.src.err}
	}
	in.src = counter{r: io.MultiReader(bytes.NewReader(tail), bytes.NewReader(bytes.Clone(b)), then), n: in.src.n - n}
	in.buf.Reset(&in.src)
}

// ended is a source that has nothing but its error.
type ended struct{ err error }

func (e ended) Read([]byte) (int, error) { return 0, e.err }
