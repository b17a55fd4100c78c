package codec

import "encoding/binary"

// zstdFrameHead reads what stands where a frame may begin. It is a grammar.
type zstdFrameHead struct {
	skip int64      // stored bytes of a skippable frame; 0 for a frame with data
	h    zstdHeader // of the frame
}

func (z *zstdFrameHead) look(b []byte, left int64) error {
	if len(b) == 0 {
		return atEnd(left)
	}
	legacy := prefix(b, "\xfd\x2f\xb5\x1e") != NoMatch ||
		b[0] >= 0x22 && b[0] <= 0x28 && prefix(b[1:], zstdMagic[1:]) != NoMatch
	skippable := skippableMagic(b)
	if !legacy && skippable == NoMatch {
		return errNoMember
	}
	if len(b) < 4 {
		return short(b, left)
	}
	if v := zstdLegacy(b[:4]); v > 0 {
		return zstdLegacyError(v)
	}
	if z.skip = 0; skippable == Matched {
		if len(b) < skippableHeader {
			return short(b, left)
		}
		z.skip = skippableHeader + int64(binary.LittleEndian.Uint32(b[4:]))
		return nil
	}
	if len(b) < 5 || len(b) < zstdHeaderSize(b) {
		return short(b, left)
	}
	var err error
	z.h, err = parseZstdHeader(b)
	return err
}
