package stream_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/corpus"
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
			now := n.Add(1)
			for old := top.Load(); now > old && !top.CompareAndSwap(old, now); old = top.Load() {
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

// Lanes are never more than objects, and what a lane without one does is no part of
// the headline.
func TestLanesAreNoMoreThanObjects(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 1500)
	for _, tc := range []struct {
		why     string
		objects int
		opts    stream.Options
		keys    bool
		lanes   int
		fewer   string
	}{
		{"one object, default lanes", 1, stream.Options{}, true, 1, "objects"},
		{"a listing that ends early", 3, stream.Options{Lanes: 16}, false, 3, "objects"},
		{"a list of keys", 5, stream.Options{Lanes: 16}, true, 5, "objects"},
		{"as many", 4, stream.Options{Lanes: 4}, false, 4, ""},
		{"more objects", 20, stream.Options{Lanes: 4}, false, 4, ""},
		{"no object", 0, stream.Options{Lanes: 4}, false, 1, "objects"},
		{"less memory", 20, stream.Options{Lanes: 16, Memory: 32 << 20}, false, 6, "memory"},
	} {
		synctest.Test(t, func(t *testing.T) {
			objects := map[string][]byte{}
			var keys []string
			for i := range tc.objects {
				keys = append(keys, fmt.Sprintf("%02d.ndjson", i))
				objects[keys[i]] = data
			}
			s := blob.New(simstore.New(memstore.New(), simstore.Link{FirstByte: time.Second}), nil)
			defer s.Close()
			for key, data := range objects {
				put(t, s, key, data)
			}
			src := s.List(nil)
			if tc.keys {
				src = blob.Keys(s, keys...)
			}
			rep, err := stream.Backfill(t.Context(), src, stream.SinkFunc(func(context.Context, *stream.Batch) error {
				time.Sleep(time.Second)
				return nil
			}), &tc.opts)
			if err != nil {
				t.Fatal(err)
			}
			if rep.Lanes != tc.lanes || rep.FewerLanes != tc.fewer || len(rep.PerLane) != tc.lanes || rep.MaxLanes < rep.Lanes {
				t.Errorf("%s: got %d lanes of %d for %q, want %d for %q", tc.why, rep.Lanes, rep.MaxLanes, rep.FewerLanes, tc.lanes, tc.fewer)
			}
			for i, l := range rep.PerLane {
				if l.Sum() != rep.Wall {
					t.Errorf("%s, lane %d: stages add up to %v, wall is %v", tc.why, i, l.Sum(), rep.Wall)
				}
			}
			if tc.objects == 1 && rep.Stages.Idle != 0 {
				t.Errorf("%s: lanes were idle for %v", tc.why, rep.Stages.Idle)
			}
		})
	}
}
