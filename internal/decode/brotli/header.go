package brotli

import (
	"io"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// Window is the size in bytes of the window that the first bytes of a stream
// declare. io.ErrUnexpectedEOF asks for more of them; two are enough.
func Window(head []byte) (int64, error) {
	w, _, err := parseWindow(head)
	if err != nil {
		return 0, err
	}
	return 1 << w.bits, nil
}

// window is what the first bits of a stream say.
type window struct {
	bits  int
	large bool // of RFC 9841
}

// parseWindow reads the first bits, and reports how many they are.
func parseWindow(head []byte) (w window, n uint, err error) {
	if len(head) == 0 {
		return w, 0, io.ErrUnexpectedEOF
	}
	b := head[0]
	switch {
	case b&1 == 0:
		return window{bits: 16}, 1, nil
	case b>>1&7 != 0:
		return window{bits: 17 + int(b>>1&7)}, 4, nil
	case b>>4&7 == 0:
		return window{bits: 17}, 7, nil
	case b>>4&7 != 1:
		return window{bits: 8 + int(b>>4&7)}, 7, nil
	case b>>7 == 1:
		return w, 0, fault.Corruptf("reserved size of the window")
	case len(head) < 2:
		return w, 0, io.ErrUnexpectedEOF
	}
	w = window{bits: int(head[1] & 63), large: true}
	if w.bits < 10 || w.bits > 30 {
		return w, 0, fault.Corruptf("large window of no allowed size")
	}
	return w, 14, nil
}

// metaKind is what a meta-block is.
type metaKind uint8

const (
	metaEmpty        metaKind = iota // the last, with nothing in it
	metadata                         // bytes that are no data
	metaUncompressed                 // bytes that are data
	metaCompressed
)

// metaHeader is the header of a meta-block, RFC 7932 section 9.2.
type metaHeader struct {
	kind metaKind
	last bool
	size int
}

// metaHeader reads a header. The bytes of a meta-block that is not compressed are next.
func (b *bitReader) metaHeader() (h metaHeader, err error) {
	h.last = b.take(1) == 1
	if h.last && b.take(1) == 1 {
		return h, b.err
	}
	nibbles := 4 + b.take(2)
	if nibbles == 7 {
		h.kind = metadata
		return h, b.metadataHeader(&h)
	}
	h.kind = metaCompressed
	h.size = 1 + b.take(uint(4*nibbles))
	if nibbles > 4 && (h.size-1)>>(4*(nibbles-1)) == 0 && b.err == nil {
		return h, fault.Corruptf("length with more digits than it needs")
	}
	if !h.last && b.take(1) == 1 {
		h.kind = metaUncompressed
		if !b.align() {
			return h, errPadding
		}
	}
	return h, b.err
}

// metadataHeader reads the rest of the header of a meta-block that is no data.
func (b *bitReader) metadataHeader(h *metaHeader) error {
	if b.take(1) == 1 {
		return fault.Corruptf("reserved bit")
	}
	if n := b.take(2); n > 0 {
		h.size = 1 + b.take(uint(8*n))
		if n > 1 && (h.size-1)>>(8*(n-1)) == 0 && b.err == nil {
			return fault.Corruptf("length with more digits than it needs")
		}
	}
	if !b.align() {
		return errPadding
	}
	return b.err
}

var errPadding = fault.Corruptf("bits set before a whole byte")
