package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/internal/corpus"
	"github.com/thaw-go/thaw/stream"
)

// Lanes that all come upon a record for which memory was promised to one go on one
// after the other, from the restart point before, with the same records.
func TestParkedLanesGoOn(t *testing.T) {
	few := corpus.NDJSONBytes(1, 1000)
	long := append(bytes.Repeat([]byte("long "), 100<<10), '\n')
	data := slices.Concat(few, long, few)
	for _, tc := range []struct {
		why    string
		stored []byte
	}{
		{"zstd, one frame", zstdWindow(20, data)},
		{"zstd, checksummed", frameOf(t, 1<<20, data)},
		{"zstd, a frame before", append(zstdWindow(20, few), zstdWindow(20, data[len(few):])...)},
		{"zstd, a larger window with the record", append(zstdWindow(17, few), zstdWindow(23, data[len(few):])...)},
		{"lz4, blocks are restart points", encode(t, "lz4", data)},
		{"s2, chunks are members", encode(t, "s2", data)},
		{"xz, a stream before", append(xzOf(t, 1<<20, few), xzOf(t, 1<<20, data[len(few):])...)},
	} {
		synctest.Test(t, func(t *testing.T) {
			objects := map[string][]byte{}
			for i := range 4 {
				objects[fmt.Sprint(i, ".ndjson")] = tc.stored
			}
			var requests atomic.Int64
			var mu sync.Mutex
			got := map[string][]string{}
			_, err := stream.Backfill(t.Context(), store(t, objects).List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
				time.Sleep(time.Second) // all others come to where they wait
				mu.Lock()
				defer mu.Unlock()
				for rec := range b.All() {
					got[b.Object().Key] = append(got[b.Object().Key], string(rec.Data))
				}
				return nil
			}), &stream.Options{
				Lanes: 6, Memory: 32 << 20,
				Trace: &stream.Trace{Request: func(stream.Request) { requests.Add(1) }},
			})
			if err != nil {
				t.Fatalf("%s: %v", tc.why, err)
			}
			want := lines(data)
			for key := range objects {
				if !slices.Equal(got[key], want) {
					t.Errorf("%s: %s: got %d records, want %d, or others", tc.why, key, len(got[key]), len(want))
				}
			}
			if n := requests.Load(); n <= int64(len(objects)) {
				t.Errorf("%s: got %d requests, want some objects opened again", tc.why, n)
			}
		})
	}
}
