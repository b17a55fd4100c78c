package codec_test

import (
	"slices"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/codec/codectest"
)

// TestFramings holds the codecs of LZ4, Snappy and S2 to the promises of all.
func TestFramings(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]codectest.Format{
		"lz4": {
			Encode: func(b []byte) []byte {
				return lz4Frame(t, b, lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(true))
			},
			Concatenates: true,
			Checksummed:  true,
		},
		"lz4-java": {
			Encode:       func(b []byte) []byte { return lz4JavaStream(t, b, 60_000) },
			Concatenates: true,
			Checksummed:  true,
		},
		"snappy": {
			Encode:       func(b []byte) []byte { return snappyStream(b, 1<<16) },
			Concatenates: true,
			Checksummed:  true,
			MayEnd:       betweenChunks,
			JunkIsDamage: true,
		},
		"s2": {
			Encode:       func(b []byte) []byte { return s2Stream(b, s2.WriterBlockSize(64<<10)) },
			Concatenates: true,
			Checksummed:  true,
			MayEnd:       betweenChunks,
			JunkIsDamage: true,
		},
		"snappy-xerial": {
			Encode:       func(b []byte) []byte { return xerialStream(slices.Collect(slices.Chunk(b, 32<<10))...) },
			Concatenates: true,
			MayEnd: func(stored []byte, n int) bool {
				at := 16
				for at < n {
					at += 4 + int(stored[at])<<24 + int(stored[at+1])<<16 + int(stored[at+2])<<8 + int(stored[at+3])
				}
				return at == n
			},
			JunkIsDamage: true,
		},
		"snappy-hadoop": {
			Encode:       func(b []byte) []byte { return snappyHadoopBlock(slices.Collect(slices.Chunk(b, 32<<10))...) },
			Concatenates: true,
			JunkIsDamage: true,
		},
		"lz4-hadoop": {
			Encode:       func(b []byte) []byte { return lz4HadoopBlock(t, slices.Collect(slices.Chunk(b, 32<<10))...) },
			Concatenates: true,
			JunkIsDamage: true,
		},
		"snappy-block": {
			Encode: func(b []byte) []byte { return snappy.Encode(nil, b) },
		},
	} {
		c := lookup(t, name)
		if name == "snappy-hadoop" {
			c.Magic = nil // knows what is safe to know alone, not every object
		}
		t.Run(name, func(t *testing.T) { codectest.Run(t, c, f) })
	}
}

// betweenChunks tells whether n is the end of a chunk.
func betweenChunks(stored []byte, n int) bool {
	at := 0
	for at < n {
		at += 4 + int(stored[at+1]) + int(stored[at+2])<<8 + int(stored[at+3])<<16
	}
	return at == n
}
