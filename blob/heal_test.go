package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// faults are all kinds, and whether a read heals when one strikes once.
var faults = []struct {
	kind  string
	heals bool
}{
	{"reset", true}, {"short", true}, {"stall", true}, {"hang", true}, {"busy", true},
	{"whole", true}, {"shifted", true}, {"empty reads", true},
	{"replaced", false}, {"doubled", false},
}

// Every kind of fault at every kind of place: the bytes are exact, or the error
// names key and offset and the bytes before it are exact.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	const ranges, size = 4, 20 << 10
	const last = (ranges-1)*size + 1000 // the last range is short
	places := map[string]int64{
		"first byte": 0, "second byte": 1, "middle of the first range": size / 2,
		"before a border": size - 1, "a border": size, "behind a border": size + 1,
		"middle": 2*size + 1234, "before the last border": 3*size - 1, "the last border": 3 * size,
		"before the last byte": last - 2, "last byte": last - 1,
	}
	data := pattern(last)
	for _, c := range faults {
		for place, at := range places {
			for _, inFlight := range []int{1, 0} {
				t.Run(fmt.Sprint(c.kind, " at ", place, " in flight ", inFlight), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						struck := false
						f := &flaky{data: data, latency: 30 * time.Millisecond, piece: 3 << 10}
						f.fault = func(n int, offset, length int64) fault {
							f.mu.Lock()
							defer f.mu.Unlock()
							if struck || at < offset || at >= offset+length || c.kind == "replaced" && n == 0 {
								return fault{}
							}
							struck = true
							return fault{kind: c.kind, after: at - offset}
						}
						start := time.Now()
						got, err := readOnce(t, f, f.store(nil), &blob.ReaderOptions{RangeSize: size, InFlight: inFlight})
						checkOutcome(t, data, got, err)
						if first := at < size; err != io.EOF && (c.heals || c.kind == "replaced" && first) {
							t.Errorf("got %v, want the fault healed", err)
						} else if !c.heals && !(c.kind == "replaced" && first) && !errors.Is(err, blob.ErrChanged) {
							t.Errorf("got %v, want %v", err, blob.ErrChanged)
						}
						if took := time.Since(start); took > time.Minute {
							t.Errorf("took %v, want under a minute", took)
						}
					})
				})
			}
		}
	}
}

// readOnce reads all, and checks that nothing is left behind.
func readOnce(t *testing.T, f *flaky, s *blob.Store, opts *blob.ReaderOptions) ([]byte, error) {
	t.Helper()
	var got []byte
	r, err := s.NewReader(t.Context(), "k", opts)
	if err == nil {
		got, err = readToEnd(r)
		r.Close()
	}
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open != 0 || f.zero != 0 {
		t.Errorf("got %d bodies left open and %d requests for no bytes, want none", f.open, f.zero)
	}
	if b, ok := opts.Budget.(*budget); ok && b.held() != 0 {
		t.Errorf("budget holds %d bytes after Close, want 0", b.held())
	}
	return got, err
}

// checkOutcome holds a read to its promise: all the bytes and io.EOF, or those before a typed
// error that says where it struck.
func checkOutcome(t *testing.T, want, got []byte, err error) {
	t.Helper()
	if err == io.EOF {
		if !bytes.Equal(got, want) {
			t.Errorf("got %d bytes and the end, want %d exact ones", len(got), len(want))
		}
		return
	}
	be, ok := errors.AsType[*blob.Error](err)
	if !ok || be.Key != "k" || be.Op != "read" {
		t.Errorf("got error %v (%T), want a *blob.Error that names the key", err, err)
		return
	}
	if !bytes.HasPrefix(want, got) || be.Offset != int64(len(got)) {
		t.Errorf("got %d bytes before %v, want the exact ones up to its offset", len(got), be)
	}
}

// Random schedules of faults, in virtual time.
func TestFaultSchedules(t *testing.T) {
	t.Parallel()
	schedules := 3000
	if testing.Short() {
		schedules = 300
	}
	data := pattern(200 << 10)
	const workers = 4
	for w := range workers {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			t.Parallel()
			for i := w; i < schedules; i += workers {
				synctest.Test(t, func(t *testing.T) { schedule(t, data, uint64(i)) })
				if t.Failed() {
					t.Fatalf("schedule %d", i)
				}
			}
		})
	}
}

func schedule(t *testing.T, data []byte, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	size := rnd.IntN(len(data))
	rangeSize := int64(1 + rnd.IntN(size/3+1) + size/20)
	share := []float64{0, 0.02, 0.1, 0.3, 0.6}[rnd.IntN(5)]
	f := &flaky{data: data[:size], latency: time.Duration(rnd.IntN(50)) * time.Millisecond, piece: 1 + rnd.IntN(64<<10)}
	if f.piece < size/100 {
		f.piece = size / 100
	}
	kinds := faults[:len(faults)-2]
	if rnd.IntN(4) == 0 {
		kinds = faults
	}
	f.fault = func(n int, offset, length int64) fault {
		f.mu.Lock()
		defer f.mu.Unlock()
		if rnd.Float64() >= share {
			return fault{}
		}
		bad := fault{kind: kinds[rnd.IntN(len(kinds))].kind, after: rnd.Int64N(length)}
		if rnd.IntN(3) == 0 {
			bad.wait = time.Duration(rnd.IntN(3000)) * time.Millisecond
		}
		return bad
	}
	opts := &blob.ReaderOptions{RangeSize: rangeSize, InFlight: rnd.IntN(6)}
	if rnd.IntN(2) == 0 {
		opts.Object = sized(int64(size))
	}
	if rnd.IntN(2) == 0 {
		opts.Budget = &budget{left: int64(rnd.IntN(4)) * 128 << 10}
	}
	if rnd.IntN(2) == 0 {
		opts.ReadAhead = 1 + rnd.Int64N(1<<20)
	}
	retry := &blob.Retry{Stall: time.Duration(1+rnd.IntN(20)) * time.Second, NoHedge: rnd.IntN(3) == 0}
	got, err := readOnce(t, f, f.store(retry), opts)
	checkOutcome(t, f.data, got, err)
	if share == 0 && err != io.EOF {
		t.Errorf("got %v without a fault, want the end", err)
	}
}
