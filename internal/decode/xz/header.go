package xz

import (
	"encoding/binary"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/lzma"
)

// maxBlockHeader is the largest block header.
const maxBlockHeader = 1024

// Filter ids of section 5.3. RISC-V came with version 1.2.0.
const (
	filterDelta = 0x03
	filterX86   = 0x04
	filterPPC   = 0x05
	filterIA64  = 0x06
	filterARM   = 0x07
	filterThumb = 0x08
	filterSPARC = 0x09
	filterARM64 = 0x0a
	filterRISCV = 0x0b
	filterLZMA2 = 0x21
)

// filterSpec is one filter in front of LZMA2.
type filterSpec struct {
	id     int64
	offset uint32 // of branch filters: position of the first byte
	delta  int    // distance in bytes
}

// Header is a block header.
type Header struct {
	Stored  int64 // size of the compressed data; -1 when not stated
	Decoded int64 // size of the data; -1 when not stated
	Dict    int64 // dictionary size
	filters []filterSpec
}

// Window is how much history a decoder must keep: the dictionary, or all of a
// smaller block.
func (h *Header) Window() int64 {
	if h.Decoded >= 0 {
		return min(h.Dict, h.Decoded)
	}
	return h.Dict
}

// BlockHeaderSize is the size of the block header that begins with b, which is
// not 0: that is the index.
func BlockHeaderSize(b byte) int { return (int(b) + 1) * 4 }

// ParseBlockHeader reads a whole block header.
func ParseBlockHeader(b []byte) (Header, error) {
	h := Header{Stored: -1, Decoded: -1}
	end := len(b) - 4
	if !sums(b[:end], b[end:]) {
		return h, wrongSum("block header")
	}
	flags := b[1]
	if flags&0x3c != 0 {
		return h, fault.Unsupportedf("reserved xz block flags %#02x", flags&0x3c)
	}
	c := cursor(b[2:end])
	var err error
	if flags&0x40 != 0 {
		if h.Stored, err = integer(c.next); err != nil {
			return h, err
		}
		if h.Stored == 0 {
			return h, fault.Corruptf("xz block of 0 stored bytes")
		}
	}
	if flags&0x80 != 0 {
		if h.Decoded, err = integer(c.next); err != nil {
			return h, err
		}
	}
	last := int(flags & 3)
	for i := range last + 1 {
		if err := h.filter(&c, i == last); err != nil {
			return h, err
		}
	}
	for _, b := range c {
		if b != 0 {
			return h, fault.Corruptf("xz block header padding is not zero")
		}
	}
	return h, nil
}

// filter reads the flags of one filter.
func (h *Header) filter(c *cursor, last bool) error {
	id, err := integer(c.next)
	if err != nil {
		return err
	}
	size, err := integer(c.next)
	if err != nil {
		return err
	}
	props, err := c.take(size)
	if err != nil {
		return err
	}
	f := filterSpec{id: id}
	switch id {
	case filterLZMA2:
		if !last {
			return fault.Corruptf("LZMA2 is not the last xz filter")
		}
		ok := len(props) == 1
		if ok {
			h.Dict, ok = lzma.DictSize(props[0])
		}
		if !ok {
			return fault.Corruptf("LZMA2 filter properties % x", props)
		}
		return nil
	case filterDelta:
		if len(props) != 1 {
			return fault.Corruptf("delta filter properties % x", props)
		}
		f.delta = int(props[0]) + 1
	case filterX86, filterPPC, filterIA64, filterARM, filterThumb, filterSPARC, filterARM64:
		switch len(props) {
		case 0:
		case 4:
			f.offset = binary.LittleEndian.Uint32(props)
		default:
			return fault.Corruptf("branch filter properties % x", props)
		}
		if align, _ := branch(id); f.offset%uint32(align) != 0 {
			return fault.Corruptf("branch filter start offset %d is not aligned", f.offset)
		}
	case filterRISCV:
		return fault.Unsupportedf("xz filter for RISC-V code")
	default:
		return fault.Unsupportedf("xz filter %#x", id)
	}
	if last {
		return fault.Corruptf("xz filter %#x may not be the last", id)
	}
	h.filters = append(h.filters, f)
	return nil
}
