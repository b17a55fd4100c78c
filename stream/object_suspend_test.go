package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// Lanes that all come upon a record for which memory was promised to one go on one
// after the other, from the restart point before, with the same records.
func TestSuspendedLanesGoOn(t *testing.T) {
	few := corpus.NDJSONBytes(1, 1000)
	long := append(bytes.Repeat([]byte("long "), 400<<10), '\n')
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
			for i := range 6 {
				objects[fmt.Sprint(i, ".ndjson")] = tc.stored
			}
			var requests atomic.Int64
			var mu sync.Mutex
			got := map[string][]string{}
			// All lanes start before the first has opened its object.
			s := blob.New(simstore.New(memstore.New(), simstore.Link{FirstByte: time.Second}), &blob.Options{Retry: &blob.Retry{NoHedge: true}})
			defer s.Close()
			for key, data := range objects {
				put(t, s, key, data)
			}
			_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
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
			// What chunks of s2 may take is had before the first: no lane needs more.
			if n := requests.Load(); n <= int64(len(objects)) && !strings.HasPrefix(tc.why, "s2") {
				t.Errorf("%s: got %d requests, want some objects opened again", tc.why, n)
			}
		})
	}
}

// beside reads suspended.txt.zst. With the first batch another Reader comes to hold
// so much that the long record gets its buffer once that is closed, a minute later:
// until then the object is suspended. meanwhile is called before. Nil codecs are the default.
func beside(t *testing.T, plan faultstore.Plan, stored []byte, meanwhile func(*faultstore.Store), codecs *codec.Registry) (*collector, *stream.Report, error) {
	few := corpus.NDJSONBytes(1, 1000)
	grows := append(zstdWindow(17, few), zstdWindow(22, corpus.NDJSONBytes(1, 40_000))...)
	faults := faultstore.New(&faultstore.Options{Plan: plan})
	faults.Add(faultstore.Item{Key: "holder.txt.zst", Content: faultstore.Bytes(grows)})
	faults.Add(faultstore.Item{Key: "suspended.txt.zst", Content: faultstore.Bytes(stored)})
	s := blob.New(faults, &blob.Options{Name: "fault://test"})
	defer s.Close()
	pool := stream.NewPool(&stream.PoolOptions{Memory: 12 << 20, Workers: 2})
	read := stream.ReadOptions{Pool: pool, MaxRecord: 5 << 18, Codecs: codecs}
	holder, err := stream.Open(t.Context(), s, "holder.txt.zst", &stream.OpenOptions{Read: read})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(time.Minute)
		if meanwhile != nil {
			meanwhile(faults)
		}
		holder.Close()
	}()
	c := newCollector()
	grow := sync.OnceFunc(func() {
		if _, err := io.CopyN(io.Discard, holder, 2*int64(len(few))); err != nil {
			t.Error(err)
		}
	})
	rep, err := stream.Backfill(t.Context(), blob.Keys(s, "suspended.txt.zst"), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
		grow()
		return c.write(ctx, b)
	}), &stream.Options{Lanes: 1, Read: read})
	synctest.Wait()
	if held, claims, permits := pool.Held(); held != 0 || claims != 0 || permits != 0 {
		t.Errorf("%d bytes, %d claims, %d permits are still taken", held, claims, permits)
	}
	return c, rep, err
}

// withLongRecord is lines of which one outgrows a lane's head-room, behind some
// that are delivered before.
func withLongRecord() []byte {
	return slices.Concat(corpus.NDJSONBytes(2, 6000), bytes.Repeat([]byte{'x'}, 600<<10), []byte("\n"), corpus.NDJSONBytes(3, 2000))
}

