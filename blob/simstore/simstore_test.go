package simstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/driver/drivertest"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/blob/simstore"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	link := simstore.Link{PerConn: 1e9, Total: 4e9}
	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
		return drivertest.Harness{Driver: simstore.New(memstore.New(), link)}
	})
}

const ttfb = 30 * time.Millisecond

// filled is a store of n objects of size bytes behind a link.
func filled(t *testing.T, link simstore.Link, n, size int) driver.Driver {
	t.Helper()
	mem := memstore.New()
	for i := range n {
		if _, err := mem.Put(t.Context(), key(i), bytes.NewReader(make([]byte, size)), int64(size), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	return simstore.New(mem, link)
}

func key(i int) string { return fmt.Sprintf("k/%06d", i) }

// read reads a range whole by a buffer of the given size.
func read(t *testing.T, d driver.Driver, key string, offset, length int64, buffer int) {
	rng, err := d.ReadRange(t.Context(), key, offset, length, "")
	if err != nil {
		t.Error(err)
		return
	}
	defer rng.Body.Close()
	// The writer is not a bytes.Buffer or io.Discard, which choose a buffer.
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, rng.Body, make([]byte, buffer)); err != nil {
		t.Error(err)
	}
}

func TestReadTakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		link   simstore.Link
		reads  int // at once
		buffer int
		want   time.Duration
	}{
		{"nothing without a link", simstore.Link{}, 4, 32 << 10, 0},
		{"the first byte's time, however many read", simstore.Link{FirstByte: ttfb}, 16, 32 << 10, ttfb},
		{"size by the connection's rate", simstore.Link{FirstByte: ttfb, PerConn: 1e6}, 8, 32 << 10, ttfb + time.Second},
		{"the same with small reads", simstore.Link{FirstByte: ttfb, PerConn: 1e6}, 1, 100, ttfb + time.Second},
		{"the same with large reads", simstore.Link{FirstByte: ttfb, PerConn: 1e6}, 1, 8 << 20, ttfb + time.Second},
		{"the sum by the total rate", simstore.Link{FirstByte: ttfb, PerConn: 1e6, Total: 2e6}, 8, 32 << 10, ttfb + 4*time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := filled(t, c.link, 1, 1e6)
				start := time.Now()
				var wg sync.WaitGroup
				for range c.reads {
					wg.Go(func() { read(t, d, key(0), 0, -1, c.buffer) })
				}
				wg.Wait()
				if got := time.Since(start); got != c.want {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		})
	}
}

// Bytes come as they pass, not when all have.
func TestBodyIsProgressive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := filled(t, simstore.Link{FirstByte: ttfb, PerConn: 85e6}, 1, 8<<20)
		start := time.Now()
		rng, err := d.ReadRange(t.Context(), key(0), 0, -1, "")
		if err != nil {
			t.Fatal(err)
		}
		defer rng.Body.Close()
		if got := time.Since(start); got != ttfb {
			t.Errorf("response: got %v, want %v", got, ttfb)
		}
		n, err := rng.Body.Read(make([]byte, 8<<20))
		if got, want := time.Since(start), ttfb+2*time.Millisecond; n == 0 || err != nil || got != want {
			t.Errorf("first read: got %d bytes, %v after %v, want some after %v", n, err, got, want)
		}
	})
}

