package codec

import (
	"fmt"

	"github.com/klauspost/compress/s2"
)

// s2Codec is the stream of S2, as the README of klauspost/compress/s2 describes it: the
// framing of Snappy, with chunks of up to 4 MiB and longer copies. It includes framed
// Snappy.
func s2Codec() Codec {
	return Codec{
		Name:       "s2",
		Member:     "stream",
		Extensions: []string{".s2"},
		Encodings:  []string{"s2"},
		Magic:      func(head []byte, _ bool) Match { return prefix(head, s2Identifier) },
		Requires: func(head []byte) (Needs, error) {
			return snappyFramedNeeds(head, s2ChunkMax, snappyIdentifier, s2Identifier)
		},
		MaxMemory: snappyFramedGrows(s2ChunkMax),
		NewReader: opener("s2", newS2),
		Scan:      func() Scanner { return newSnappyScanner(true) },
		Split:     splitter("s2", func() Scanner { return newSnappyScanner(true) }, nil),
		restarts:  "chunk",
		Restart:   restarter("s2", newS2),
	}
}

func newS2(o *Options) (format, error) {
	return newSnappyFramed(o, "s2", true), nil
}

var errS2Block = fmt.Errorf("%w: s2 block", ErrCorrupt)

// s2Chunk decodes an S2 block of at most max bytes.
func s2Chunk(b *blocks, p, src []byte, max int64) (int, error) {
	length, n, err := snappyHeader(src)
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, errS2Block
	case length > max:
		return 0, errBlockTooLong
	}
	return b.unpack(p, int(length), func(dst []byte) error {
		if _, err := s2.Decode(dst, src); err != nil {
			return errS2Block
		}
		return nil
	})
}
