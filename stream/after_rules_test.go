package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/after"
)

// An object of which something was left out, by this run or one before, and one that may
// be cut are left alone; so is what the job does not read.
func TestAfterLeavesAlone(t *testing.T) {
	t.Parallel()
	good := []byte("a,b\n1,2\n3,4\n")
	src := store(t, map[string][]byte{
		"bad.csv":     []byte("a,b\n1,\"2\n"),
		"cut.csv.gz":  corpus.BGZF(good),
		"empty.csv":   nil,
		"folder/":     nil,
		"good.csv":    good,
		"long.csv":    fmt.Appendf(good, "%070d,5\n", 1),
		"torn.csv.gz": encode(t, "gzip", good)[:20],
	})
	cp := &memCheckpoint{}
	opts := &stream.Options{
		Lanes: 1, Checkpoint: cp, After: after.Delete(),
		Read:          stream.ReadOptions{Frame: "csv", MaxRecord: 64, Oversized: stream.TruncateOversized},
		OnRecordError: stream.SkipClasses(), OnObjectError: stream.SkipClasses(),
	}
	rep, err := stream.Backfill(t.Context(), src.List(nil), stream.Discard, opts)
	if err != nil {
		t.Fatal(err)
	}
	c := &afterCase{t: t}
	if got, want := fmt.Sprint(c.keys(src)), "[bad.csv cut.csv.gz folder/ long.csv torn.csv.gz]"; got != want {
		t.Errorf("got %s left, want %s", got, want)
	}
	if want := (stream.AfterReport{Done: 2, LeftOut: 2}); rep.After != want {
		t.Errorf("got %+v, want %+v", rep.After, want)
	}
}

// What an earlier run has left out of an object counts when a later run ends it.
func TestAfterLeftOutEarlier(t *testing.T) {
	t.Parallel()
	data := fmt.Appendf(nil, "%070d,1\n", 1)
	for i := range 100_000 {
		data = fmt.Appendf(data, "%d,%d\n", i, i)
	}
	src, cp := store(t, map[string][]byte{"a.csv": data, "b.csv": []byte("1,2\n")}), &memCheckpoint{}
	opts := &stream.Options{
		Lanes: 1, Checkpoint: cp, CheckpointEvery: time.Nanosecond, After: after.Delete(),
		Read: stream.ReadOptions{MaxRecord: 64, Oversized: stream.SkipOversized},
	}
	batches := 0
	stopping := stream.SinkFunc(func(context.Context, *stream.Batch) error {
		if batches++; batches == 3 {
			return stream.Stop
		}
		return nil
	})
	rep, err := stream.Backfill(t.Context(), src.List(nil), stopping, opts)
	if err != nil || rep.Counts.RecordsSkipped != 1 || rep.Counts.Delivered() == 0 {
		t.Fatalf("got %v, %d records left out, %d delivered", err, rep.Counts.RecordsSkipped, rep.Counts.Delivered())
	}
	rep, err = stream.Backfill(t.Context(), src.List(nil), stream.Discard, opts)
	if want := (stream.AfterReport{Done: 1, LeftOut: 1}); err != nil || rep.After != want || rep.Counts.RecordsSkipped != 0 {
		t.Errorf("got %v, %+v, %d records left out by the second run, want %+v", err, rep.After, rep.Counts.RecordsSkipped, want)
	}
	if got := fmt.Sprint((&afterCase{t: t}).keys(src)); got != "[a.csv]" {
		t.Errorf("got %s left, want a.csv", got)
	}
}

// An action that fails is repeated by the next run, which need not list or read.
func TestAfterFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			reason string
			err    error
			tries  int64 // of each of the 20 objects
		}{
			{"denied is final", fs.ErrPermission, 1},
			{"transient is tried again", blob.ErrTransient, 6},
			{"a change that cannot be seen is final", blob.ErrChanged, 1},
		} {
			c := newAfterCase(t, 20)
			fails := c.watch(&stream.After{Do: func(context.Context, *blob.Store, blob.Object) error { return fmt.Errorf("no: %w", tt.err) }})
			rep, err := stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{Checkpoint: c.cp, After: fails})
			if err != nil || rep.Complete() || !rep.Finished || rep.After.Failed != 20 || rep.After.Pending != 20 || rep.After.Error == "" {
				t.Errorf("%s: got %v, complete %v, finished %v, %+v", tt.reason, err, rep.Complete(), rep.Finished, rep.After)
			}
			if got := c.calls.Load(); got != 20*tt.tries {
				t.Errorf("%s: got %d tries, want %d", tt.reason, got, 20*tt.tries)
			}
			rep, err = stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{Checkpoint: c.cp})
			if err != nil || !rep.Complete() || rep.After != (stream.AfterReport{}) || len(c.keys(c.src)) != 20 {
				t.Errorf("%s: without actions: got %v, %+v, %d objects", tt.reason, err, rep.After, len(c.keys(c.src)))
			}
			rep, err = stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{Checkpoint: c.cp, After: c.watch(after.Delete())})
			if want := (stream.AfterReport{Done: 20}); err != nil || !rep.Complete() || rep.After != want || rep.Counts.Listed.Objects != 0 {
				t.Errorf("%s: the next run: got %v, complete %v, %+v, %d objects listed", tt.reason, err, rep.Complete(), rep.After, rep.Counts.Listed.Objects)
			}
		}
	})
}