// An object that was suspended delivers what it delivers otherwise, and the report says how long
// it waited and what was decoded again.
func TestSuspended(t *testing.T) {
	data := withLongRecord()
	few := corpus.NDJSONBytes(4, 6000)
	for _, tc := range []struct {
		why    string
		data   []byte
		stored []byte
	}{
		{"from the start", data, zstdWindow(22, data)},
		{"from the last frame", slices.Concat(few, data), slices.Concat(zstdWindow(22, few), zstdWindow(22, data))},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, rep, err := beside(t, nil, tc.stored, nil, nil)
			if err != nil || !slices.Equal(c.records["suspended.txt.zst"], lines(tc.data)) {
				t.Errorf("%s: got %v and %d records, want %d", tc.why, err, len(c.records["suspended.txt.zst"]), len(lines(tc.data)))
			}
			if rep.Stages.Queue != time.Minute || rep.Wall != time.Minute {
				t.Errorf("%s: got %v of %v in stage queue, want a minute", tc.why, rep.Stages.Queue, rep.Wall)
			}
			n := rep.Counts
			again, want := n.Stored-int64(len(tc.stored)), int64(len(tc.data))
			if n.Redecoded < 1<<20 || n.Redecoded > int64(len(data)) || n.Decoded != want+n.Redecoded || again < n.Redecoded || again > int64(len(data)) {
				t.Errorf("%s: got %d decoded, %d again of %d stored, want %d and what is before the long record again",
					tc.why, n.Decoded, n.Redecoded, again, want)
			}
			if cr := rep.Codecs[0]; cr.Stored != n.Stored || cr.Decoded != n.Decoded {
				t.Errorf("%s: got %d of %d for the codec, want %d of %d", tc.why, cr.Decoded, cr.Stored, n.Decoded, n.Stored)
			}
		})
	}
}

// What befalls a suspended object is reported when it is opened again, after the records
// before, and is never a clean end.
func TestSuspendedFaults(t *testing.T) {
	data := withLongRecord()
	stored := zstdWindow(22, data)
	again := func(f faultstore.Fault) faultstore.Plan {
		return func(c faultstore.Call) faultstore.Fault {
			if c.Op == faultstore.Read && c.Key == "suspended.txt.zst" && c.Try > 0 {
				return f
			}
			return faultstore.Fault{}
		}
	}
	for _, tc := range []struct {
		why       string
		plan      faultstore.Plan
		meanwhile func(*faultstore.Store)
		class     stream.Class
		want      error
	}{
		{"missing", again(faultstore.Fault{Kind: faultstore.Missing}), nil, stream.ClassMissing, fs.ErrNotExist},
		{"denied", again(faultstore.Fault{Kind: faultstore.Denied}), nil, stream.ClassDenied, fs.ErrPermission},
		{"replaced", nil, func(s *faultstore.Store) { s.Replace("suspended.txt.zst") }, stream.ClassChanged, blob.ErrChanged},
		{"replaced by less", nil, func(s *faultstore.Store) {
			s.Add(faultstore.Item{Key: "suspended.txt.zst", Content: faultstore.Bytes("less")})
		}, stream.ClassChanged, blob.ErrChanged},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, rep, err := beside(t, tc.plan, stored, tc.meanwhile, nil)
			var e *stream.Error
			if !errors.As(err, &e) || e.Class != tc.class || !errors.Is(err, tc.want) {
				t.Fatalf("%s: got %v, want class %v", tc.why, err, tc.class)
			}
			got := c.records["suspended.txt.zst"]
			if len(got) == 0 || !slices.Equal(got, lines(data)[:len(got)]) {
				t.Errorf("%s: got %d records before the error", tc.why, len(got))
			}
			if e.Decoded == 0 || e.Offset < e.Decoded || rep.Counts.Failed.Objects != 1 {
				t.Errorf("%s: got offset %d of %d decoded, and %d failed", tc.why, e.Offset, e.Decoded, rep.Counts.Failed.Objects)
			}
		})
	}
	// A body that breaks off is asked for again.
	synctest.Test(t, func(t *testing.T) {
		c, _, err := beside(t, faultstore.First(func(c faultstore.Call) faultstore.Fault {
			if c.Key == "suspended.txt.zst" && c.Op == faultstore.Read && c.Try == 1 {
				return faultstore.Fault{Kind: faultstore.Reset, At: 100_000}
			}
			return faultstore.Fault{}
		}), stored, nil, nil)
		if err != nil || !slices.Equal(c.records["suspended.txt.zst"], lines(data)) {
			t.Errorf("got %v and %d records", err, len(c.records["suspended.txt.zst"]))
		}
	})
}
