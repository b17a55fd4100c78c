package codec

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/decode/xxh32"
)

// Magic numbers and sizes of the LZ4 frame format (lz4_Frame_format.md, 1.6.1).
const (
	lz4Magic       uint32 = 0x184D2204
	lz4MagicLegacy uint32 = 0x184C2102
	lz4MagicSkip   uint32 = 0x184D2A50 // to …5F

	lz4MaxHeader  = 15       // descriptor without the magic number
	lz4History    = 64 << 10 // how far back a match reaches
	lz4LegacyMax  = 8 << 20  // decoded bytes of a legacy block
	lz4LegacySize = lz4LegacyMax + lz4LegacyMax/255 + 16
)

// lz4Header is what a frame's header says. A legacy frame has none: it is the
// zero value with legacy set.
type lz4Header struct {
	legacy     bool
	linked     bool // blocks refer to those before them
	blockSums  bool
	contentSum bool
	sized      bool
	size       uint64 // decoded bytes, if sized
	blockMax   int    // decoded bytes of a block
	flg, bd    byte
}

// lz4Kind returns the kind of frame that a magic number begins.
type lz4Kind uint8

const (
	lz4None lz4Kind = iota
	lz4Modern
	lz4Legacy
	lz4Skippable
)

func lz4KindOf(magic uint32) lz4Kind {
	switch {
	case magic == lz4Magic:
		return lz4Modern
	case magic == lz4MagicLegacy:
		return lz4Legacy
	case magic&^0xf == lz4MagicSkip:
		return lz4Skippable
	}
	return lz4None
}

// lz4Prefix reports whether b, shorter than a magic number, begins one.
func lz4Prefix(b []byte) bool {
	for _, magic := range []uint32{lz4Magic, lz4MagicLegacy, lz4MagicSkip} {
		var m [4]byte
		binary.LittleEndian.PutUint32(m[:], magic)
		n := len(b)
		if magic == lz4MagicSkip && n > 0 {
			if b[0]&^0xf != m[0] {
				continue
			}
			m[0] = b[0]
		}
		if string(m[:n]) == string(b) {
			return true
		}
	}
	return false
}

// lz4DescriptorSize is the length of the descriptor that begins with flg,
// checksum included.
func lz4DescriptorSize(flg byte) int {
	n := 3
	if flg&0x08 != 0 {
		n += 8
	}
	if flg&0x01 != 0 {
		n += 4
	}
	return n
}

// parseLZ4Descriptor reads a descriptor: all of b.
func parseLZ4Descriptor(b []byte) (lz4Header, error) {
	flg, bd := b[0], b[1]
	if v := flg >> 6; v != 1 {
		return lz4Header{}, fmt.Errorf("%w: lz4 frame version %d", ErrUnsupported, v)
	}
	last := len(b) - 1
	if sum := byte(xxh32.Of(0, b[:last]) >> 8); sum != b[last] {
		return lz4Header{}, fmt.Errorf("%w: lz4 header checksum %#02x, stored %#02x", ErrChecksum, sum, b[last])
	}
	h := lz4Header{
		linked:     flg&0x20 == 0,
		blockSums:  flg&0x10 != 0,
		sized:      flg&0x08 != 0,
		contentSum: flg&0x04 != 0,
		flg:        flg,
		bd:         bd,
	}
	if h.sized {
		h.size = binary.LittleEndian.Uint64(b[2:])
	}
	code := bd >> 4 & 7
	switch {
	case flg&0x02 != 0 || bd&0x8f != 0:
		return lz4Header{}, fmt.Errorf("%w: lz4 frame with reserved bits set", ErrUnsupported)
	case code < 4:
		return lz4Header{}, fmt.Errorf("%w: lz4 block size code %d", ErrUnsupported, code)
	case flg&0x01 != 0:
		return lz4Header{}, fmt.Errorf("%w: lz4 dictionary id %d", ErrDictionary, binary.LittleEndian.Uint32(b[last-4:]))
	}
	h.blockMax = 1 << (8 + 2*code)
	return h, nil
}

// needs is what a reader of the frame must have.
func (h *lz4Header) needs() Needs {
	n := Needs{Window: lz4History, Size: -1}
	block, stored := int64(h.blockMax), int64(h.blockMax)+4
	if h.legacy {
		block, stored = lz4LegacyMax, lz4LegacySize
	}
	if h.sized {
		n.Size = int64(min(h.size, 1<<63-1))
		block = min(block, n.Size)
		stored = min(stored, blockBytes(min(n.Size, lz4LegacyMax))+4)
	}
	n.Memory = block + runMemory(stored)
	if h.linked {
		// The history in front of a block, and what is kept of the buffer while a
		// larger one is made.
		n.Memory += max(lz4History, lz4WindowSize-block) + 2*lz4History
	}
	return n
}

// lz4Requires is the need of the first frame. A skippable frame in front of it
// may be long; then the answer is that of the largest blocks.
func lz4Requires(head []byte) (Needs, error) {
	if len(head) < 4 {
		return Needs{}, io.ErrUnexpectedEOF
	}
	switch lz4KindOf(binary.LittleEndian.Uint32(head)) {
	case lz4None:
		return Needs{}, fmt.Errorf("%w: no lz4 frame", ErrCorrupt)
	case lz4Legacy:
		h := lz4Header{legacy: true}
		return h.needs(), nil
	case lz4Skippable:
		h := lz4Header{linked: true, blockMax: 4 << 20}
		return h.needs(), nil
	}
	if head = head[4:]; len(head) == 0 || len(head) < lz4DescriptorSize(head[0]) {
		return Needs{}, io.ErrUnexpectedEOF
	}
	h, err := parseLZ4Descriptor(head[:lz4DescriptorSize(head[0])])
	if err != nil {
		return Needs{}, err
	}
	return h.needs(), nil
}

// lz4Match looks past skippable frames, which zstd has too: the first frame with
// data decides.
func lz4Match(head []byte, final bool) Match {
	rest, m := pastSkippable(head)
	switch {
	case len(rest) >= 4:
		if kind := lz4KindOf(binary.LittleEndian.Uint32(rest)); kind == lz4Modern || kind == lz4Legacy {
			return Matched
		}
		if m == Matched {
			return NoMatch
		}
	case !lz4Prefix(rest):
		return NoMatch
	}
	return NeedMore
}