// The pending objects of a manifest are bounded: lanes wait while actions are slow, and
// the job ends where all of them fail. Saves come sooner than asked for.
func TestAfterPendingIsBounded(t *testing.T) {
	t.Parallel()
	const lanes = 4
	const most = 1024 + 64*lanes
	for _, tt := range []struct {
		reason string
		do     func(context.Context) error
		fails  bool
	}{
		{"slow", func(ctx context.Context) error { time.Sleep(10 * time.Millisecond); return nil }, false},
		{"failing", func(ctx context.Context) error { return fs.ErrPermission }, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newAfterCase(t, 4000)
			do, began := after.Delete().Do, time.Now()
			rep, err := stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{
				Lanes: lanes, Checkpoint: c.cp, CheckpointEvery: time.Hour,
				After: &stream.After{Do: func(ctx context.Context, s *blob.Store, obj blob.Object) error {
					if err := tt.do(ctx); err != nil {
						return err
					}
					return do(ctx, s, obj)
				}},
			})
			if (err != nil) != tt.fails || rep.Complete() == tt.fails || tt.fails && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: got %v, complete %v", tt.reason, err, rep.Complete())
			}
			if left := len(c.keys(c.src)); !tt.fails && left > 0 {
				t.Errorf("%s: %d objects are left", tt.reason, left)
			}
			largest := 0
			for _, data := range c.cp.saves {
				m, err := stream.ParseManifest(data)
				if err != nil {
					t.Fatal(err)
				}
				largest = max(largest, len(m.Pending))
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("%s: took %v, want saves before they are due", tt.reason, took)
			}
			if largest > most || largest < 1024 {
				t.Errorf("%s: got %d pending objects at most, want them to reach 1024 and stay within %d", tt.reason, largest, most)
			}
		})
	}
}

// gate is a Checkpoint whose saves fail from some point on.
type gate struct {
	memCheckpoint
	err atomic.Pointer[error]
}

func (g *gate) Save(ctx context.Context, m []byte) error {
	if err := g.err.Load(); err != nil {
		return *err
	}
	return g.memCheckpoint.Save(ctx, m)
}

// No object is acted upon whose save did not succeed: the manifest was lost to another
// run, or cannot be saved. A job whose lanes wait for such a save ends.
func TestAfterNeedsTheSave(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{stream.ErrOwner, fs.ErrPermission, blob.ErrTransient} {
		synctest.Test(t, func(t *testing.T) {
			c, g := newAfterCase(t, 2000), &gate{}
			g.err.Store(&cause)
			rep, err := stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{
				Lanes: 2, Checkpoint: g, CheckpointEvery: time.Hour, After: c.watch(after.Delete()),
			})
			if !errors.Is(err, cause) || c.calls.Load() > 0 || len(c.keys(c.src)) != 2000 {
				t.Errorf("%v: got %v, %d actions, %d objects left, want no action", cause, err, c.calls.Load(), len(c.keys(c.src)))
			}
			least := int64(1024) // when lanes wait for it
			if cause == stream.ErrOwner {
				least = 512 // when the first save is wanted
			}
			if rep.After.Pending < least || rep.ListingDone && rep.Counts.Done.Objects == 2000 {
				t.Errorf("%v: got %d pending, %d done, want lanes that wait", cause, rep.After.Pending, rep.Counts.Done.Objects)
			}
		})
	}
}

