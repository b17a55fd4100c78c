package faultstore_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

var schedules = flag.Int("schedules", 400, "random schedules of faults to read under")

// final are the classes in which a read or a listing may end.
var final = []error{blob.ErrTransient, blob.ErrChanged, io.ErrUnexpectedEOF, fs.ErrPermission, fs.ErrNotExist}

// TestSchedules reads and lists under random faults, in virtual time. An outcome is
// everything, or what came before a typed error that names where it struck.
func TestSchedules(t *testing.T) {
	t.Parallel()
	const workers = 4
	for w := range workers {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			t.Parallel()
			for seed := w; seed < *schedules && !t.Failed(); seed += workers {
				synctest.Test(t, func(t *testing.T) {
					c := newSchedule(uint64(seed))
					c.read(t)
					c.list(t)
					if t.Failed() {
						t.Logf("seed %d: %d bytes, %+v, %v, without preconditions %v, %+v", seed, len(c.data), c.options, c.rates, c.without, c.link)
					}
				})
			}
		})
	}
}

// schedule is a store under faults, as a seed draws it.
type schedule struct {
	rnd     *rand.Rand
	data    []byte
	rates   faultstore.Rates
	without bool // preconditions
	page    int
	link    simstore.Link
	options blob.ReaderOptions

	faults *faultstore.Store
	store  *blob.Store
}

func newSchedule(seed uint64) *schedule {
	r := rand.New(rand.NewPCG(seed, 7))
	c := &schedule{rnd: r, data: pattern(r.IntN(1 + 1<<r.IntN(19))), page: 1 + r.IntN(20), without: r.IntN(3) == 0}
	c.rates = faultstore.Rates{}
	share := []float64{0, 0.01, 0.05, 0.2, 0.6}[r.IntN(5)]
	kinds := faultstore.Kinds(faultstore.Read)
	kinds = append(kinds, faultstore.BrokenPage, faultstore.NoToken, faultstore.Disorder, faultstore.Duplicate)
	for range 1 + r.IntN(4) {
		c.rates[kinds[r.IntN(len(kinds))]] = share
	}
	c.link = simstore.Link{FirstByte: time.Duration(r.IntN(50)) * time.Millisecond}
	if r.IntN(2) == 0 {
		c.link.PerConn = int64(1 + r.IntN(1e7))
	}
	c.options = blob.ReaderOptions{
		RangeSize: int64(1 + r.IntN(len(c.data)/2+1) + len(c.data)/50),
		InFlight:  r.IntN(6),
	}
	c.faults = faultstore.New(&faultstore.Options{Plan: faultstore.Random(seed, c.rates), Page: c.page, NoPreconditions: c.without})
	c.store = blob.New(simstore.New(c.faults, c.link), nil)
	return c
}

func (c *schedule) read(t *testing.T) {
	c.faults.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes(c.data)})
	var got []byte
	r, err := c.store.NewReader(t.Context(), "k", &c.options)
	if err == nil {
		buf := make([]byte, 1+c.rnd.IntN(100_000))
		for err == nil {
			var n int
			n, err = r.Read(buf)
			got = append(got, buf[:n]...)
			if c.rnd.IntN(4) == 0 {
				time.Sleep(time.Duration(c.rnd.IntN(50)) * time.Millisecond)
			}
		}
		r.Close()
	}
	be, typed := errors.AsType[*blob.Error](err)
	switch {
	case err == io.EOF && !bytes.Equal(got, c.data) && !bytes.Equal(got, flip(c.data)):
		t.Errorf("got %d bytes and a clean end, want %d of one version", len(got), len(c.data))
	case err == io.EOF:
	case !typed || be.Key != "k" || be.Offset != int64(len(got)) || !isOneOf(err, final):
		t.Errorf("got %v behind %d bytes, want a typed error of a known class with key and offset", err, len(got))
	case !bytes.HasPrefix(c.data, got) && !bytes.HasPrefix(flip(c.data), got):
		t.Errorf("got %d bytes before %v, want those of one version", len(got), err)
	}
	synctest.Wait()
	if n := c.faults.Counts(); n.Open != 0 {
		t.Errorf("got %d bodies open after Close, want none", n.Open)
	}
}

func (c *schedule) list(t *testing.T) {
	want := []string{"k"}
	for i := range c.rnd.IntN(100) {
		key := fmt.Sprintf("k/%03d", i)
		c.faults.Add(faultstore.Item{Key: key})
		want = append(want, key)
	}
	var got []string
	var err error
	for obj, e := range c.store.List(nil).Objects(t.Context(), blob.Mark{}) {
		if err = e; e == nil {
			got = append(got, obj.Key)
		}
	}
	switch {
	case err == nil && !slices.Equal(got, want):
		t.Errorf("got a listing of %d keys without error, want %d", len(got), len(want))
	case c.rates[faultstore.Disorder] > 0:
		// What is told too early shows when the next one comes.
	case len(got) > len(want) || !slices.Equal(got, want[:len(got)]):
		t.Errorf("got %q before %v, want the first of %q", got, err, want)
	}
}

func isOneOf(err error, classes []error) bool {
	return slices.ContainsFunc(classes, func(c error) bool { return errors.Is(err, c) })
}

// flip is what a replacement holds.
func flip(data []byte) []byte {
	out := make([]byte, len(data))
	for i, b := range data {
		out[i] = ^b
	}
	return out
}
