package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
)

var _ io.ReaderAt = (*blob.ReaderAt)(nil)

// Any part is exact, by one request or several, many callers at a time.
func TestReaderAt(t *testing.T) {
	t.Parallel()
	data := pattern(5000)
	mem := memstore.New()
	local := blob.New(mem, nil)
	put(t, local, "k", data)
	for name, s := range map[string]*blob.Store{"local": local, "remote": blob.New(remote{mem}, nil)} {
		r, err := s.NewReaderAt(t.Context(), "k", &blob.ReaderOptions{RangeSize: 700, InFlight: 3})
		if err != nil {
			t.Fatal(err)
		}
		if r.Size() != 5000 || r.Object().Version != "1" {
			t.Errorf("%s: got %+v, want size and version", name, r.Object())
		}
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(g), 1))
				for range 50 {
					off, n := rnd.IntN(5200), rnd.IntN(3000)
					p := make([]byte, n)
					got, err := r.ReadAt(p, int64(off))
					want := data[min(off, 5000):min(off+n, 5000)]
					if !bytes.Equal(p[:got], want) || (err == io.EOF) != (off+n > 5000) || err != nil && err != io.EOF {
						t.Errorf("%s: ReadAt of %d at %d: got %d bytes, %v, want %d", name, n, off, got, err, len(want))
					}
				}
			})
		}
		all.Wait()
		r.Close()
		r.Close()
		if _, err := r.ReadAt(make([]byte, 1), 0); err == nil {
			t.Errorf("%s: got no error after Close", name)
		}
	}
	if _, err := local.NewReaderAt(t.Context(), "missing", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := local.NewReaderAt(t.Context(), "k", &blob.ReaderOptions{Object: pinned("0")}); !errors.Is(err, blob.ErrChanged) {
		t.Errorf("got %v, want %v", err, blob.ErrChanged)
	}
}

// Of an object whose size is known nothing is asked before it is read; a read of n
// ranges is n requests, side by side.
func TestReaderAtRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{data: pattern(5000), latency: 900 * time.Millisecond}
		r, err := f.store(nil).NewReaderAt(t.Context(), "k", &blob.ReaderOptions{Object: sized(5000), RangeSize: 1000, InFlight: 4})
		if err != nil || f.sent != 0 {
			t.Fatalf("got %v after %d requests, want none", err, f.sent)
		}
		defer r.Close()
		start := time.Now()
		if n, err := r.ReadAt(make([]byte, 5000), 0); n != 5000 || err != nil || f.sent != 5 || f.zero != 0 {
			t.Errorf("got %d bytes, %v by %d requests, want 5", n, err, f.sent)
		}
		if took := time.Since(start); took != 1800*time.Millisecond {
			t.Errorf("took %v, want the latency of four and one", took)
		}
		if n, err := r.ReadAt(nil, 100); n != 0 || err != nil || f.sent != 5 {
			t.Errorf("got %d, %v by %d requests for no bytes, want none", n, err, f.sent-5)
		}
	})
}

// An object that is known to be empty is read without a request; a Reader looks that
// it is empty still.
func TestKnownToBeEmpty(t *testing.T) {
	t.Parallel()
	f := &fake{version: "v"}
	known := &blob.ReaderOptions{Object: &blob.Object{Key: "k", Version: "v"}}
	at, err := f.store().NewReaderAt(t.Context(), "k", known)
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	if n, err := at.ReadAt(make([]byte, 1), 0); n != 0 || err != io.EOF || len(f.calls) != 0 {
		t.Errorf("got %d bytes, %v after %d requests, want the end after none", n, err, len(f.calls))
	}
	if got := readAll(t, f.store(), known, 1); len(got) != 0 || len(f.calls) != 1 || f.calls[0].version != "v" {
		t.Errorf("got %d bytes by %+v, want none by one request of the version", len(got), f.calls)
	}
}

// Every kind of fault at every kind of place, as for a Reader.
func TestReaderAtHeals(t *testing.T) {
	t.Parallel()
	const size, rangeSize = 4000, 1000
	data := pattern(size)
	for _, c := range faults {
		for _, at := range []int64{0, 1, 999, 1000, 1001, 2500, 3999} {
			t.Run(fmt.Sprint(c.kind, " at ", at), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					struck := false
					f := &flaky{data: data, latency: 30 * time.Millisecond, piece: 100}
					f.fault = func(n int, offset, length int64) fault {
						f.mu.Lock()
						defer f.mu.Unlock()
						if struck || at < offset || at >= offset+length || c.kind == "replaced" && n == 0 {
							return fault{}
						}
						struck = true
						return fault{kind: c.kind, after: at - offset}
					}
					r, err := f.store(nil).NewReaderAt(t.Context(), "k", &blob.ReaderOptions{Object: sized(size), RangeSize: rangeSize})
					if err != nil {
						t.Fatal(err)
					}
					p := make([]byte, size)
					n, err := r.ReadAt(p, 0)
					r.Close()
					synctest.Wait()
					if f.open != 0 {
						t.Errorf("got %d bodies left open, want 0", f.open)
					}
					if err == nil {
						err = io.EOF
					}
					checkOutcome(t, data, p[:n], err)
					if c.heals && err != io.EOF {
						t.Errorf("got %v, want the fault healed", err)
					}
				})
			})
		}
	}
}
