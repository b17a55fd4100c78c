package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
)

// Every call that is tried again tells so before it waits, and its error says how
// often and how long it was tried.
func TestRetriesAreTold(t *testing.T) {
	t.Parallel()
	for op, call := range map[string]func(context.Context, *blob.Store) error{
		"stat": func(ctx context.Context, s *blob.Store) error {
			_, err := s.Stat(ctx, "k")
			return err
		},
		"restore": func(ctx context.Context, s *blob.Store) error {
			return s.Restore(ctx, "k", blob.RestoreRequest{})
		},
		"put": func(ctx context.Context, s *blob.Store) error {
			_, err := s.Put(ctx, "k", strings.NewReader("data"), 4, nil)
			return err
		},
		"list": func(ctx context.Context, s *blob.Store) (last error) {
			for _, err := range s.List(nil).Objects(ctx, blob.Mark{}) {
				last = err
			}
			return last
		},
		"read": func(ctx context.Context, s *blob.Store) error {
			r, err := s.NewReader(ctx, "k", nil)
			if err != nil {
				return err
			}
			defer r.Close()
			_, err = io.Copy(io.Discard, r)
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			key := "k"
			if op == "list" {
				key = ""
			}
			var told []blob.Retrying
			var waited time.Duration
			s := blob.New(&counted{Driver: memstore.New(), fail: func(int) error { return errBusy }}, &blob.Options{Name: "busy:", OnRetry: func(r blob.Retrying) {
				told = append(told, r)
				waited += r.Wait
			}})
			start := time.Now()
			err := call(t.Context(), s)
			if took := time.Since(start); took != waited {
				t.Errorf("%s: got %v told, want the %v that passed", op, waited, took)
			}
			want := fmt.Sprintf("after 6 attempts in %v: ", waited.Round(100*time.Millisecond))
			if !errors.Is(err, blob.ErrTransient) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", op, err, want)
			}
			if len(told) != 5 {
				t.Fatalf("%s: got %d retries, want 5: %+v", op, len(told), told)
			}
			for i, r := range told {
				if r.Op != op || r.Store != "busy:" || r.Key != key || r.Attempt != i+1 || !errors.Is(r.Err, blob.ErrTransient) {
					t.Errorf("%s: got %+v, want attempt %d of %q", op, r, i+1, key)
				}
			}
		})
	}
}

// The time of an error is that of its own fault, not of what went well before.
func TestAttemptsAfterProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{data: pattern(200 << 10)}
		f.fault = func(n int, _, _ int64) fault {
			if n == 0 {
				return fault{kind: "reset", after: 100 << 10, wait: time.Hour}
			}
			return fault{kind: "busy"}
		}
		got, err := readOnce(t, f, f.store(&blob.Retry{MaxAttempts: 2, Stall: -1, NoHedge: true}), &blob.ReaderOptions{})
		if len(got) != 100<<10 || err == nil || !strings.Contains(err.Error(), "after 2 attempts in 0s: ") && !strings.Contains(err.Error(), "after 2 attempts in 100ms: ") {
			t.Errorf("got %d bytes, %v, want 100 KiB and two attempts in the time of their wait", len(got), err)
		}
	})
}
