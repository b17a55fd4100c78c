package blob_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// A Reader that nobody reads keeps one buffer at most when it is asked to drop what
// it has fetched ahead, returns the rest to the Budget, and goes on where it was.
func TestDropReadAhead(t *testing.T) {
	t.Parallel()
	const chunk = 128 << 10
	for _, c := range []struct {
		why       string
		read      int // before
		rangeSize int64
		inFlight  int
		twice     bool
	}{
		{why: "nothing read yet", rangeSize: 100 * chunk},
		{why: "in the middle of a buffer", read: chunk / 2, rangeSize: 100 * chunk},
		{why: "at the end of a buffer", read: chunk, rangeSize: 100 * chunk},
		{why: "several ranges", read: 5*chunk + 1, rangeSize: 2 * chunk, inFlight: 8},
		{why: "asked again", read: 3, rangeSize: 2 * chunk, inFlight: 8, twice: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{data: pattern(20 * chunk), version: "v"}
			b := &budget{left: 100 * chunk}
			r, err := f.store().NewReader(t.Context(), "k", &blob.ReaderOptions{
				RangeSize: c.rangeSize, InFlight: c.inFlight, Budget: b,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got := make([]byte, c.read)
			if _, err := io.ReadFull(r, got); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			r.DropReadAhead()
			if c.twice {
				r.DropReadAhead()
			}
			synctest.Wait()
			if n := r.Buffered(); n > chunk {
				t.Errorf("%s: %d bytes are buffered, want one buffer at most", c.why, n)
			}
			if n := b.held(); n != 0 {
				t.Errorf("%s: the budget holds %d bytes, want none", c.why, n)
			}
			rest, err := io.ReadAll(r)
			if got = append(got, rest...); err != nil || !bytes.Equal(got, f.data) {
				t.Errorf("%s: got %d bytes, %v, want %d", c.why, len(got), err, len(f.data))
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := &fake{data: pattern(chunk), version: "v"}
		r, err := f.store().NewReader(t.Context(), "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		r.DropReadAhead() // after the end there is nothing to drop
	})
}

// Whenever read-ahead is dropped, whatever else befalls the requests, the bytes are
// the same and nothing is left behind.
func TestDropReadAheadSchedules(t *testing.T) {
	t.Parallel()
	schedules := 2000
	if testing.Short() {
		schedules = 300
	}
	for seed := range uint64(schedules) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 20))
			share := []float64{0, 0, 0.1, 0.3}[rnd.IntN(4)]
			f := &flaky{data: pattern(1 + rnd.IntN(2<<20)), latency: time.Duration(rnd.IntN(50)) * time.Millisecond, piece: 20<<10 + rnd.IntN(64<<10)}
			strikes := rand.New(rand.NewPCG(seed, 21)) // of the requests' goroutines
			f.fault = func(n int, offset, length int64) fault {
				f.mu.Lock()
				defer f.mu.Unlock()
				if strikes.Float64() >= share {
					return fault{}
				}
				return fault{kind: faults[strikes.IntN(len(faults)-2)].kind, after: strikes.Int64N(length)}
			}
			b := &budget{left: int64(rnd.IntN(20)) * 128 << 10}
			r, err := f.store(nil).NewReader(t.Context(), "k", &blob.ReaderOptions{
				RangeSize: 64<<10 + rnd.Int64N(1<<20), InFlight: rnd.IntN(6), Budget: b,
			})
			if err != nil {
				if share == 0 {
					t.Errorf("seed %d: %v", seed, err)
				}
				return
			}
			stop := make(chan struct{})
			every := time.Duration(1+rnd.IntN(200)) * time.Millisecond
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(every):
						r.DropReadAhead()
					}
				}
			}()
			size, pause := 1+rnd.IntN(200<<10), time.Duration(rnd.IntN(30))*time.Millisecond
			var got []byte
			for err == nil {
				var n int
				buf := make([]byte, size)
				n, err = r.Read(buf)
				got = append(got, buf[:n]...)
				time.Sleep(pause)
			}
			close(stop)
			checkOutcome(t, f.data, got, err)
			if share == 0 && err != io.EOF {
				t.Errorf("got %v without a fault, want the end", err)
			}
			r.Close()
			synctest.Wait()
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.open != 0 || b.held() != 0 {
				t.Errorf("%d bodies left open, %d bytes held, want none", f.open, b.held())
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
