package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// arrivals notes which object each batch came from, in order, and when.
type arrivals struct {
	mu   sync.Mutex
	keys []string
	at   map[string]time.Duration
	from time.Time
}

func (a *arrivals) write(_ context.Context, b *stream.Batch) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if key := b.Object().Key; a.at[key] == 0 {
		a.keys = append(a.keys, key)
		a.at[key] = time.Since(a.from) + 1
	}
	return nil
}

func arriving() *arrivals { return &arrivals{at: map[string]time.Duration{}, from: time.Now()} }

// mix fills a store with objects of which each third is online.
func mix(fs *faultstore.Store, n int) {
	for i := range n {
		fs.Add(faultstore.Item{
			Key: fmt.Sprintf("%05d.ndjson", i), Content: faultstore.Bytes("{}\n{}\n"), StorageClass: "GLACIER", Archived: i%3 != 0,
		})
	}
}

// Online objects are delivered at once, archived ones when they have thawed; the
// lanes spend the time between in stage restore; nothing is lost or doubled.
func TestRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := faultstore.New(&faultstore.Options{Thaw: 5 * time.Hour})
		mix(fs, 90)
		store := blob.New(fs, nil)
		got := arriving()
		rep, err := stream.Backfill(t.Context(), store.List(nil), stream.SinkFunc(got.write), &stream.Options{
			Lanes: 4, Workers: 2, Restore: &stream.RestoreOptions{Days: 3, Tier: "Bulk"},
		})
		if err != nil || !rep.Complete() {
			t.Fatalf("got %v, complete %v", err, rep.Complete())
		}
		if len(got.keys) != 90 || rep.Counts.Delivered() != 180 || rep.Counts.Deferred != 60 {
			t.Errorf("got %d objects, %d records, %d held back; want 90, 180, 60", len(got.keys), rep.Counts.Delivered(), rep.Counts.Deferred)
		}
		for key, at := range got.at {
			var n int
			fmt.Sscanf(key, "%d", &n)
			if online := n%3 == 0; online != (at < time.Minute) {
				t.Errorf("%s, online %v, came after %v", key, online, at)
			}
		}
		asked := fs.Restores()
		if len(asked) != 60 {
			t.Errorf("got %d requests to restore, want one for each of 60", len(asked))
		}
		for _, r := range asked {
			if r.Request.Days != 3 || r.Request.Tier != "Bulk" {
				t.Errorf("got request %+v, want 3 days, tier Bulk", r.Request)
			}
		}
		var sum time.Duration
		for _, s := range rep.PerLane {
			sum += s.Sum()
			if s.Restore < 5*time.Hour-time.Minute || s.Restore > rep.Wall {
				t.Errorf("lane waited %v in stage restore, want about %v", s.Restore, rep.Wall)
			}
		}
		if want := time.Duration(rep.Lanes) * rep.Wall; sum != want {
			t.Errorf("stages add up to %v, want %v", sum, want)
		}
	})
}

// The source waits while MaxDeferred objects are held back, and no object is
// asked for before it may be held.
func TestRestoreMaxDeferred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := faultstore.New(&faultstore.Options{Thaw: time.Hour, Page: 10})
		mix(fs, 90)
		store := blob.New(fs, nil)
		var most, entries int64
		var mu sync.Mutex
		rep, err := stream.Backfill(t.Context(), store.List(nil), stream.Discard, &stream.Options{
			Lanes: 2, Restore: &stream.RestoreOptions{MaxDeferred: 7},
			Trace: &stream.Trace{Progress: func(p stream.Progress) {
				mu.Lock()
				defer mu.Unlock()
				most = max(most, p.Deferred)
				entries = max(entries, p.Listed-p.Done)
			}},
		})
		if err != nil || !rep.Complete() || rep.Counts.Done.Objects != 90 {
			t.Fatalf("got %v, complete %v, %d done", err, rep.Complete(), rep.Counts.Done.Objects)
		}
		if most != 7 {
			t.Errorf("got up to %d held back, want 7", most)
		}
		if entries > 7+2+70 {
			t.Errorf("got up to %d objects open, want no more than lanes, listing ahead and 7", entries)
		}
	})
}

