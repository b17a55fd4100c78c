package codec

import (
	"fmt"
	"io"
)

// snappyCodec is framed Snappy (framing_format.txt of google/snappy). Chunk types 0x02 and 0x03,
// data without a checksum in the revision of 2022, are refused like the reserved
// ones: they differ in one bit from data whose checksum must be verified. Streams of
// S2 may follow the first one.
func snappyCodec() Codec {
	return Codec{
		Name:       "snappy",
		Member:     "stream",
		Extensions: []string{".sz", ".snappy"},
		Encodings:  []string{"x-snappy-framed"},
		Magic:      func(head []byte, _ bool) Match { return prefix(head, snappyIdentifier) },
		Requires: func(head []byte) (Needs, error) {
			return snappyFramedNeeds(head, snappyChunkMax, snappyIdentifier)
		},
		MaxMemory: snappyFramedGrows(s2ChunkMax), // a stream of S2 may follow
		NewReader: opener("snappy", newSnappy),
		Scan:      func() Scanner { return newSnappyScanner(false) },
		Split:     splitter("snappy", func() Scanner { return newSnappyScanner(false) }, nil),
		restarts:  "chunk",
		Restart:   restarter("snappy", newSnappy),
	}
}

func newSnappy(o *Options) (format, error) {
	return newSnappyFramed(o, "snappy", false), nil
}

// snappyFramedNeeds is the need of chunks of at most max bytes.
func snappyFramedNeeds(head []byte, max int64, magics ...string) (Needs, error) {
	for _, magic := range magics {
		switch prefix(head, magic) {
		case Matched:
			return Needs{Window: max, Memory: chunkMemory(max), Size: -1}, nil
		case NeedMore:
			return Needs{}, io.ErrUnexpectedEOF
		}
	}
	return Needs{}, fmt.Errorf("%w: no snappy stream", ErrCorrupt)
}
