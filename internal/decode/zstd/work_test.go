package zstd_test

import (
	"bytes"
	"slices"
	"testing"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/decode/zstd"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestWorkOfEncoders: what encoders write of the smallest texts, in frames of their
// own, stays far below what is allowed, without what is free.
func TestWorkOfEncoders(t *testing.T) {
	t.Parallel()
	const margin = 2 // times
	texts := map[string][]byte{
		"records": corpus.NDJSONBytes(3, 400),
		"rows":    corpus.CSVBytes(3, 400),
		"binary":  corpus.BinaryBytes(3, 60_000),
	}
	for name, text := range texts {
		for _, size := range []int{20, 50, 70, 100, 300} {
			most := 0.0
			f := newFrames()
			for part := range slices.Chunk(text[:min(len(text), 4*size)], size) {
				var stored [][]byte
				for level := kzstd.SpeedFastest; level <= kzstd.SpeedBestCompression; level++ {
					stored = append(stored, encode(part, false, kzstd.WithEncoderLevel(level), kzstd.WithEncoderCRC(false)))
				}
				for _, b := range stored {
					f.r.Begin()
					if got, err := f.decode(b); err != nil || !bytes.Equal(got, part) {
						t.Fatalf("got %s and %v", difference(got, part), err)
					}
					work, bytes := f.r.Work()
					most = max(most, float64(work)/float64(bytes))
				}
			}
			if most*margin > zstd.WorkRate {
				t.Errorf("%s in parts of %d: %.2f entries a byte", name, size, most)
			}
		}
	}
}