// Where the source does not tell what is archived, the objects held back are bound
// too, but for those that were on their way.
func TestRestoreMaxDeferredUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := faultstore.New(&faultstore.Options{Thaw: time.Hour})
		var keys []string
		for i := range 500 {
			keys = append(keys, fmt.Sprintf("%05d.ndjson", i))
			fs.Add(faultstore.Item{Key: keys[i], Content: faultstore.Bytes("{}\n"), Archived: true})
		}
		var most int64
		var mu sync.Mutex
		rep, err := stream.Backfill(t.Context(), blob.Keys(blob.New(fs, nil), keys...), stream.Discard, &stream.Options{
			Lanes: 2, Restore: &stream.RestoreOptions{MaxDeferred: 7},
			Trace: &stream.Trace{Progress: func(p stream.Progress) {
				mu.Lock()
				defer mu.Unlock()
				most = max(most, p.Deferred)
			}},
		})
		if err != nil || rep.Counts.Done.Objects != 500 {
			t.Fatalf("got %v, %d done", err, rep.Counts.Done.Objects)
		}
		if most > 7+2+2+64 {
			t.Errorf("got up to %d held back, want no more than 7, lanes and queue", most)
		}
	})
}

// A Writer of one object is closed before the object is held back, and what it was
// given does not count: all of it comes again.
func TestRestorePerObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads int
		fs := faultstore.New(&faultstore.Options{Thaw: time.Hour, Plan: func(c faultstore.Call) faultstore.Fault {
			if c.Op == faultstore.Read {
				if reads++; reads == 2 { // in the middle of the object
					return faultstore.Fault{Kind: faultstore.Slow, Wait: 30 * time.Hour}
				}
			}
			return faultstore.Fault{}
		}})
		fs.Add(faultstore.Item{Key: "a.log", Content: faultstore.Repeated{Block: []byte("a line of some length\n"), Total: 22 << 16}, StorageClass: "GLACIER", Archived: true})
		open, most, whole := 0, 0, 0
		sink := stream.PerObject(func(context.Context, blob.Object) (stream.Writer, error) {
			open++
			most = max(most, open)
			return &counted{open: &open, whole: &whole}, nil
		})
		rep, err := stream.Backfill(t.Context(), blob.New(fs, &blob.Options{Retry: &blob.Retry{Stall: -1, NoHedge: true}}).List(nil), sink, &stream.Options{
			Lanes: 4, Read: stream.ReadOptions{RangeSize: 256 << 10, InFlight: 1}, Restore: &stream.RestoreOptions{Days: 1},
		})
		if err != nil || rep.Counts.Delivered() != 1<<16 || whole != 1<<16 {
			t.Errorf("got %v, %d records counted, %d in a whole object; want %d", err, rep.Counts.Delivered(), whole, 1<<16)
		}
		if open != 0 || most != 1 {
			t.Errorf("got %d Writers left, %d at once; want 0 and 1", open, most)
		}
	})
}

// counted is a Writer of one object that counts.
type counted struct {
	open, whole *int
	n           int
}

func (c *counted) Write(_ context.Context, b *stream.Batch) error { c.n += b.Len(); return nil }
func (c *counted) Flush(context.Context) error                    { *c.whole += c.n; return nil }
func (c *counted) Close() error                                   { *c.open--; return nil }

