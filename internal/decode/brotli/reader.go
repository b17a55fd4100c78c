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
	r.d.phase = atWindow
	r.d.out.r = r.d.out.w
}

// Read returns decoded bytes, and io.EOF at the end of the stream.
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

// phase is what comes next in a stream.
type phase uint8

const (
	atWindow phase = iota
	atMeta
	inMetadata // left bytes of it are to come, as in those that follow
	inUncompressed
	inCompressed
	atEnd
)

// more decodes some bytes, or finds an error or the end, or both. All has been returned.
func (d *decoder) more() error {
	o := &d.out
	for o.r == o.w {
		var err error
		switch d.phase {
		case atWindow:
			err = d.begin()
		case atMeta:
			err = d.meta()
		case inMetadata:
			err = d.metadata()
		case inUncompressed:
			err = d.uncompressed()
		case inCompressed:
			o.reserve()
			err = d.compressed(min(o.size, o.w+room))
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
	d.alphabet.reset()
	d.bits.take(n)
	d.phase = atMeta
	return d.bits.err
}

// meta reads the header of a meta-block.
func (d *decoder) meta() error {
	if d.last {
		if !d.bits.align() {
			return errPadding
		}
		d.phase = atEnd
		return nil
	}
	h, err := d.bits.metaHeader()
	if err != nil {
		return err
	}
	d.last, d.left = h.last, h.size
	switch h.kind {
	case metadata:
		d.phase = inMetadata
	case metaUncompressed:
		d.phase = inUncompressed
	case metaCompressed:
		d.phase = inCompressed
		return d.codes()
	}
	return nil
}

// metadata skips the bytes of a meta-block that is no data.
func (d *decoder) metadata() error {
	n, err := d.bits.src.Discard(d.left)
	d.left -= n
	d.phase = atMeta
	return truncated(err)
}

// uncompressed copies the bytes of an uncompressed meta-block.
func (d *decoder) uncompressed() error {
	src, o := d.bits.src, &d.out
	if _, err := src.Peek(1); err != nil {
		return truncated(err)
	}
	o.reserve()
	n := min(d.left, o.size-o.w, src.Buffered())
	n, err := src.Read(o.buf[o.w : o.w+n])
	o.w += n
	if d.left -= n; d.left == 0 {
		d.phase = atMeta
	}
	return err
}
