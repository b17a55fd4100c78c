package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// No allocation per record: 100 times as many records cost the same.
func TestNoAllocationPerRecord(t *testing.T) {
	for _, name := range []string{"none", "gzip", "zstd", "lz4", "snappy", "s2"} {
		count := func(records int) uint64 {
			s := store(t, map[string][]byte{"a.ndjson": encode(t, name, corpus.NDJSONBytes(1, records))})
			run := func() {
				if _, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
					for rec := range b.All() {
						if len(rec.Data) == 0 {
							return errors.New("empty record")
						}
					}
					return nil
				}), &stream.Options{Lanes: 1}); err != nil {
					t.Fatal(err)
				}
			}
			run()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run()
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		few, many := count(500), count(50000)
		if extra := int64(many) - int64(few); extra > 49500/100 {
			t.Errorf("%s: 49,500 more records cost %d more allocations", name, extra)
		}
	}
}

// What a job holds stays within Memory + 40 MiB, whatever the windows and the
// number of lanes asked for.
func TestLiveHeapWithinMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const memory = 32 << 20
	objects := map[string][]byte{}
	for i := range 24 {
		name := []string{"zstd", "gzip", "lz4"}[i%3]
		objects[fmt.Sprintf("%02d.ndjson", i)] = encode(t, name, corpus.NDJSONBytes(uint64(i), 20000))
	}
	s := store(t, objects)
	live := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	var mu sync.Mutex
	peak, n := int64(0), 0
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%40 == 0 {
			peak = max(peak, live()-before)
		}
		return nil
	}), &stream.Options{Lanes: 16, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	if peak > memory+40<<20 {
		t.Errorf("live heap grew by %d, allowed %d", peak, memory+40<<20)
	}
	if rep.PeakMemory > memory || rep.PeakMemory == 0 {
		t.Errorf("budget peak is %d of %d", rep.PeakMemory, memory)
	}
}

// Below MinMemory the error has it; with MinMemory the job runs.
func TestMemoryFloor(t *testing.T) {
	data := corpus.NDJSONBytes(1, 20000)
	s := store(t, map[string][]byte{"a.ndjson.gz": encode(t, "gzip", data)})
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Memory: 1 << 20})
	floor := stream.MinMemory(nil)
	limit, ok := errors.AsType[*codec.LimitError](err)
	if !ok || !errors.Is(err, codec.ErrLimit) || limit.Needed != floor || limit.Allowed != 1<<20 {
		t.Fatalf("got %v, want a limit error that needs %d", err, floor)
	}
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Memory: floor})
	if err != nil || rep.Counts.Delivered() != 20000 || rep.Lanes != 1 {
		t.Errorf("at the floor of %d: %v, %d lanes", floor, err, rep.Lanes)
	}
}

// A window over the limit is refused by name and figure.
func TestWindowLimit(t *testing.T) {
	frame := []byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA0} // window 2^30, no content size
	for range 20 {
		frame = append(frame, 0x00, 0x00, 0x10) // a raw block of 128 KiB, not the last
		frame = append(frame, make([]byte, 128<<10)...)
	}
	s := store(t, map[string][]byte{"w.zst": frame})
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, nil)
	if !errors.Is(err, codec.ErrLimit) || stream.ClassOf(err) != stream.ClassLimit {
		t.Errorf("got %v, want codec.ErrLimit", err)
	}
}

// A retained batch stays as it was while the job goes on, and beyond a quarter of
// the memory it is a copy.
func TestRetain(t *testing.T) {
	data := corpus.NDJSONBytes(1, 40000)
	s := store(t, map[string][]byte{"a.ndjson.zst": encode(t, "zstd", data)})
	for _, memory := range []int64{0, 16 << 20} {
		var kept []*stream.Batch
		_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			kept = append(kept, b.Retain())
			return nil
		}), &stream.Options{Lanes: 1, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range kept {
			for rec := range b.All() {
				if rec.Index != int64(len(got)) {
					t.Fatalf("index %d, want %d", rec.Index, len(got))
				}
				got = append(got, string(rec.Data))
			}
			b.Release()
		}
		if !slices.Equal(got, lines(data)) {
			t.Errorf("memory %d: retained records differ", memory)
		}
	}
}

