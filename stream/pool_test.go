package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// anHour is a context that ends when a wait should have been over long ago.
func anHour(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	t.Cleanup(cancel)
	return ctx
}

// held checks that nothing of a pool is in use any more.
func held(t *testing.T, pool *stream.Pool) {
	t.Helper()
	synctest.Wait()
	if memory, claims, permits := pool.Held(); memory != 0 || claims != 0 || permits != 0 {
		t.Errorf("%d bytes, %d claims, %d permits are still taken", memory, claims, permits)
	}
}

// twoWindows is a frame with a small window and one with a large one.
func twoWindows() []byte {
	return slices.Concat(zstdWindow(19, corpus.NDJSONBytes(1, 3000)), zstdWindow(23, corpus.NDJSONBytes(2, 3000)))
}

// Jobs and Readers that share a Pool all finish, however little it has: the floor of
// a later one is not taken out of what earlier ones need to finish.
func TestPoolOfMany(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why           string
		memory        int64
		stored        []byte
		jobs, readers int
	}{
		{"two jobs at the floor", 5 << 20, encode(t, "gzip", corpus.NDJSONBytes(1, 3000)), 2, 0},
		{"two jobs whose later frames need more", 18 << 20, twoWindows(), 2, 0},
		{"a job and Readers", 18 << 20, twoWindows(), 1, 3},
		{"jobs and Readers", 20 << 20, twoWindows(), 3, 5},
		{"Readers alone", 18 << 20, twoWindows(), 0, 6},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := store(t, map[string][]byte{"1.ndjson": tc.stored, "2.ndjson": tc.stored})
			pool := stream.NewPool(&stream.PoolOptions{Memory: tc.memory, Workers: 4})
			read := stream.ReadOptions{Pool: pool}
			ctx := anHour(t)
			var all sync.WaitGroup
			for i := range tc.jobs {
				all.Go(func() {
					time.Sleep(time.Duration(i) * 500 * time.Millisecond) // amid what others hold
					_, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
						time.Sleep(time.Second)
						return nil
					}), &stream.Options{Lanes: 2, Read: read})
					if err != nil {
						t.Errorf("%s: %v", tc.why, err)
					}
				})
			}
			for i := range tc.readers {
				all.Go(func() {
					time.Sleep(time.Duration(i) * 300 * time.Millisecond)
					r, err := stream.Open(ctx, s, "1.ndjson", &stream.OpenOptions{Read: read})
					if err != nil {
						t.Errorf("%s: %v", tc.why, err)
						return
					}
					defer r.Close()
					time.Sleep(time.Second)
					if _, err := io.Copy(io.Discard, r); err != nil {
						t.Errorf("%s: %v", tc.why, err)
					}
				})
			}
			all.Wait()
			held(t, pool)
		})
	}
}

// As many Readers are open at once as MaxReaders reports, and no more.
func TestMaxReaders(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"a": []byte("x\n")})
	for _, tc := range []struct {
		memory int64
		opts   stream.ReadOptions
		want   int
	}{
		{256 << 20, stream.ReadOptions{}, 92},
		{256 << 20, stream.ReadOptions{Decode: codec.Options{MaxWindow: 8 << 20}, MaxRecord: 1 << 20}, 129},
		{64 << 20, stream.ReadOptions{MaxRecord: 1 << 20}, 28}, // the example of Pool
		{8 << 20, stream.ReadOptions{}, 1},
		{4 << 20, stream.ReadOptions{}, 0},
	} {
		tc.opts.Pool, tc.opts.NoWait = stream.NewPool(&stream.PoolOptions{Memory: tc.memory, Workers: 1}), true
		if got := tc.opts.Pool.MaxReaders(&tc.opts); got != tc.want {
			t.Errorf("%d bytes, %+v: got %d, want %d", tc.memory, tc.opts, got, tc.want)
		}
		n := 0
		for {
			r, err := stream.Open(t.Context(), s, "a", &stream.OpenOptions{Read: tc.opts})
			if err != nil {
				break
			}
			defer r.Close()
			n++
		}
		if n != tc.want {
			t.Errorf("%d bytes: %d Readers were opened, want %d", tc.memory, n, tc.want)
		}
	}
}

