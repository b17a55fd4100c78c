package codec

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/decode/zstd"
)

const (
	zstdMagic     = "\x28\xb5\x2f\xfd"
	zstdMaxHeader = 18      // magic, descriptor, window, dictionary id, content size
	zstdMinWindow = 1 << 10 // the least that a window descriptor states
	zstdBlockMax  = 128 << 10
)

// zstdHeader is a frame header of RFC 8878, section 3.1.1.1.
type zstdHeader struct {
	size     int    // stored bytes, magic included
	window   int64  // that of the descriptor, or the content size of a single segment
	content  int64  // declared decoded bytes; -1 where not declared
	dict     uint32 // 0: none stated
	checksum bool
}

// zstdHeaderSize is how long the header that b begins with is. b holds magic and
// descriptor.
func zstdHeaderSize(b []byte) int {
	d := b[4]
	n := 5 + [4]int{0, 1, 2, 4}[d&3] + [4]int{0, 2, 4, 8}[d>>6]
	switch single := d&(1<<5) != 0; {
	case !single:
		n++ // the window descriptor
	case d>>6 == 0:
		n++ // a content size of one byte
	}
	return n
}

// parseZstdHeader reads the header at the beginning of b, which has its magic. It
// returns io.ErrUnexpectedEOF if b is too short.
func parseZstdHeader(b []byte) (h zstdHeader, err error) {
	if len(b) < 5 || len(b) < zstdHeaderSize(b) {
		return h, io.ErrUnexpectedEOF
	}
	d := b[4]
	if d&(1<<3) != 0 {
		return h, fmt.Errorf("%w: reserved bit of the frame header", ErrCorrupt)
	}
	h.size = zstdHeaderSize(b)
	h.checksum = d&(1<<2) != 0
	h.content = -1
	single := d&(1<<5) != 0
	b = b[5:h.size]
	if !single {
		h.window = zstdWindow(b[0])
		b = b[1:]
	}
	idSize := [4]int{0, 1, 2, 4}[d&3]
	for i, v := range b[:idSize] {
		h.dict |= uint32(v) << (8 * i)
	}
	switch b = b[idSize:]; len(b) {
	case 1:
		h.content = int64(b[0])
	case 2:
		h.content = int64(binary.LittleEndian.Uint16(b)) + 256
	case 4:
		h.content = int64(binary.LittleEndian.Uint32(b))
	case 8:
		n := binary.LittleEndian.Uint64(b)
		if n > 1<<62 {
			return h, fmt.Errorf("%w: declared size %d", ErrCorrupt, n)
		}
		h.content = int64(n)
	}
	if single {
		h.window = h.content
	}
	return h, nil
}

// zstdWindow is the window that a descriptor states: a power of two and eighths
// of it.
func zstdWindow(descriptor byte) int64 {
	base := int64(zstdMinWindow) << (descriptor >> 3)
	return base + base/8*int64(descriptor&7)
}

// bound is the window that the frame can use: no more than its declared content,
// and no more than its blocks can decode to if all of them are within rest,
// which follows the header. One block's size is always granted, so that small
// frames share a buffer.
func (h zstdHeader) bound(rest []byte) int64 {
	w := h.window
	if h.content >= 0 {
		w = min(w, max(h.content, zstdBlockMax))
	}
	if w <= zstdBlockMax {
		return w
	}
	if n, ok := zstdBlocks(rest, w); ok {
		w = min(w, max(n, zstdBlockMax))
	}
	return w
}

// zstdBlocks is what the blocks of a frame may decode to, by their headers. It
// is false if the last block is not within b, and stops once n reaches enough.
func zstdBlocks(b []byte, enough int64) (n int64, ok bool) {
	for len(b) >= 3 && n < enough {
		block := zstd.ParseBlock(b)
		switch block.Type {
		case zstd.BlockCompressed:
			n += zstdBlockMax
		case zstd.BlockReserved:
			return n, true // decoding ends here
		default:
			n += int64(block.Size)
		}
		if block.Last {
			return n, true
		}
		if block.Stored() > len(b)-3 {
			return n, false
		}
		b = b[3+block.Stored():]
	}
	return n, false
}

// zstdLegacy is the version of a frame of before v0.8, or 0. Each had a magic of
// its own; the first was stored the other way round.
func zstdLegacy(magic []byte) int {
	switch {
	case string(magic) == "\xfd\x2f\xb5\x1e":
		return 1
	case magic[0] >= 0x22 && magic[0] <= 0x27 && string(magic[1:]) == zstdMagic[1:]:
		return int(magic[0] - 0x20)
	}
	return 0
}
