package codec

import (
	"encoding/binary"
	"fmt"

	"github.com/golang/snappy"
)

var errSnappyBlock = fmt.Errorf("%w: snappy block", ErrCorrupt)

// snappyBound is the most bytes that n stored bytes of a Snappy block can stand
// for: a copy of 64 bytes takes three.
func snappyBound(n int) int64 { return int64(n)*64/3 + 64 }

// snappyHeader reads the decoded length in front of a block, at most five bytes.
// n is 0 if b ends inside it.
func snappyHeader(b []byte) (length int64, n int, err error) {
	v, n := binary.Uvarint(b[:min(len(b), 5)])
	switch {
	case n < 0 || n == 0 && len(b) >= 5 || v > 1<<32-1:
		return 0, 0, errSnappyBlock
	}
	return int64(v), n, nil
}

// snappyChunk decodes a Snappy block of at most max bytes. The decoder is that of
// golang/snappy: as fast as the one of klauspost/compress here and without the S2
// extensions, which no Snappy block has.
func snappyChunk(b *blocks, p, src []byte, max int64) (int, error) {
	length, n, err := snappyHeader(src)
	switch {
	case err != nil:
		return 0, err
	case n == 0 || length > snappyBound(len(src)):
		return 0, errSnappyBlock
	case length > max:
		return 0, errBlockTooLong
	}
	return b.unpack(p, int(length), func(dst []byte) error {
		if _, err := snappy.Decode(dst, src); err != nil {
			return errSnappyBlock
		}
		return nil
	})
}