// A Pool shared by many readers bounds them all and runs dry without deadlock.
func TestSharedPool(t *testing.T) {
	data := corpus.NDJSONBytes(1, 5000)
	s := store(t, map[string][]byte{"a.gz": encode(t, "gzip", data), "b.zst": encode(t, "zstd", data)})
	pool := stream.NewPool(&stream.PoolOptions{Memory: 24 << 20, Workers: 2})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			key := []string{"a.gz", "b.zst"}[i%2]
			if i%5 == 0 {
				rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Read: stream.ReadOptions{Pool: pool}})
				if err != nil || rep.Counts.Delivered() != 10000 {
					t.Errorf("backfill: %v", err)
				}
				return
			}
			r, err := stream.Open(t.Context(), s, key, &stream.OpenOptions{Read: stream.ReadOptions{Pool: pool}})
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			got, err := readBy(r, 64<<10)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: %d bytes, %v", key, len(got), err)
			}
		})
	}
	wg.Wait()
}

// Batches cut out of one scan stay as they were, also when only the first is
// retained: the framer's next ends go elsewhere.
func TestRetainBesideOversized(t *testing.T) {
	var data []byte
	var want []string
	for i := range 60000 {
		size := 20 + i%7
		if i%50 == 10 {
			size = 200
		}
		rec := bytes.Repeat([]byte{'a' + byte(i%26)}, size)
		data = append(append(data, rec...), '\n')
		if size < 100 {
			want = append(want, string(rec))
		}
	}
	s := store(t, map[string][]byte{"a.txt": data})
	var kept []*stream.Batch
	var got [][]string
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		if len(got)%3 == 0 {
			kept = append(kept, b.Retain())
			got = append(got, nil)
			return nil
		}
		var recs []string
		for rec := range b.All() {
			recs = append(recs, string(rec.Data))
		}
		kept, got = append(kept, nil), append(got, recs)
		return nil
	}), &stream.Options{Lanes: 1, Read: stream.ReadOptions{MaxRecord: 100, Oversized: stream.SkipOversized}})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i, b := range kept {
		if b == nil {
			all = append(all, got[i]...)
			continue
		}
		for rec := range b.All() {
			all = append(all, string(rec.Data))
		}
		b.Release()
	}
	if !slices.Equal(all, want) {
		t.Errorf("got %d records, want %d, or others", len(all), len(want))
	}
}

// Batches are released on another goroutine while the job goes on.
func TestReleaseElsewhere(t *testing.T) {
	data := corpus.NDJSONBytes(1, 60000)
	s := store(t, map[string][]byte{"a.ndjson": data})
	batches := make(chan *stream.Batch)
	var got []string
	var wg sync.WaitGroup
	wg.Go(func() {
		for b := range batches {
			for rec := range b.All() {
				got = append(got, string(rec.Data))
			}
			b.Release()
		}
	})
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		batches <- b.Retain()
		return nil
	}), &stream.Options{Lanes: 1})
	close(batches)
	wg.Wait()
	if err != nil || !slices.Equal(got, lines(data)) {
		t.Errorf("got %d records and %v", len(got), err)
	}
}

// zstdWindow is data as a zstd frame of raw blocks whose header asks for a window
// of 1<<log bytes.
func zstdWindow(log int, data []byte) []byte {
	frame := []byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, byte(log-10) << 3}
	for len(data) > 0 {
		n := min(len(data), 128<<10)
		last := 0
		if n == len(data) {
			last = 1
		}
		header := n<<3 | last
		frame = append(frame, byte(header), byte(header>>8), byte(header>>16))
		frame = append(frame, data[:n]...)
		data = data[n:]
	}
	return frame
}