func TestOtherCallsTakeTheFirstByte(t *testing.T) {
	t.Parallel()
	list := func(n int) func(context.Context, driver.Driver) error {
		return func(ctx context.Context, d driver.Driver) error {
			seen := 0
			for _, err := range d.List(ctx, "", "") {
				if err != nil {
					return err
				}
				seen++
			}
			if seen != n {
				return fmt.Errorf("%d objects of %d", seen, n)
			}
			return nil
		}
	}
	for _, c := range []struct {
		name    string
		objects int
		call    func(context.Context, driver.Driver) error
		want    time.Duration
	}{
		{"stat", 1, func(ctx context.Context, d driver.Driver) error { _, err := d.Stat(ctx, key(0)); return err }, ttfb},
		{"put", 0, func(ctx context.Context, d driver.Driver) error {
			_, err := d.Put(ctx, "k", bytes.NewReader(nil), 0, driver.Condition{})
			return err
		}, ttfb},
		{"delete", 1, func(ctx context.Context, d driver.Driver) error { return d.(driver.Deleter).Delete(ctx, key(0), "") }, ttfb},
		{"list of none", 0, list(0), ttfb},
		{"list of a page", 1000, list(1000), ttfb},
		{"list of a page and one", 1001, list(1001), 2 * ttfb},
		{"list of three pages", 2500, list(2500), 3 * ttfb},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := filled(t, simstore.Link{FirstByte: ttfb, PerConn: 1, Total: 1}, c.objects, 0)
				start := time.Now()
				if err := c.call(t.Context(), d); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != c.want {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestContextEndsWaits(t *testing.T) {
	t.Parallel()
	const after = 5 * time.Millisecond
	for _, c := range []struct {
		name string
		link simstore.Link
	}{
		{"for the first byte", simstore.Link{FirstByte: time.Hour}},
		{"for the body", simstore.Link{PerConn: 1}},
		{"for the total", simstore.Link{Total: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := filled(t, c.link, 1, 1000)
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), after)
				defer cancel()
				rng, err := d.ReadRange(ctx, key(0), 0, -1, "")
				if err == nil {
					_, err = io.Copy(io.Discard, rng.Body)
					rng.Body.Close()
				}
				if got := time.Since(start); got != after || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v after %v, want %v after %v", err, got, context.DeadlineExceeded, after)
				}
			})
		})
	}
}

func TestCloseEndsAWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := filled(t, simstore.Link{PerConn: 1}, 1, 1000)
		rng, err := d.ReadRange(t.Context(), key(0), 0, -1, "")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		got := make(chan error)
		go func() {
			_, err := rng.Body.Read(make([]byte, 1000))
			got <- err
		}()
		synctest.Wait()
		rng.Body.Close()
		if err := <-got; !errors.Is(err, fs.ErrClosed) || time.Since(start) != 0 {
			t.Errorf("got %v after %v, want %v at once", err, time.Since(start), fs.ErrClosed)
		}
	})
}

// bare is a driver with no more than it must have.
type bare struct{ driver.Driver }

// restoring is a driver that restores.
type restoring struct {
	driver.Driver
	asked []string
}

func (r *restoring) Restore(_ context.Context, key string, _ driver.RestoreRequest) error {
	r.asked = append(r.asked, key)
	return nil
}

// closing counts its ends.
type closing struct {
	*memstore.Driver
	closed int
}

func (c *closing) Close() error { c.closed++; return nil }

func TestAbilitiesPass(t *testing.T) {
	t.Parallel()
	mem := memstore.New()
	res := &restoring{Driver: mem}
	both := struct {
		*memstore.Driver
		driver.Restorer
	}{mem, res}
	for _, c := range []struct {
		name              string
		driver            driver.Driver
		deletes, restores bool
		traits            driver.Traits
	}{
		{"none", bare{mem}, false, false, driver.Traits{}},
		{"delete", mem, true, false, driver.Traits{PutAbsent: true, PutVersion: true, DeleteVersion: true}},
		{"restore", res, false, true, driver.Traits{}},
		{"both", both, true, true, driver.Traits{PutAbsent: true, PutVersion: true, DeleteVersion: true}},
	} {
		d := simstore.New(c.driver, simstore.Link{})
		deletes := !errors.Is(d.Delete(t.Context(), "nothing", ""), driver.ErrUnsupported)
		err := d.Restore(t.Context(), c.name, driver.RestoreRequest{})
		restores := !errors.Is(err, driver.ErrUnsupported)
		if deletes != c.deletes || restores != c.restores {
			t.Errorf("%s: got deletes %v, restores %v, want %v, %v", c.name, deletes, restores, c.deletes, c.restores)
		}
		if got := d.Traits(); got != c.traits {
			t.Errorf("%s: got traits %+v, want %+v", c.name, got, c.traits)
		}
		if restores {
			if err != nil || res.asked[len(res.asked)-1] != c.name {
				t.Errorf("%s: got %v and %q, want the key asked for", c.name, err, res.asked)
			}
		}
	}
	if got := simstore.New(mem, simstore.Link{}).Name(); got != mem.Name() {
		t.Errorf("got the name %q, want %q", got, mem.Name())
	}
	inner := &closing{Driver: mem}
	if err := simstore.New(inner, simstore.Link{}).Close(); err != nil || inner.closed != 1 {
		t.Errorf("got %v and %d ends, want the driver closed once", err, inner.closed)
	}
}
