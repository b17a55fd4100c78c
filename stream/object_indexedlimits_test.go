package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/indexed"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// asked is a store that takes its time to answer, and counts the requests that have no
// answer yet.
type asked struct {
	*faultstore.Store
	waiting  atomic.Int64
	requests atomic.Int64
}

func (d *asked) ReadRange(ctx context.Context, key string, offset, n int64, version string) (driver.Range, error) {
	d.requests.Add(1)
	d.waiting.Add(1)
	defer d.waiting.Add(-1)
	select {
	case <-time.After(time.Second + time.Duration(offset)*time.Microsecond): // one after the other
	case <-ctx.Done():
		return driver.Range{}, ctx.Err()
	}
	return d.Store.ReadRange(ctx, key, offset, n, version)
}

// What was requested before the format was known ends once it is, and what was fetched
// ahead is no more than the first range: the index says what is read. Nothing is left of
// an object that was read, or left.
func TestIndexedFetchesWhatItNeeds(t *testing.T) {
	const rangeSize = 256 << 10
	var records []string
	for i := range 200 {
		records = append(records, fmt.Sprint(i, strings.Repeat("x", 20_000)))
	}
	for _, tc := range []struct {
		why    string
		sought int // records that are read
		err    error
	}{
		{"read to its end", len(records), nil},
		{"left in the middle", 50, stream.Stop},
		{"left after an error", 50, errTrap},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &asked{Store: faultstore.New(nil)}
			stored := shelf(records)
			d.Add(faultstore.Item{Key: "a.shelf", Content: faultstore.Bytes(stored)})
			s := blob.New(d, &blob.Options{Retry: &blob.Retry{NoHedge: true}})
			pool := stream.NewPool(&stream.PoolOptions{Memory: 64 << 20, Workers: 2})
			n := 0
			_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
				synctest.Wait()
				if waiting, open := d.waiting.Load(), d.Counts().Open; waiting > 0 || open > 0 {
					t.Errorf("%s: after %d records %d requests wait, %d bodies are open, want none between reads", tc.why, n, waiting, open)
				}
				if n += b.Len(); n >= tc.sought {
					return tc.err
				}
				return nil
			}), &stream.Options{Lanes: 1, Read: stream.WithIndexed(stream.ReadOptions{Pool: pool, RangeSize: rangeSize, InFlight: 8}, shelfFormat)})
			if tc.err == errTrap && !errors.Is(err, errTrap) || tc.err != errTrap && err != nil {
				t.Errorf("%s: got %v", tc.why, err)
			}
			if got := d.Counts().Bytes; got > int64(len(stored)+rangeSize+100) {
				t.Errorf("%s: got %d bytes of an object of %d, want no more than a range beside it", tc.why, got, len(stored))
			}
			requests := d.requests.Load()
			time.Sleep(time.Hour)
			synctest.Wait()
			if held, claims, permits := pool.Held(); held != 0 || claims != 0 || permits != 0 {
				t.Errorf("%s: %d bytes, %d claims, %d permits are still taken", tc.why, held, claims, permits)
			}
			if waiting, open, later := d.waiting.Load(), d.Counts().Open, d.requests.Load()-requests; waiting > 0 || open > 0 || later > 0 {
				t.Errorf("%s: after the job %d requests wait, %d bodies are open, %d requests were sent, want none", tc.why, waiting, open, later)
			}
		})
	}
}

// A record of an indexed format may have MaxRecord bytes, as any other. The format knows
// the limit, and gets no slab that is larger than MaxRecord and a lane's slab.
func TestIndexedRecordLimit(t *testing.T) {
	const limit, slab = 300_000, 128 << 10
	for _, tc := range []struct {
		why  string
		size int
		good bool
		of   bool // the error is the record's: others follow
	}{
		{"of the limit", limit, true, false},
		{"a byte more", limit + 1, false, true},
		{"the most that a slab can hold", limit + slab, false, true},
		{"larger than any slab", limit + slab + 1, false, false},
		{"far larger", 10 * limit, false, false},
	} {
		most, told := 0, 0
		format := shelfFormat
		format.Open = func(r io.ReaderAt, size int64, opts *indexed.Options) (indexed.Reader, error) {
			told = opts.MaxRecord
			rd, err := shelfFormat.Open(r, size, opts)
			return &slabSizes{rd, &most}, err
		}
		s := store(t, map[string][]byte{"a.shelf": shelf([]string{"before", strings.Repeat("x", tc.size), "after"})})
		for _, policy := range []stream.OversizedPolicy{stream.FailOversized, stream.SkipOversized} {
			pool := stream.NewPool(&stream.PoolOptions{Memory: 64 << 20, Workers: 1})
			read := stream.WithIndexed(stream.ReadOptions{Pool: pool, MaxRecord: limit, Oversized: policy}, format)
			var got []int
			var failed error
			for rec, err := range stream.Records(t.Context(), s, "a.shelf", &stream.RecordsOptions{Read: read}) {
				if err != nil {
					failed = err
					continue
				}
				got = append(got, len(rec.Data))
			}
			want := []int{6}
			switch {
			case tc.good:
				want = append(want, tc.size, 5)
			case tc.of && policy == stream.SkipOversized:
				want = append(want, 5)
			}
			refused := !tc.good && (policy == stream.FailOversized || !tc.of)
			if tc.of && policy == stream.FailOversized && len(got) == 2 {
				want = append(want, 5) // after the record's error the others follow
			}
			if !slices.Equal(got, want) || (failed != nil) != refused || refused && (!errors.Is(failed, frame.ErrTooLong) || stream.ClassOf(failed) != stream.ClassOversized) {
				t.Errorf("%s, policy %v: got records of %d bytes and %v, want %d and an error %v", tc.why, policy, got, failed, want, refused)
			}
			if told != limit || most > limit+slab {
				t.Errorf("%s: the format got a limit of %d and a slab of %d bytes, want %d and at most %d", tc.why, told, most, limit, limit+slab)
			}
			if held, _, _ := pool.Held(); held != 0 {
				t.Errorf("%s: %d bytes are still taken", tc.why, held)
			}
		}
	}
}

// slabSizes notes the largest slab that was to be filled.
type slabSizes struct {
	indexed.Reader
	most *int
}

func (r *slabSizes) Fill(slab []byte, ends []uint32) ([]uint32, error) {
	*r.most = max(*r.most, len(slab))
	return r.Reader.Fill(slab, ends)
}
