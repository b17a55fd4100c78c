package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
)

// pages is a remote driver that lists n objects in pages, which take a second each
// and may fail.
type pages struct {
	driver.Driver
	n, page int
	fail    func(page int) error // of those asked for so far
	asked   int
	ended   int // listings that were left
}

func (p *pages) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		defer func() { p.ended++ }()
		first := 0
		for first < p.n && pageKey(first) <= after {
			first++
		}
		for from := first; from < p.n || from == first; from += p.page {
			p.asked++
			err := pause(ctx, time.Second)
			if err == nil && p.fail != nil {
				err = p.fail(p.asked)
			}
			if errors.Is(err, errHang) {
				<-ctx.Done()
				err = ctx.Err()
			}
			if err != nil {
				yield(driver.Object{}, err)
				return
			}
			for i := from; i < min(from+p.page, p.n); i++ {
				if !yield(driver.Object{Key: pageKey(i), Size: 1}, nil) {
					return
				}
			}
		}
	}
}

func pageKey(i int) string { return fmt.Sprintf("%06d", i) }

var errHang = errors.New("hangs")

// A listing goes on behind the last key, whatever fails for a moment.
func TestListingHeals(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{errBusy, fmt.Errorf("torn: %w", io.ErrUnexpectedEOF), errHang} {
		for _, page := range []int{1, 7, 1000} {
			synctest.Test(t, func(t *testing.T) {
				d := &pages{n: 50, page: page}
				d.fail = func(asked int) error {
					if asked%3 != 0 {
						return cause
					}
					return nil
				}
				s := blob.New(d, &blob.Options{Retry: &blob.Retry{BudgetBurst: 1000}})
				got := keys(t, s.List(nil))
				if len(got) != d.n || !slices.IsSorted(got) || got[0] != pageKey(0) {
					t.Errorf("%v, pages of %d: got %d keys, want %d in order", cause, page, len(got), d.n)
				}
			})
		}
	}
}

// An error that another try does not cure is final, and so is one that stays.
func TestListingFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause error
		asked int
	}{{errors.New("truncated without a token"), 3}, {errBusy, 8}} {
		synctest.Test(t, func(t *testing.T) {
			d := &pages{n: 50, page: 10, fail: func(asked int) error {
				if asked > 2 {
					return c.cause
				}
				return nil
			}}
			var got []string
			var err error
			for obj, lerr := range blob.New(d, nil).List(nil).Objects(t.Context(), blob.Mark{}) {
				if err = lerr; err == nil {
					got = append(got, obj.Key)
				}
			}
			if !errors.Is(err, c.cause) || len(got) != 20 || d.asked != c.asked {
				t.Errorf("got %d keys, %v after %d pages, want 20, %v after %d", len(got), err, d.asked, c.cause, c.asked)
			}
		})
	}
}

// A driver that ends without a word when its context ends has not listed all.
func TestListingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		d := mute{}
		var err error
		for _, err = range blob.New(d, nil).List(nil).Objects(ctx, blob.Mark{}) {
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

type mute struct{ driver.Driver }

func (mute) List(ctx context.Context, _, _ string) iter.Seq2[driver.Object, error] {
	return func(func(driver.Object, error) bool) { <-ctx.Done() }
}

// A listing runs ahead of its consumer, within bounds, and stops with it.
func TestListingRunsAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &pages{n: 100_000, page: 1000}
		s := blob.New(d, nil)
		n := 0
		start := time.Now()
		for _, err := range s.List(nil).Objects(t.Context(), blob.Mark{}) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 1 {
				time.Sleep(time.Hour)
				synctest.Wait()
				if d.asked < 2 || d.asked > 3 {
					t.Errorf("got %d pages asked for while nobody reads, want 2 or 3", d.asked)
				}
			}
			if n == 2500 {
				break
			}
		}
		if d.ended != 1 {
			t.Errorf("got %d listings left, want the one, when the loop has ended", d.ended)
		}
		if took := time.Since(start); took > time.Hour+3*time.Second {
			t.Errorf("took %v, want an hour and what the pages take that were not there", took)
		}
	})
}

// attributed lists objects of all times and states.
type attributed struct{ driver.Driver }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func (attributed) List(context.Context, string, string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		for _, o := range []driver.Object{
			{Key: "a-morning", ModTime: noon.Add(-time.Hour)},
			{Key: "b-noon", ModTime: noon.In(time.FixedZone("", 3600))},
			{Key: "c-evening", ModTime: noon.Add(6 * time.Hour)},
			{Key: "d-unknown"},
			{Key: "e-archived", ModTime: noon, Archive: driver.ArchiveArchived},
			{Key: "f-restoring", ModTime: noon, Archive: driver.ArchiveRestoring},
			{Key: "g-restored", ModTime: noon, Archive: driver.ArchiveRestored},
		} {
			if !yield(o, nil) {
				return
			}
		}
	}
}

func TestListByTimeAndState(t *testing.T) {
	t.Parallel()
	s := blob.New(attributed{}, &blob.Options{Name: "s"})
	for _, c := range []struct {
		opts blob.ListOptions
		want string // first letters
		name string
	}{
		{blob.ListOptions{}, "abcdefg", "s"},
		{blob.ListOptions{ModifiedSince: noon}, "bcdefg", "s since 2026-11-30T12:00:00Z"},
		{blob.ListOptions{ModifiedBefore: noon}, "ad", "s before 2026-11-30T12:00:00Z"},
		{blob.ListOptions{ModifiedSince: noon, ModifiedBefore: noon.Add(1)}, "bdefg", "s since 2026-11-30T12:00:00Z before 2026-11-30T12:00:00.000000001Z"},
		{blob.ListOptions{Archived: blob.ReadableOnly}, "abcdg", "s only readable"},
		{blob.ListOptions{Archived: blob.ArchivedOnly}, "ef", "s only archived"},
		{blob.ListOptions{Archived: blob.ArchivedOnly, Glob: "*ing"}, "f", `s glob "*ing" only archived`},
	} {
		src := s.List(&c.opts)
		var got strings.Builder
		for _, key := range keys(t, src) {
			got.WriteByte(key[0])
		}
		if got.String() != c.want || src.Name != c.name {
			t.Errorf("%+v: got %s of %q, want %s of %q", c.opts, got.String(), src.Name, c.want, c.name)
		}
	}
}
