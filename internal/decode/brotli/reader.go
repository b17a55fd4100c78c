package brotli

import (
	"bufio"
	"io"
)

// Reader decodes one stream after the other. Reset comes before the first Read.
type Reader struct {
	d   decoder
	err error // sticky
}

// NewReader makes a Reader. What it needs is allocated when it is used.
func NewReader() *Reader { return new(Reader) }

// Reset begins a stream at the next byte of src. It reads nothing.
func (r *Reader) Reset(src *bufio.Reader) {
	r.err = nil
	r.d.bits = bitReader{src: src}
	r.d.at = atWindow
	r.d.out.r = r.d.out.w
}

// Read gives decoded bytes, and io.EOF at the end of the stream.
func (r *Reader) Read(p []byte) (int, error) {
	o := &r.d.out
	for o.r == o.w {
		if len(p) == 0 {
			return 0, nil
		}
		if r.err != nil {
			return 0, r.err
		}
		r.err = r.d.more()
	}
	n := copy(p, o.buf[o.r:o.w])
	o.r += n
	return n, nil
}

// place is where in a stream a decoder stands.
type place uint8

const (
	atWindow place = iota
	atMeta
	inSkip // left bytes of it are to come, as in those that follow
	inRaw
	inCoded
	atEnd
)

// more decodes some bytes, or finds an error or the end, or both. All is given.
func (d *decoder) more() error {
	o := &d.out
	for o.r == o.w {
		var err error
		switch d.at {
		case atWindow:
			err = d.begin()
		case atMeta:
			err = d.meta()
		case inSkip:
			err = d.skip()
		case inRaw:
			err = d.raw()
		case inCoded:
			o.reserve()
			err = d.coded(min(o.size, o.w+room))
		case atEnd:
			return io.EOF
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begin reads the window.
func (d *decoder) begin() error {
	src := d.bits.src
	head, err := src.Peek(1)
	w, n, parsed := parseWindow(head)
	if err == nil && parsed == io.ErrUnexpectedEOF {
		head, err = src.Peek(2)
		w, n, parsed = parseWindow(head)
	}
	if err != nil {
		src.Discard(len(head))
		return truncated(err)
	}
	if parsed != nil {
		return parsed
	}
	d.large, d.last = w.large, false
	d.out.reset(1 << w.bits)
	d.dist.reset()
	d.bits.take(n)
	d.at = atMeta
	return d.bits.err
}

// meta reads the header of a meta-block.
func (d *decoder) meta() error {
	if d.last {
		if !d.bits.align() {
			return errPadding
		}
		d.at = atEnd
		return nil
	}
	h, err := d.bits.metaHeader()
	if err != nil {
		return err
	}
	d.last, d.left = h.last, h.size
	switch h.kind {
	case metaSkip:
		d.at = inSkip
	case metaRaw:
		d.at = inRaw
	case metaCoded:
		d.at = inCoded
		return d.codes()
	}
	return nil
}

// skip takes the bytes of a meta-block that is no data.
func (d *decoder) skip() error {
	n, err := d.bits.src.Discard(d.left)
	d.left -= n
	d.at = atMeta
	return truncated(err)
}

// raw copies bytes that are stored as they are.
func (d *decoder) raw() error {
	src, o := d.bits.src, &d.out
	if _, err := src.Peek(1); err != nil {
		return truncated(err)
	}
	o.reserve()
	n := min(d.left, o.size-o.w, src.Buffered())
	n, err := src.Read(o.buf[o.w : o.w+n])
	o.w += n
	if d.left -= n; d.left == 0 {
		d.at = atMeta
	}
	return err
}
