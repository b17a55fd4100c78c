package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// A request is asked again five times within 28 s, and then its fault is final.
func TestRetryAttempts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		retry *blob.Retry
		kind  string
		sent  int
		most  time.Duration
		want  error
	}{
		{nil, "busy", 6, 28500 * time.Millisecond, blob.ErrTransient},
		{&blob.Retry{MaxAttempts: 3}, "busy", 3, 500 * time.Millisecond, blob.ErrTransient},
		{&blob.Retry{MaxAttempts: 1}, "busy", 1, 0, blob.ErrTransient},
		{&blob.Retry{MaxAttempts: 21, MaxBackoff: time.Second}, "busy", 21, 20 * time.Second, blob.ErrTransient},
		{nil, "reset", 6, 28500 * time.Millisecond, errReset},
		{nil, "short", 6, 28500 * time.Millisecond, io.ErrUnexpectedEOF},
		{nil, "whole", 6, 28500 * time.Millisecond, blob.ErrTransient},
		{&blob.Retry{Stall: time.Second, NoHedge: true}, "hang", 6, 47500 * time.Millisecond, blob.ErrTransient},
		{&blob.Retry{Stall: time.Second, NoHedge: true}, "stall", 6, 34500 * time.Millisecond, blob.ErrTransient},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &flaky{data: pattern(1000)}
			f.fault = func(int, int64, int64) fault { return fault{kind: c.kind} }
			start := time.Now()
			attempts := 0
			got, err := readOnce(t, f, f.store(c.retry), &blob.ReaderOptions{Offset: 10, OnRequest: func(q blob.Request) {
				if attempts++; q.Attempt != attempts {
					t.Errorf("%s: got attempt %d, want %d", c.kind, q.Attempt, attempts)
				}
			}})
			if len(got) > 0 || !errors.Is(err, c.want) || f.sent != c.sent || attempts != c.sent {
				t.Errorf("%s: got %d bytes, %v after %d requests, %d reported, want %v after %d", c.kind, len(got), err, f.sent, attempts, c.want, c.sent)
			}
			if took := time.Since(start); took > c.most {
				t.Errorf("%s: took %v, want %v at most", c.kind, took, c.most)
			}
		})
	}
}

// What another try does not cure is final at once.
func TestNeverRetried(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{
		fs.ErrNotExist, fs.ErrPermission, blob.ErrChanged, blob.ErrArchived, blob.ErrUnsupported, blob.ErrConflict, errors.New("other"),
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &counted{Driver: memstore.New(), fail: func(int) error { return cause }}
			s := blob.New(d, nil)
			start := time.Now()
			_, err := s.NewReader(t.Context(), "k", nil)
			_, statErr := s.Stat(t.Context(), "k")
			restoreErr := s.Restore(t.Context(), "k", blob.RestoreRequest{})
			_, putErr := s.Put(t.Context(), "k", strings.NewReader("x"), 1, nil)
			var listErr error
			for _, listErr = range s.List(nil).Objects(t.Context(), blob.Mark{}) {
			}
			for i, err := range []error{err, statErr, restoreErr, putErr, listErr} {
				if !errors.Is(err, cause) {
					t.Errorf("call %d: got %v, want %v", i, err, cause)
				}
			}
			if d.calls != 5 || time.Since(start) != 0 {
				t.Errorf("%v: got %d calls in %v, want 5 at once", cause, d.calls, time.Since(start))
			}
		})
	}
}

// Calls of one answer heal like reads.
func TestCallsHeal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: memstore.New()}
		s := blob.New(d, nil)
		put(t, s, "k", []byte("data"))
		d.fail = func(n int) error {
			if n%3 != 0 {
				return errBusy
			}
			return nil
		}
		d.calls = 0
		if obj, err := s.Stat(t.Context(), "k"); err != nil || obj.Size != 4 {
			t.Errorf("stat: got %+v, %v, want the object", obj, err)
		}
		if err := s.Restore(t.Context(), "k", blob.RestoreRequest{Days: 2}); err != nil || d.restored != (driver.RestoreRequest{Days: 2}) {
			t.Errorf("restore: got %v of %+v, want it passed on", err, d.restored)
		}
		if _, err := s.Put(t.Context(), "k", strings.NewReader("other"), 5, nil); err != nil {
			t.Errorf("put: got %v, want it written", err)
		}
		if got := string(readAll(t, s, nil, 10)); got != "other" {
			t.Errorf("got %q, want what was put last", got)
		}
		if d.calls != 12 {
			t.Errorf("got %d calls, want 3 of each kind", d.calls)
		}
		d.hang = true
		start := time.Now()
		if _, err := s.Stat(t.Context(), "k"); !errors.Is(err, blob.ErrTransient) || time.Since(start) < 90*time.Second {
			t.Errorf("got %v after %v, want a stall after six times 15s", err, time.Since(start))
		}
	})
}