// What can be read does not depend on the number of lanes: fewer run instead.
func TestLimitsDoNotDependOnLanes(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("hello world, a line\n"), 200_000)
	for _, tc := range []struct {
		why    string
		stored []byte
		window int64
	}{
		{"s2", encode(t, "s2", data), 4 << 20},
		{"lz4", encode(t, "lz4", data), 4 << 20},
		{"zstd", zstdWindow(20, data), 1 << 20},
		{"zstd, a large window", zstdWindow(23, data), 8 << 20},
		{"xz", xzOf(t, 1<<20, data), 1 << 20},
		{"gzip in gzip", encode(t, "gzip", encode(t, "gzip", data)), 1 << 20},
		{"xz in gzip", encode(t, "gzip", xzOf(t, 1<<20, data)), 1 << 20},
	} {
		var first error
		for i, lanes := range []int{1, 16, 40, 56} {
			rep, err := stream.Backfill(t.Context(), store(t, map[string][]byte{"a": tc.stored}).List(nil), stream.Discard, &stream.Options{
				Lanes: lanes, Workers: 2, Memory: 64 << 20, Read: stream.ReadOptions{Decode: codec.Options{MaxWindow: tc.window}, MaxRecord: 64 << 10},
			})
			switch {
			case i == 0:
				first = err
			case (err == nil) != (first == nil):
				t.Errorf("%s: got %v with %d lanes (%d ran), %v with one", tc.why, err, lanes, rep.Lanes, first)
			}
		}
		if first != nil {
			t.Errorf("%s: got %v with one lane, want it read", tc.why, first)
		}
	}
}

// An object that needs much of the memory is not passed by all others.
func TestLargeWindowIsNotStarved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Their first headers decide: none is opened without a promise.
		all := codec.Default().Clone()
		none, _ := all.Lookup("none")
		for name, memory := range map[string]int64{"small": 3 << 20, "large": 30 << 20} {
			c := none
			c.Name, c.Extensions, c.Restart = name, []string{"." + name}, nil
			c.Requires = func([]byte) (codec.Needs, error) { return codec.Needs{Memory: memory}, nil }
			all.Register(c)
		}
		objects := map[string][]byte{}
		for i := range 400 {
			objects[fmt.Sprintf("%03d.small", i)] = []byte("a\n")
		}
		delete(objects, "040.small")
		objects["040.large"] = []byte("b\n")
		var begun atomic.Int64
		var at int64
		_, err := stream.Backfill(anHour(t), store(t, objects).List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			n := begun.Add(1)
			if b.Object().Key == "040.large" {
				at = n
			}
			time.Sleep(time.Duration(10+n%7) * time.Millisecond)
			return nil
		}), &stream.Options{Lanes: 16, Memory: 64 << 20, Read: stream.ReadOptions{Codecs: all, MaxRecord: 1 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		if at > 100 {
			t.Errorf("listed as number 41 and begun as number %d, want soon", at)
		}
	})
}

// remote is a remote store with one large object.
func remote(t *testing.T) *blob.Store {
	faults := faultstore.New(nil)
	line := bytes.Repeat([]byte("a line of text that is repeated\n"), 4096)
	faults.Add(faultstore.Item{Key: "large.txt", Content: faultstore.Repeated{Block: line, Total: 64 << 20}})
	faults.Add(faultstore.Item{Key: "small.txt.zst", Content: faultstore.Bytes(zstdWindow(23, line))})
	s := blob.New(faults, &blob.Options{Name: "slow://test"})
	t.Cleanup(func() { s.Close() })
	return s
}