// A run that another one has taken over from acts upon nothing that it finished since,
// and both together act upon everything.
func TestAfterTakeover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newAfterCase(t, 200)
		state := store(t, nil)
		c.sink.slow = time.Millisecond
		older, newer := after.Delete(), after.Delete()
		do := older.Do
		var olderActs, late atomic.Int64
		older.Do = func(ctx context.Context, s *blob.Store, obj blob.Object) error {
			olderActs.Add(1)
			m, err := stream.ReadManifest(ctx, state, "m")
			if err != nil || obj.Key > m.Key || slices.ContainsFunc(m.Open, func(e stream.ManifestEntry) bool { return e.Key == obj.Key }) {
				late.Add(1)
			}
			return do(ctx, s, obj)
		}
		errs := make(chan error, 1)
		go func() {
			_, err := stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{
				Lanes: 2, Checkpoint: stream.BlobCheckpoint(state, "m"), CheckpointEvery: 20 * time.Millisecond, After: older,
			})
			errs <- err
		}()
		time.Sleep(45 * time.Millisecond)
		rep, err := stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{
			Lanes: 2, Checkpoint: stream.BlobCheckpoint(state, "m"), CheckpointEvery: 20 * time.Millisecond, After: newer,
		})
		if err != nil || !rep.Complete() {
			t.Errorf("the newer run: got %v, complete %v", err, rep.Complete())
		}
		if err := <-errs; !errors.Is(err, stream.ErrOwner) {
			t.Errorf("the older run: got %v, want ErrOwner", err)
		}
		if late.Load() > 0 || olderActs.Load() == 0 || rep.After.Done == 0 {
			t.Errorf("got %d actions of the older run, %d of objects that the manifest does not call done, %d of the newer", olderActs.Load(), late.Load(), rep.After.Done)
		}
		if left := c.keys(c.src); len(left) > 0 {
			t.Errorf("%d objects are left", len(left))
		}
		c.delivered()
	})
}

// Moved objects that the source lists too are not read; a place that holds all of the
// source is refused before anything is read.
func TestAfterMoveWithin(t *testing.T) {
	t.Parallel()
	src := store(t, map[string][]byte{"a.log": []byte("a\n"), "b.log": []byte("b\n")})
	opts := &stream.Options{Lanes: 1, Checkpoint: &memCheckpoint{}, CheckpointEvery: time.Nanosecond, After: after.Move(src, "done/")}
	for run := range 2 {
		if run == 1 {
			opts.Checkpoint = &memCheckpoint{} // lists all again
		}
		rep, err := stream.Backfill(t.Context(), src.List(nil), stream.Discard, opts)
		if want := int64(2 - 2*run); err != nil || !rep.Complete() || rep.After.Done != want || rep.Counts.Done.Objects != want || run == 1 && rep.Counts.Own != 2 {
			t.Errorf("run %d: got %v, complete %v, %d moved, %d read, %d own", run, err, rep.Complete(), rep.After.Done, rep.Counts.Done.Objects, rep.Counts.Own)
		}
	}
	if got := fmt.Sprint((&afterCase{t: t}).keys(src)); got != "[done/a.log done/b.log]" {
		t.Errorf("got %s", got)
	}
	for _, prefix := range []string{"", "x"} {
		opts.After = after.Move(src, prefix)
		_, err := stream.Backfill(t.Context(), src.List(nil), stream.Discard, opts)
		if refused := errors.Is(err, fs.ErrInvalid); refused != (prefix == "") {
			t.Errorf("move to %q: got %v", prefix, err)
		}
	}
	if _, err := stream.Backfill(t.Context(), src.List(nil), stream.Discard, &stream.Options{After: &stream.After{}}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("an After without Do: got %v, want fs.ErrInvalid", err)
	}
}

// Tags are added to what is done; a store without tags is refused before anything is
// read.
func TestAfterTag(t *testing.T) {
	t.Parallel()
	c := newAfterCase(t, 30)
	action := c.watch(after.Tag(map[string]string{"thawed": "yes"}))
	rep, err := stream.Backfill(t.Context(), c.src.List(nil), c.sink, &stream.Options{Checkpoint: c.cp, After: action})
	if err != nil || !rep.Complete() || rep.After.Done != 30 {
		t.Errorf("got %v, complete %v, %+v", err, rep.Complete(), rep.After)
	}
	for _, key := range c.keys(c.src) {
		if tags, err := c.src.Tags(t.Context(), key); err != nil || tags["thawed"] != "yes" {
			t.Errorf("%s: got the tags %v, %v", key, tags, err)
		}
	}
	files := folderStore(t, t.TempDir())
	put(t, files, "a", []byte("a\n"))
	rep, err = stream.Backfill(t.Context(), files.List(nil), stream.Discard, &stream.Options{After: after.Tag(map[string]string{"thawed": "yes"})})
	if !errors.Is(err, blob.ErrUnsupported) || rep.Counts.Listed.Objects != 0 {
		t.Errorf("files: got %v after %d objects, want ErrUnsupported", err, rep.Counts.Listed.Objects)
	}
}
