package stream_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/internal/corpus"
	"github.com/thaw-go/thaw/stream"
)

// atOnce is how many lanes stand in their sink at the same time. Time passes only
// once all that can go on did.
func atOnce(t *testing.T, stored []byte, opts *stream.Options) (most int64) {
	synctest.Test(t, func(t *testing.T) {
		objects := map[string][]byte{}
		for i := range 20 {
			objects[fmt.Sprintf("%02d.ndjson", i)] = stored
		}
		var n, top atomic.Int64
		_, err := stream.Backfill(t.Context(), store(t, objects).List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
			if now := n.Add(1); now > top.Load() {
				top.Store(now)
			}
			time.Sleep(time.Second)
			n.Add(-1)
			return nil
		}), opts)
		if err != nil {
			t.Error(err)
		}
		most = top.Load()
	})
	return most
}

// Objects with small windows keep all lanes at work, whatever their codec might
// come to need.
func TestLanesAtOnce(t *testing.T) {
	data := corpus.NDJSONBytes(1, 1500)
	for _, tc := range []struct {
		why    string
		stored []byte
		memory int64
		want   int64
	}{
		{"gzip", encode(t, "gzip", data), 0, 16},
		{"zstd, a window of 2 MiB", zstdWindow(21, data), 0, 16},
		{"zstd, a window of 8 MiB", zstdWindow(23, data), 0, 16},
		{"lz4, blocks of 4 MiB", encode(t, "lz4", data), 0, 16},
		{"gzip in little memory", encode(t, "gzip", data), 32 << 20, 6},
		{"zstd, as many as gzip", zstdWindow(20, data), 32 << 20, 6},
		{"zstd, as many windows as fit beside a record", zstdWindow(23, data), 64 << 20, 3},
		{"lz4, likewise", encode(t, "lz4", data), 64 << 20, 4},
	} {
		// One more may fit while another lane closes its object.
		if got := atOnce(t, tc.stored, &stream.Options{Lanes: 16, Memory: tc.memory}); got < tc.want {
			t.Errorf("%s: got %d lanes at once, want %d at least", tc.why, got, tc.want)
		}
	}
}