// Windows and records of all sizes go through little memory on many lanes, beside
// sinks that retain and jobs that are canceled, without a standstill and within
// the budget.
func TestTightMemory(t *testing.T) {
	objects := map[string][]byte{}
	want := map[string]int{}
	for i := range 12 {
		var data []byte
		for k := range 12 {
			data = append(data, bytes.Repeat([]byte{'a' + byte(k)}, []int{100, 1 << 20, 300 << 10, 900 << 10}[(i+k)%4])...)
			data = append(data, '\n')
		}
		key := fmt.Sprintf("%02d.txt.zst", i)
		objects[key], want[key] = zstdWindow(17+i%5, data), 12
	}
	s := store(t, objects)
	const memory = 9 << 20
	pool := stream.NewPool(&stream.PoolOptions{Memory: memory, Workers: 2})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 3))
			for range 2 {
				ctx, cancel := context.WithCancel(t.Context())
				left := -1
				if rng.IntN(2) == 0 {
					left = rng.IntN(60)
				}
				var mu sync.Mutex
				var kept []*stream.Batch
				got := map[string]int{}
				rep, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
					mu.Lock()
					defer mu.Unlock()
					got[b.Object().Key] += b.Len()
					if i%3 == 0 {
						kept = append(kept, b.Retain())
					}
					if left--; left == 0 {
						cancel()
					}
					return nil
				}), &stream.Options{Lanes: 8, Read: stream.ReadOptions{Pool: pool}})
				cancel()
				for _, b := range kept {
					b.Release()
				}
				if err == nil && !maps.Equal(got, want) || err != nil && (left > 0 || !errors.Is(err, context.Canceled)) {
					t.Errorf("got %v and %v", got, err)
				}
				if rep.PeakMemory > memory {
					t.Errorf("budget peak is %d of %d", rep.PeakMemory, memory)
				}
			}
		})
	}
	wg.Wait()
	if held, claims, permits := pool.Held(); held != 0 || claims != 0 || permits != 0 {
		t.Errorf("%d bytes, %d claims, %d permits are still taken", held, claims, permits)
	}
}

// The smallest and the largest limits work, and are told.
func TestRecordLimits(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("\n\n\n"), "b": bytes.Repeat([]byte("x"), 3<<20)})
	n := 0
	for _, err := range stream.Records(t.Context(), s, "a", &stream.RecordsOptions{Read: stream.ReadOptions{MaxRecord: 1}}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 {
		t.Errorf("got %d records of one byte, want 3", n)
	}
	// An eighth of the memory is the most, whatever is asked for.
	pool := stream.NewPool(&stream.PoolOptions{Memory: 16 << 20})
	for _, err := range stream.Records(t.Context(), s, "b", &stream.RecordsOptions{Read: stream.ReadOptions{MaxRecord: 64 << 20, Pool: pool}}) {
		if stream.ClassOf(err) != stream.ClassOversized {
			t.Errorf("a record of 3 MiB under 16 MiB: got %v", err)
		}
	}
	pool = stream.NewPool(&stream.PoolOptions{Memory: 24 << 20})
	for _, err := range stream.Records(t.Context(), s, "b", &stream.RecordsOptions{Read: stream.ReadOptions{MaxRecord: 64 << 20, Pool: pool}}) {
		if err != nil {
			t.Errorf("a record of 3 MiB under 24 MiB: got %v", err)
		}
	}
}

// Decoders go from object to object also when windows differ a little, as they do
// where a frame's window is its size.
func TestDecodersAreReused(t *testing.T) {
	objects := map[string][]byte{}
	for i := range 30 {
		objects[fmt.Sprintf("%02d.ndjson", i)] = encode(t, "zstd", corpus.NDJSONBytes(uint64(i), 5000+37*i))
	}
	s := store(t, objects)
	run := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Lanes: 1}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	run()
	if got := run(); got > 12<<20 {
		t.Errorf("30 objects of about 1.2 MB cost %d bytes of allocation: a decoder for each?", got)
	}
}