// Readers that nobody reads for a while return what they fetched ahead to others
// who wait, and go on afterwards.
func TestSlowReadersStarveNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := anHour(t)
		s := remote(t)
		pool := stream.NewPool(&stream.PoolOptions{Memory: 256 << 20, Workers: 2})
		read := stream.ReadOptions{Pool: pool}
		var readers []*stream.Reader
		defer func() {
			for _, r := range readers {
				r.Close()
			}
			held(t, pool)
		}()
		for i := range 60 {
			start := time.Now()
			r, err := stream.Open(ctx, s, "large.txt", &stream.OpenOptions{Read: read})
			if err != nil {
				t.Fatalf("reader %d: %v", i, err)
			}
			if waited := time.Since(start); waited > 5*time.Second {
				t.Errorf("reader %d waited %v", i, waited)
			}
			readers = append(readers, r)
			if _, err := io.CopyN(io.Discard, r, 1<<20); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		start := time.Now()
		rep, err := stream.Backfill(ctx, blob.Keys(s, "small.txt.zst"), stream.Discard, &stream.Options{Read: read})
		if err != nil || !rep.Complete() || time.Since(start) > 5*time.Second {
			t.Errorf("a job beside them: got %v after %v", err, time.Since(start))
		}
		for i, r := range readers[:3] {
			if n, err := io.Copy(io.Discard, r); n != 63<<20 || err != nil {
				t.Errorf("reader %d: got %d bytes more, %v, want %d", i, n, err, 63<<20)
			}
		}
	})
}

// A read that may not wait fails where it would wait for what others keep, not for
// what they return when asked. One that waits can be canceled.
func TestNoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := remote(t)
		pool := stream.NewPool(&stream.PoolOptions{Memory: 8 << 20, Workers: 2})
		first, err := stream.Open(t.Context(), s, "large.txt", &stream.OpenOptions{Read: stream.ReadOptions{Pool: pool, NoWait: true}})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		for what, try := range map[string]func(context.Context, stream.ReadOptions) error{
			"Open": func(ctx context.Context, o stream.ReadOptions) error {
				_, err := stream.Open(ctx, s, "large.txt", &stream.OpenOptions{Read: o})
				return err
			},
			"Records": func(ctx context.Context, o stream.ReadOptions) (last error) {
				for _, err := range stream.Records(ctx, s, "large.txt", &stream.RecordsOptions{Read: o}) {
					last = err
				}
				return last
			},
			"Backfill": func(ctx context.Context, o stream.ReadOptions) error {
				_, err := stream.Backfill(ctx, blob.Keys(s, "large.txt"), stream.Discard, &stream.Options{Read: o})
				return err
			},
		} {
			err := try(t.Context(), stream.ReadOptions{Pool: pool, NoWait: true})
			if !errors.Is(err, stream.ErrPoolBusy) || stream.ClassOf(err) != stream.ClassTransient || time.Since(now) > 0 {
				t.Errorf("%s: got %v after %v, want %v at once", what, err, time.Since(now), stream.ErrPoolBusy)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if err := try(ctx, stream.ReadOptions{Pool: pool}); stream.ClassOf(err) != stream.ClassCanceled || time.Since(now) != time.Minute {
				t.Errorf("%s: got %v after %v, want the end of the context after a minute", what, err, time.Since(now))
			}
			cancel()
			now = time.Now()
		}
		first.Close()
		held(t, pool)

		// All memory beside the reserve is read-ahead: it comes back.
		pool = stream.NewPool(&stream.PoolOptions{Memory: 64 << 20, Workers: 2})
		var readers []*stream.Reader
		for i := range 8 {
			r, err := stream.Open(t.Context(), s, "large.txt", &stream.OpenOptions{Read: stream.ReadOptions{Pool: pool, NoWait: true}})
			if err != nil {
				t.Fatalf("reader %d: %v", i, err)
			}
			readers = append(readers, r)
			synctest.Wait()
		}
		for _, r := range readers {
			r.Close()
		}
		held(t, pool)
	})
}

