package blob_test

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// late is a service that needs as long for every answer.
type late struct {
	driver.Driver
	wait  time.Duration
	calls int
}

func (l *late) Traits() driver.Traits { return driver.Traits{} }

func (l *late) pause(ctx context.Context) error {
	l.calls++
	select {
	case <-time.After(l.wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *late) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := l.pause(ctx); err != nil {
		return driver.Object{}, err
	}
	return l.Driver.Stat(ctx, key)
}

func (l *late) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	if err := l.pause(ctx); err != nil {
		return driver.Range{}, err
	}
	return l.Driver.ReadRange(ctx, key, offset, length, version)
}

// A service that answers late is heard: each try that heard nothing makes the next one
// wait longer, up to a bound, and once it was heard no later call loses a try.
func TestLateFirstByte(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		retry  blob.Retry
		wait   time.Duration
		first  int // calls of the first read
		second int // and of the next
		ok     bool
	}{
		{"in time", blob.Retry{}, 10 * time.Second, 1, 1, true},
		{"in the second try", blob.Retry{}, 20 * time.Second, 2, 1, true},
		{"in the third", blob.Retry{}, 50 * time.Second, 3, 1, true},
		{"never", blob.Retry{}, 70 * time.Second, 6, 6, false},
		{"a longer first byte", blob.Retry{FirstByte: 75 * time.Second}, 70 * time.Second, 1, 1, true},
		{"it alone", blob.Retry{FirstByte: 75 * time.Second, Stall: time.Second}, 70 * time.Second, 1, 1, true},
		{"a shorter one", blob.Retry{FirstByte: time.Second}, 10 * time.Second, 6, 6, false},
		{"without a limit", blob.Retry{FirstByte: -1}, time.Hour, 1, 1, true},
		{"Stall stands for it", blob.Retry{Stall: time.Second}, 3 * time.Second, 3, 1, true},
	} {
		c.retry.NoHedge = true
		for _, call := range []string{"read", "stat"} {
			synctest.Test(t, func(t *testing.T) {
				d := &late{Driver: memstore.New(), wait: c.wait}
				if _, err := d.Put(t.Context(), "k", strings.NewReader("data"), 4, driver.Condition{}); err != nil {
					t.Fatal(err)
				}
				s := blob.New(d, &blob.Options{Retry: &c.retry})
				for i, want := range []int{c.first, c.second} {
					d.calls = 0
					var err error
					if call == "stat" {
						_, err = s.Stat(t.Context(), "k")
					} else {
						var r *blob.Reader
						if r, err = s.NewReader(t.Context(), "k", nil); err == nil {
							r.Close()
						}
					}
					if d.calls != want || (err == nil) != c.ok || err != nil && !errors.Is(err, blob.ErrTransient) {
						t.Errorf("%s: %s %d: got %d calls, %v, want %d and success: %t", c.name, call, i, d.calls, err, want, c.ok)
					}
				}
			})
		}
	}
}

// What the look-ups of an opening hear holds for the Source that they lead to: a slow
// service is found out once, by a refusal too.
func TestOpeningIsHeard(t *testing.T) {
	t.Parallel()
	const scheme = "heard"
	var d driver.Driver
	driver.Register(scheme, func(_ context.Context, u *url.URL) (*driver.Opened, error) {
		return &driver.Opened{Driver: d, Key: strings.TrimPrefix(u.Path, "/")}, nil
	})
	for _, c := range []struct {
		name, url string
		calls     int // of the opening
	}{
		{"an object", scheme + "://b/in/k", 2},
		{"a folder, since no object has the name", scheme + "://b/in", 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			slow := &late{Driver: memstore.New(), wait: 20 * time.Second}
			if _, err := slow.Put(t.Context(), "in/k", strings.NewReader("data"), 4, driver.Condition{}); err != nil {
				t.Fatal(err)
			}
			d = slow
			src, err := blob.OpenSource(t.Context(), c.url, &blob.SourceOptions{Open: blob.OpenOptions{Retry: &blob.Retry{NoHedge: true}}})
			if err != nil || slow.calls != c.calls {
				t.Fatalf("%s: got %v after %d calls, want nil after %d", c.name, err, slow.calls, c.calls)
			}
			r, err := src.Store.NewReader(t.Context(), "k", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			if slow.calls != c.calls+1 {
				t.Errorf("%s: got %d calls of a read after the opening, want 1", c.name, slow.calls-c.calls)
			}
		})
	}
}

// A host that does not exist is a mistyped name, and final at once, until the service
// has answered: then it is a name service that fails for a moment.
func TestNoSuchHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before error // of a call before; nil: it succeeds
		asked  bool  // there was one
		calls  int   // of the failing one
	}{
		{"nothing before", nil, false, 1},
		{"an answer before", nil, true, 6},
		{"a refusal before", fs.ErrPermission, true, 6},
		{"a missing object before", fs.ErrNotExist, true, 6},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &counted{Driver: memstore.New()}
			if _, err := d.Driver.Put(t.Context(), "k", strings.NewReader("x"), 1, driver.Condition{}); err != nil {
				t.Fatal(err)
			}
			for _, call := range []string{"stat", "read", "list"} {
				s := blob.New(d, nil)
				if c.asked {
					d.fail = func(int) error { return c.before }
					s.Stat(t.Context(), "k")
				}
				d.calls, d.fail = 0, func(int) error { return driver.ErrNoHost }
				var err error
				switch call {
				case "stat":
					_, err = s.Stat(t.Context(), "k")
				case "read":
					_, err = s.NewReader(t.Context(), "k", nil)
				case "list":
					for _, err = range s.List(nil).Objects(t.Context(), blob.Mark{}) {
					}
				}
				if d.calls != c.calls || !errors.Is(err, driver.ErrNoHost) || !errors.Is(err, blob.ErrTransient) {
					t.Errorf("%s: %s: got %d calls, %v, want %d and %v", c.name, call, d.calls, err, c.calls, driver.ErrNoHost)
				}
			}
		})
	}
}