// A Put is tried again only if it can be given again and cannot meet itself.
func TestPutRetries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		r     io.Reader
		cond  blob.PutOptions
		calls int
	}{
		{"bytes", strings.NewReader("data"), blob.PutOptions{}, 6},
		{"a stream", iotest.HalfReader(strings.NewReader("data")), blob.PutOptions{}, 1},
		{"if absent", strings.NewReader("data"), blob.PutOptions{IfAbsent: true}, 1},
		{"if version", strings.NewReader("data"), blob.PutOptions{IfVersion: "v"}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &counted{Driver: memstore.New(), fail: func(int) error { return errBusy }}
			_, err := blob.New(d, nil).Put(t.Context(), "k", c.r, 4, &c.cond)
			if d.calls != c.calls || !errors.Is(err, blob.ErrTransient) {
				t.Errorf("%s: got %v after %d calls, want %d", c.name, err, d.calls, c.calls)
			}
		})
	}
}

// In an outage requests are not multiplied: what the Store repeats is bounded, and
// the error says so.
func TestRetryBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: memstore.New(), fail: func(int) error { return errBusy }}
		s := blob.New(d, &blob.Options{Retry: &blob.Retry{BudgetBurst: 10, BudgetShare: 0.1}})
		const stats = 200
		exhausted := 0
		for range stats {
			_, err := s.Stat(t.Context(), "k")
			if !errors.Is(err, blob.ErrTransient) {
				t.Fatalf("got %v, want %v", err, blob.ErrTransient)
			}
			if errors.Is(err, blob.ErrRetryBudget) {
				exhausted++
			}
		}
		if most := stats + 10 + stats/10; d.calls > most || exhausted < stats*8/10 {
			t.Errorf("got %d calls, %d errors of the budget, want %d calls at most", d.calls, exhausted, most)
		}
		d.fail = nil
		if _, err := s.Stat(t.Context(), "k"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v after the outage, want %v", err, fs.ErrNotExist)
		}
		s = blob.New(d, nil)
		d.calls, d.fail = 0, func(int) error { return errBusy }
		if _, err := s.Stat(t.Context(), "k"); errors.Is(err, blob.ErrRetryBudget) || d.calls != 6 {
			t.Errorf("got %v after %d calls with the defaults, want 6", err, d.calls)
		}
	})
}

// The end of the context ends a wait between tries.
func TestRetryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: memstore.New(), fail: func(int) error { return errBusy }}
		s := blob.New(d, &blob.Options{Retry: &blob.Retry{MinBackoff: time.Hour, MaxBackoff: time.Hour}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := s.Stat(ctx, "k"); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
			t.Errorf("got %v after %v, want %v after a second", err, time.Since(start), context.DeadlineExceeded)
		}
	})
}

// Local stores fail at once with what is not temporary.
func TestLocalStoresFailAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind string
		sent int
	}{{"short", 1}, {"reset", 1}, {"busy", 2}} {
		synctest.Test(t, func(t *testing.T) {
			f := &flaky{data: pattern(1000)}
			f.fault = func(n int, _, _ int64) fault {
				if n == 0 {
					return fault{kind: c.kind, after: 500}
				}
				return fault{}
			}
			got, err := readOnce(t, f, blob.New(localFlaky{f}, nil), &blob.ReaderOptions{})
			checkOutcome(t, f.data, got, err)
			if f.sent != c.sent {
				t.Errorf("%s: got %d requests, %v, want %d", c.kind, f.sent, err, c.sent)
			}
		})
	}
}

// counted is a remote driver whose calls are counted and may fail.
type counted struct {
	driver.Driver
	fail     func(n int) error
	calls    int
	hang     bool
	restored driver.RestoreRequest
}

func (c *counted) Traits() driver.Traits { return driver.Traits{PutAbsent: true, PutVersion: true} }

func (c *counted) call(ctx context.Context) error {
	c.calls++
	if c.hang {
		<-ctx.Done()
		return fmt.Errorf("gave up: %w", ctx.Err())
	}
	if c.fail == nil {
		return nil
	}
	return c.fail(c.calls)
}

func (c *counted) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := c.call(ctx); err != nil {
		return driver.Object{}, err
	}
	return c.Driver.Stat(ctx, key)
}

func (c *counted) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	if err := c.call(ctx); err != nil {
		return driver.Range{}, err
	}
	return c.Driver.ReadRange(ctx, key, offset, length, version)
}

func (c *counted) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	// Some of the body is taken before it fails.
	head := make([]byte, 2)
	n, _ := io.ReadFull(r, head)
	if err := c.call(ctx); err != nil {
		return "", err
	}
	return c.Driver.Put(ctx, key, io.MultiReader(strings.NewReader(string(head[:n])), r), size, cond)
}

func (c *counted) Restore(ctx context.Context, key string, req driver.RestoreRequest) error {
	if err := c.call(ctx); err != nil {
		return err
	}
	c.restored = req
	return nil
}

func (c *counted) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		if err := c.call(ctx); err != nil {
			yield(driver.Object{}, err)
			return
		}
		c.Driver.List(ctx, prefix, after)(yield)
	}
}