// A sink that reads with the Pool of its own job gets what fits, and an error where
// the job would wait for itself.
func TestSinkReadsFromItsPool(t *testing.T) {
	t.Parallel()
	type read func(context.Context, *blob.Store, stream.ReadOptions) error
	open := func(ctx context.Context, s *blob.Store, o stream.ReadOptions) error {
		r, err := stream.Open(ctx, s, "side", &stream.OpenOptions{Read: o})
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(io.Discard, r)
		return err
	}
	backfill := func(ctx context.Context, s *blob.Store, o stream.ReadOptions) error {
		_, err := stream.Backfill(ctx, blob.Keys(s, "side"), stream.Discard, &stream.Options{Read: o})
		return err
	}
	twice := func(ctx context.Context, s *blob.Store, o stream.ReadOptions) error {
		r, err := stream.Open(ctx, s, "side", &stream.OpenOptions{Read: o})
		if err != nil {
			return err
		}
		defer r.Close()
		return open(ctx, s, o)
	}
	for _, tc := range []struct {
		why    string
		memory int64
		lanes  int
		window int // log of that of the objects and of what the sink opens
		read   read
		fits   bool
	}{
		{"no floor is left", 5 << 20, 1, 17, open, false},
		{"no floor is left for a job", 5 << 20, 1, 17, backfill, false},
		{"all lanes open at once", 16 << 20, 2, 17, open, false},
		{"room for one more", 32 << 20, 1, 17, open, true},
		{"room for a job", 32 << 20, 1, 17, backfill, true},
		{"room for two more in each lane", 48 << 20, 2, 17, twice, true},
		{"the window does not fit beside that of the lane", 36 << 20, 1, 24, open, false},
		{"it does", 64 << 20, 1, 23, open, true},
		{"the window of a job does not", 36 << 20, 1, 24, backfill, false},
	} {
		for _, own := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				ctx := anHour(t)
				objects := map[string][]byte{"side": zstdWindow(tc.window, corpus.NDJSONBytes(2, 2000))}
				for i := range 6 {
					objects[fmt.Sprint(i)] = zstdWindow(tc.window, corpus.NDJSONBytes(1, 2000))
				}
				s := store(t, objects)
				pool := stream.NewPool(&stream.PoolOptions{Memory: tc.memory, Workers: 2})
				o := stream.ReadOptions{Pool: pool}
				rep, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(sctx context.Context, b *stream.Batch) error {
					time.Sleep(time.Second)
					if own {
						sctx = ctx // not that of the sink
					}
					return tc.read(sctx, s, o)
				}), &stream.Options{Lanes: tc.lanes, Read: o})
				if tc.fits && (err != nil || !rep.Complete()) {
					t.Errorf("%s, own context %t: got %v, want it to fit", tc.why, own, err)
				}
				if !tc.fits && !errors.Is(err, stream.ErrPoolBusy) {
					t.Errorf("%s, own context %t: got %v, want %v", tc.why, own, err, stream.ErrPoolBusy)
				}
				held(t, pool)
			})
		}
	}
}

// A source that reads with the Pool of its job gets its part of it: lanes start with
// what it lists.
func TestSourceReadsFromThePoolOfItsJob(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		memory int64
		fits   bool
	}{
		{"beside fewer lanes", 32 << 20, true},
		{"nothing fits beside one lane", 5 << 20, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			objects := map[string][]byte{}
			var list []byte
			for i := range 300 {
				key := fmt.Sprintf("%03d.txt", i)
				objects[key] = []byte("x\n")
				list = append(append(list, key...), '\n')
			}
			s, lists := store(t, objects), store(t, map[string][]byte{"keys": list})
			pool := stream.NewPool(&stream.PoolOptions{Memory: tc.memory, Workers: 2})
			read := stream.ReadOptions{Pool: pool}
			ctx := anHour(t)
			src := blob.Source{Store: s, Name: "two lists", Objects: func(ctx context.Context, _ blob.Mark) iter.Seq2[blob.Object, error] {
				return func(yield func(blob.Object, error) bool) {
					for range 2 {
						for rec, err := range stream.Records(ctx, lists, "keys", &stream.RecordsOptions{Read: read}) {
							if !yield(blob.Object{Key: string(rec.Data), Size: -1}, err) {
								return
							}
						}
					}
				}
			}}
			rep, err := stream.Backfill(ctx, src, stream.SinkFunc(func(context.Context, *stream.Batch) error {
				time.Sleep(time.Second)
				return nil
			}), &stream.Options{Lanes: 64, Read: read})
			if tc.fits && (err != nil || rep.Counts.Done.Objects != 600) {
				t.Errorf("%s: got %v and %d objects", tc.why, err, rep.Counts.Done.Objects)
			}
			if !tc.fits && !errors.Is(err, stream.ErrPoolBusy) {
				t.Errorf("%s: got %v, want %v", tc.why, err, stream.ErrPoolBusy)
			}
			held(t, pool)
		})
	}
}
