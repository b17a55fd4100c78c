package stream_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// Under little Memory too: what happens to be free does not decide.
func TestLimitsDoNotDependOnWhatIsFree(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 400)
	for _, tc := range []struct{ why, codec string }{
		{"a window by its header", "brotli"},
		{"large blocks", "lz4"},
		{"a window that is not known yet", "s2"},
		{"a window for growing", "zstd"},
	} {
		key, stored := "a."+tc.codec, encode(t, tc.codec, data)
		for memory := int64(6 << 20); memory <= 20<<20; memory += 1 << 19 {
			var first error
			for i, lanes := range []int{1, 2, 5} {
				_, err := stream.Backfill(t.Context(), store(t, map[string][]byte{key: stored}).List(nil), stream.Discard, &stream.Options{
					Lanes: lanes, Workers: 2, Memory: memory, Read: stream.ReadOptions{Codec: tc.codec, MaxRecord: 64 << 10},
				})
				if i == 0 {
					first = err
				}
				if (err == nil) != (first == nil) {
					t.Errorf("%s: Memory %d: got %v with %d lanes, %v with one", tc.why, memory, err, lanes, first)
				}
			}
		}
	}
}