// An object that no listing knew to be archived is restored when its opening
// tells; one whose restore fails goes to the policy with the reason.
func TestRestoreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs1 := faultstore.New(&faultstore.Options{Thaw: time.Hour, Plan: func(c faultstore.Call) faultstore.Fault {
			if c.Op == faultstore.Restore && c.Key == "b" {
				return faultstore.Fault{Kind: faultstore.Denied}
			}
			return faultstore.Fault{}
		}})
		for _, key := range []string{"a", "b", "c"} {
			fs1.Add(faultstore.Item{Key: key, Content: faultstore.Bytes("x\n"), Archived: key != "c"})
		}
		var failed []*stream.Error
		got := arriving()
		rep, err := stream.Backfill(t.Context(), blob.Keys(blob.New(fs1, nil), "a", "b", "c"), stream.SinkFunc(got.write), &stream.Options{
			Lanes: 2, Restore: &stream.RestoreOptions{},
			OnObjectError: func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
				failed = append(failed, e)
				return stream.Skip, nil
			},
		})
		if err != nil || rep.Complete() {
			t.Errorf("got %v, complete %v; want an object skipped", err, rep.Complete())
		}
		if len(failed) != 1 || failed[0].Key != "b" || failed[0].Class != stream.ClassDenied || !errors.Is(failed[0], fs.ErrPermission) {
			t.Errorf("got failures %v, want that of b, denied", failed)
		}
		if !slices.Equal(got.keys, []string{"c", "a"}) {
			t.Errorf("got %v, want c at once, then a", got.keys)
		}
	})
}

// A service that refuses to restore what it calls archived is asked once, and the
// policy decides.
func TestRestoreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := faultstore.New(nil)
		fs.Add(faultstore.Item{Key: "a", Content: faultstore.Bytes("x\n"), Archived: true})
		d := &refusing{Store: fs}
		for _, policy := range []stream.Policy{nil, stream.SkipClasses(stream.ClassArchived)} {
			d.asked = 0
			rep, err := stream.Backfill(t.Context(), blob.New(d, nil).List(nil), stream.Discard, &stream.Options{
				Restore: &stream.RestoreOptions{}, OnObjectError: policy,
			})
			if (policy == nil) != (stream.ClassOf(err) == stream.ClassArchived) || rep.Complete() || d.asked != 1 {
				t.Errorf("policy %v: got %v, complete %v, %d requests; want one request, then what the policy says", policy != nil, err, rep.Complete(), d.asked)
			}
		}
	})
}

// refusing restores nothing.
type refusing struct {
	*faultstore.Store
	asked int
}

func (r *refusing) Restore(context.Context, string, driver.RestoreRequest) error {
	r.asked++
	return fmt.Errorf("not valid for the object's storage class: %w", driver.ErrArchived)
}

// Without Restore an archived object is an error of class archived.
func TestArchivedWithoutRestore(t *testing.T) {
	fs := faultstore.New(nil)
	fs.Add(faultstore.Item{Key: "a", Content: faultstore.Bytes("x\n"), Archived: true})
	_, err := stream.Backfill(t.Context(), blob.New(fs, nil).List(nil), stream.Discard, nil)
	if stream.ClassOf(err) != stream.ClassArchived || !errors.Is(err, blob.ErrArchived) || keyIn(err) != "a" {
		t.Errorf("got %v, want an error of class archived that names the object", err)
	}
}

// A job that is canceled while it waits leaves nothing behind, and a later run
// takes up what was held back.
func TestRestoreCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := faultstore.New(&faultstore.Options{Thaw: 5 * time.Hour})
		mix(fs, 30)
		store := blob.New(fs, nil)
		dir := t.TempDir()
		got := arriving()
		run := func(ctx context.Context) (*stream.Report, error) {
			return stream.Backfill(ctx, store.List(nil), stream.SinkFunc(got.write), &stream.Options{
				Lanes: 2, Restore: &stream.RestoreOptions{}, Checkpoint: stream.FileCheckpoint(dir + "/manifest"),
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want %v", err, context.DeadlineExceeded)
		}
		if len(got.keys) != 10 {
			t.Errorf("got %d objects before the cancel, want the 10 online", len(got.keys))
		}
		rep, err := run(t.Context())
		if err != nil || !rep.Complete() {
			t.Fatalf("second run: %v, complete %v", err, rep.Complete())
		}
		if len(got.keys) != 30 || rep.Counts.Delivered() != 40 {
			t.Errorf("got %d objects in all, %d records in the second run; want 30, 40", len(got.keys), rep.Counts.Delivered())
		}
	})
}
