package blob_test

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// readTimes reads an object of one range n times and gives the requests that ended.
func readTimes(t *testing.T, f *flaky, s *blob.Store, n int, opts blob.ReaderOptions) (reqs []blob.Request) {
	t.Helper()
	opts.OnRequest = func(q blob.Request) { reqs = append(reqs, q) }
	for range n {
		got, err := readOnce(t, f, s, &opts)
		checkOutcome(t, f.data, got, err)
		if err != io.EOF {
			t.Fatalf("got %v, want the end", err)
		}
	}
	return reqs
}

// A response that is much later than others is raced by a second request, and the
// one that comes first is read.
func TestHedgeOfALateResponse(t *testing.T) {
	t.Parallel()
	const size = 200 << 10 // too large for the reader's own goroutine
	for _, c := range []struct {
		name   string
		size   int
		late   time.Duration
		retry  *blob.Retry
		want   time.Duration // of the late read
		hedged int
	}{
		{"late", size, 10 * time.Second, nil, 250*time.Millisecond + 50*time.Millisecond, 1},
		{"late, small", 1000, 10 * time.Second, nil, 250*time.Millisecond + 50*time.Millisecond, 1},
		{"not late enough", size, 190 * time.Millisecond, nil, 240 * time.Millisecond, 0},
		{"the first one answers first after all", size, 240 * time.Millisecond, nil, 290 * time.Millisecond, 1},
		{"turned off", size, 10 * time.Second, &blob.Retry{NoHedge: true}, 10*time.Second + 50*time.Millisecond, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{data: pattern(c.size), latency: 50 * time.Millisecond}
				s := f.store(c.retry)
				readTimes(t, f, s, 20, blob.ReaderOptions{})
				f.fault = func(n int, _, _ int64) fault {
					if n == 20 {
						return fault{wait: c.late}
					}
					return fault{}
				}
				start := time.Now()
				reqs := readTimes(t, f, s, 1, blob.ReaderOptions{})
				if took := time.Since(start); took != c.want {
					t.Errorf("took %v, want %v", took, c.want)
				}
				hedged, failed := 0, 0
				for _, q := range reqs {
					if q.Hedged {
						hedged++
					}
					if q.Err != nil {
						failed++
					}
				}
				if hedged != c.hedged || failed != c.hedged || len(reqs) != 1+c.hedged {
					t.Errorf("got %d requests, %d hedges, %d given up, want %d hedges, each of two reported once", len(reqs), hedged, failed, c.hedged)
				}
			})
		})
	}
}

// A body that pauses is raced too, and so is one that is far behind its siblings.
func TestHedgeOfASlowBody(t *testing.T) {
	t.Parallel()
	const rangeSize = 1 << 20
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{data: pattern(rangeSize), latency: 50 * time.Millisecond, piece: 32 << 10}
		f.fault = func(n int, _, _ int64) fault {
			if n == 0 {
				return fault{kind: "stall", after: rangeSize / 2}
			}
			return fault{}
		}
		start := time.Now()
		reqs := readTimes(t, f, f.store(nil), 1, blob.ReaderOptions{})
		if took, want := time.Since(start), 50*time.Millisecond+time.Second+50*time.Millisecond; took != want {
			t.Errorf("took %v, want %v", took, want)
		}
		if len(reqs) != 2 || !slices.ContainsFunc(reqs, func(q blob.Request) bool { return q.Hedged && q.Got == rangeSize/2 && q.Err == nil }) {
			t.Errorf("got %+v, want a hedge of the second half", reqs)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		// One body trickles: 100 bytes each 10 ms, 105 s in all.
		f := &flaky{data: pattern(16 * rangeSize), latency: 50 * time.Millisecond}
		s := blob.New(&trickle{f}, nil)
		start := time.Now()
		reqs := readTimes(t, f, s, 1, blob.ReaderOptions{RangeSize: rangeSize})
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("took %v, want the slow range overtaken within 3s", took)
		}
		if len(reqs) != 17 {
			t.Errorf("got %d requests, want 16 and a hedge", len(reqs))
		}
	})
}

// Hedges are at most 8 and 5 % of the requests, however slow the store is.
func TestHedgesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{data: pattern(100), latency: 50 * time.Millisecond}
		s := f.store(nil)
		readTimes(t, f, s, 20, blob.ReaderOptions{})
		f.latency = 5 * time.Second
		// The first dozen are late; then they are what is usual.
		hedged, sent := 0, 0
		for i := range 200 {
			f.latency = time.Duration(5+5*i) * time.Second / 5
			for _, q := range readTimes(t, f, s, 1, blob.ReaderOptions{}) {
				if sent++; q.Hedged {
					hedged++
				}
			}
			if f.latency > 12*time.Second {
				break
			}
		}
		if want := 8 + sent/20; hedged > want || hedged == 0 {
			t.Errorf("got %d hedges of %d requests, want 1 to %d", hedged, sent, want)
		}
	})
}

// Local stores are never raced.
func TestNoHedgeOfLocalStores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{data: pattern(1000)}
		f.fault = func(n int, _, _ int64) fault { return fault{wait: time.Hour} }
		reqs := readTimes(t, f, blob.New(localFlaky{f}, nil), 1, blob.ReaderOptions{})
		if fmt.Sprint(len(reqs)) != "1" || reqs[0].FirstByte != time.Hour {
			t.Errorf("got %+v, want one request of an hour", reqs)
		}
	})
}
