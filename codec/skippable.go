package codec

import "encoding/binary"

// skippableMagic tells a frame that zstd and lz4 share, to be skipped by whoever
// does not know it: 50 to 5f, then 2a 4d 18, then the size of what follows
// (RFC 8878, section 3.1.2).
func skippableMagic(head []byte) Match {
	if len(head) > 0 && head[0]&0xf0 != 0x50 {
		return No
	}
	return prefix(head[min(1, len(head)):], "\x2a\x4d\x18")
}

// skippableHeader is the size of magic and length.
const skippableHeader = 8

// pastSkippable cuts the skippable frames off the beginning of head. More tells
// that they go on behind it, or may.
func pastSkippable(head []byte) (rest []byte, m Match) {
	for len(head) > 0 {
		switch skippableMagic(head) {
		case No:
			return head, Yes
		case More:
			return head, More
		}
		if len(head) < skippableHeader {
			return head, More
		}
		size := int64(binary.LittleEndian.Uint32(head[4:])) + skippableHeader
		if size > int64(len(head)) {
			return nil, More
		}
		head = head[size:]
	}
	return head, More
}

// skipFrame consumes a skippable frame.
func skipFrame(in *Input) error {
	b, err := take(in, skippableHeader)
	if err != nil {
		return err
	}
	return skip(in, int64(binary.LittleEndian.Uint32(b[4:])))
}
