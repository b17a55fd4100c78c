package stream_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/archive"
	"github.com/thaw-go/thaw/stream/catalog"
)

// troubled is a checkpoint whose saves take a while and fail for some time.
type troubled struct {
	memCheckpoint
	fails int // how many of its first saves
	err   error
	takes time.Duration // -1: until its context ends
	tries int
}

func (c *troubled) Save(ctx context.Context, m []byte) error {
	c.tries++
	var done <-chan time.Time
	if c.takes >= 0 {
		done = time.After(c.takes)
	}
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.tries <= c.fails {
		return fmt.Errorf("save %d: %w", c.tries, c.err)
	}
	return c.memCheckpoint.Save(ctx, m)
}

// The last save decides whether a finished job was one: it is tried again while that
// may help, as long as it may take, and fails as what it is.
func TestLastSave(t *testing.T) {
	shutdown := errors.New("shutdown")
	for _, tt := range []*struct {
		reason   string
		c        troubled
		cancelAt time.Duration // -1: never
		class    stream.Class  // of the error
		saved    bool
		tries    int
		most     time.Duration
	}{
		{"at once", troubled{}, -1, 0, true, 1, 0},
		{"one fault that passes", troubled{fails: 1, err: blob.ErrTransient}, -1, 0, true, 2, time.Second},
		{"five", troubled{fails: 5, err: blob.ErrTransient}, -1, 0, true, 6, time.Minute},
		{"faults that do not pass", troubled{fails: 100, err: blob.ErrTransient}, -1, stream.ClassTransient, false, 6, time.Minute},
		{"a fault that stays", troubled{fails: 1, err: errors.New("disk full")}, -1, stream.ClassOther, false, 1, 0},
		{"another owner", troubled{fails: 1, err: stream.ErrOwner}, -1, stream.ClassConflict, false, 1, 0},
		{"a slow save that nobody canceled", troubled{takes: 45 * time.Second}, -1, 0, true, 1, 45 * time.Second},
		{"one that does not end", troubled{takes: -1}, -1, stream.ClassTransient, false, 1, 2 * time.Minute},
		{"canceled meanwhile: it may take 30 s more", troubled{takes: 45 * time.Second}, 20 * time.Second, 0, true, 1, 45 * time.Second},
		{"canceled meanwhile, and it does not end", troubled{takes: -1}, 20 * time.Second, stream.ClassCanceled, false, 1, 50 * time.Second},
	} {
		inTime(t, tt.reason, func(t *testing.T) {
			s := store(t, map[string][]byte{"a": []byte("one\n")})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tt.cancelAt >= 0 {
				time.AfterFunc(tt.cancelAt, func() { cancel(shutdown) })
			}
			start := time.Now()
			rep, err := stream.Backfill(ctx, s.List(nil), stream.Discard, &stream.Options{Lanes: 1, Checkpoint: &tt.c, CheckpointEvery: time.Hour})
			if took := time.Since(start); took > tt.most || tt.c.tries != tt.tries || len(tt.c.saves) > 0 != tt.saved {
				t.Errorf("got %d saves tried in %v, saved %v; want %d in %v at most, %v", tt.c.tries, took, len(tt.c.saves) > 0, tt.tries, tt.most, tt.saved)
			}
			if (err == nil) != tt.saved || rep.Complete() != tt.saved || err != nil && stream.ClassOf(err) != tt.class {
				t.Errorf("got %v of class %s, complete %v; want class %s, %v", err, stream.ClassOf(err), rep.Complete(), tt.class, tt.saved)
			}
		})
	}
	for _, kind := range []faultstore.Kind{faultstore.SlowDown, faultstore.Drop, faultstore.InternalError} {
		inTime(t, fmt.Sprint("a store with the fault ", kind), func(t *testing.T) {
			faulty := blob.New(faultstore.New(&faultstore.Options{Plan: faultstore.Nth(faultstore.Put, 1, faultstore.Fault{Kind: kind})}), nil)
			s := store(t, map[string][]byte{"a": []byte("one\n")})
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Lanes: 1, Checkpoint: stream.BlobCheckpoint(faulty, "m")})
			if err != nil || !rep.Complete() {
				t.Errorf("got %v, complete %v; want nil, true", err, rep.Complete())
			}
		})
	}
}

// brokenOff is a checkpoint whose first save takes until its context ends.
type brokenOff struct {
	memCheckpoint
	began bool
}

func (c *brokenOff) Save(ctx context.Context, m []byte) error {
	if !c.began {
		c.began = true
		<-ctx.Done()
		return ctx.Err()
	}
	return c.memCheckpoint.Save(ctx, m)
}

// A save that the end of the job breaks off is no failure: the last one follows.
func TestSaveBrokenOff(t *testing.T) {
	inTime(t, "at the end", func(t *testing.T) {
		s := store(t, map[string][]byte{"a": []byte("one\n")})
		c := &brokenOff{}
		var saves []stream.CheckpointSave
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
			time.Sleep(time.Minute)
			return nil
		}), &stream.Options{Lanes: 1, Checkpoint: c, CheckpointEvery: time.Second, Trace: &stream.Trace{
			Checkpoint: func(s stream.CheckpointSave) { saves = append(saves, s) },
		}})
		if err != nil || !rep.Complete() || !c.began || len(c.saves) != 1 {
			t.Fatalf("got %v, complete %v, a save broken off %v, %d saved", err, rep.Complete(), c.began, len(c.saves))
		}
		if len(saves) != 1 || saves[0].Err != nil {
			t.Errorf("reported %+v, want the one that succeeded", saves)
		}
	})
}

// However a run ends, its report calls done what the manifest calls done.
func TestDoneIsDurable(t *testing.T) {
	t.Parallel()
	objects := map[string][]byte{}
	for i := range 40 {
		objects[fmt.Sprintf("%02d", i)] = []byte("one\ntwo\n")
	}
	objects["05.gz"] = []byte("\x1f\x8b\x08\x00 cut")
	objects["06/"], objects["07"+seek.Extension] = nil, []byte("x")
	s := store(t, objects)
	broken := errors.New("broken")
	for _, tt := range []struct {
		reason string
		at     int
		write  func(cancel context.CancelFunc) error
		flush  error
	}{
		{"the end of ctx", 20, func(cancel context.CancelFunc) error { cancel(); return nil }, nil},
		{"the end of ctx, and the sink says so", 20, func(cancel context.CancelFunc) error { cancel(); return context.Canceled }, nil},
		{"an error of the sink", 20, func(context.CancelFunc) error { return broken }, nil},
		{"a flush that fails", 1000, nil, broken},
		{"Stop", 20, func(context.CancelFunc) error { return stream.Stop }, nil},
		{"nothing", 1000, nil, nil},
	} {
		for _, lanes := range []int{1, 3} {
			cp := &memCheckpoint{}
			total := int64(0)
			for run := range 2 {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				sink := &countingSink{flush: tt.flush, write: func(n int) error {
					if n == tt.at && run == 0 {
						return tt.write(cancel)
					}
					return nil
				}}
				if run == 1 {
					sink.flush = nil
				}
				rep, err := stream.Backfill(ctx, s.List(nil), sink, &stream.Options{Lanes: lanes, Checkpoint: cp, CheckpointEvery: time.Hour, OnObjectError: stream.SkipClasses()})
				m, merr := stream.ParseManifest(cp.saves[len(cp.saves)-1])
				if merr != nil {
					t.Fatal(merr)
				}
				total = rep.Earlier.Done.Objects + rep.Counts.Done.Objects
				skipped := rep.Earlier.Skipped.Objects + rep.Counts.Skipped.Objects
				if total != m.Counts.Done.Objects || skipped != m.Counts.Skipped.Objects || rep.Counts.Remaining().Objects < 0 {
					t.Errorf("%s, %d lanes, run %d: got %d done, %d skipped, %d remaining by the report, %d, %d by the manifest (%v)",
						tt.reason, lanes, run, total, skipped, rep.Counts.Remaining().Objects, m.Counts.Done.Objects, m.Counts.Skipped.Objects, err)
				}
			}
			if total != 40 {
				t.Errorf("%s, %d lanes: got %d objects done over both runs, want 40", tt.reason, lanes, total)
			}
		}
	}
}

// countingSink is a sink that numbers its writes.
type countingSink struct {
	write func(n int) error
	flush error
	n     chan int
}

func (s *countingSink) Open(_ context.Context, lane int) (stream.Writer, error) {
	if s.n == nil {
		s.n = make(chan int, 1)
		s.n <- 0
	}
	return countingWriter{s}, nil
}

type countingWriter struct{ s *countingSink }

func (w countingWriter) Write(context.Context, *stream.Batch) error {
	n := <-w.s.n + 1
	w.s.n <- n
	return w.s.write(n)
}
func (w countingWriter) Flush(context.Context) error { return w.s.flush }
func (w countingWriter) Close() error                { return nil }

// A key that a source names is data in every run, also when its size is known by
// then, and counts once.
func TestResumedKeysAreData(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, key string }{
		{"the extension of indexes", "a" + seek.Extension},
		{"another one", "a.log"},
	} {
		s := store(t, map[string][]byte{tt.key: make([]byte, 2000000), "keys.txt": []byte(fmt.Sprintf(`{"key":%q,"size_bytes":2000000}`, tt.key))})
		file, err := catalog.KeyFile(t.Context(), s, "keys.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, src := range map[string]blob.Source{"keys": blob.Keys(s, tt.key), "a key file with sizes": file} {
			cp, n := &memCheckpoint{}, 0
			var rep *stream.Report
			for run := range 3 {
				rep, err = stream.Backfill(t.Context(), src, stream.SinkFunc(func(context.Context, *stream.Batch) error {
					if n++; n%5 == 0 && run < 2 {
						return stream.Stop
					}
					return nil
				}), &stream.Options{Lanes: 1, Checkpoint: cp, Read: stream.ReadOptions{Frame: "fixed:100", Codec: "none", Oversized: stream.TruncateOversized}})
				if c := rep.Counts; err != nil || c.Listed.Objects != 1 || c.Remaining().Objects < 0 || c.Indexes != 0 {
					t.Errorf("%s, %s, run %d: got %v, listed %+v, remaining %+v, %d indexes", tt.reason, name, run, err, c.Listed, c.Remaining(), c.Indexes)
				}
			}
			if c := rep.Counts; !rep.Finished || c.Done.Objects != 1 || c.Remaining() != (stream.Tally{}) {
				t.Errorf("%s, %s: got finished %v, done %+v, remaining %+v", tt.reason, name, rep.Finished, c.Done, c.Remaining())
			}
		}
	}
}

// The end of ctx is the same error wherever it strikes: an *Error of the source, or
// the sink's, of class canceled, with the context's error and its cause.
func TestEndOfContextIsNamed(t *testing.T) {
	shutdown := errors.New("shutdown")
	waits := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for _, tt := range []struct {
		reason string
		source func(s *blob.Store) blob.Source
		sink   stream.SinkFunc
		plan   bool
	}{
		{"while the source lists", func(s *blob.Store) blob.Source {
			return blob.Source{Store: s, Name: "slow", Objects: func(ctx context.Context, _ blob.Mark) iter.Seq2[blob.Object, error] {
				return func(yield func(blob.Object, error) bool) { yield(blob.Object{}, waits(ctx)) }
			}}
		}, nil, false},
		{"while the source lists, which hides it", func(s *blob.Store) blob.Source {
			return blob.Source{Store: s, Name: "slow", Objects: func(ctx context.Context, _ blob.Mark) iter.Seq2[blob.Object, error] {
				return func(func(blob.Object, error) bool) { waits(ctx) }
			}}
		}, nil, false},
		{"while a plan lists", func(s *blob.Store) blob.Source {
			return blob.Source{Store: s, Name: "slow", Objects: func(ctx context.Context, _ blob.Mark) iter.Seq2[blob.Object, error] {
				return func(yield func(blob.Object, error) bool) { yield(blob.Object{}, waits(ctx)) }
			}}
		}, nil, true},
		{"while the sink writes", func(s *blob.Store) blob.Source { return s.List(nil) },
			func(ctx context.Context, _ *stream.Batch) error { return waits(ctx) }, false},
		{"while the sink writes, which hides it", func(s *blob.Store) blob.Source { return s.List(nil) },
			func(ctx context.Context, _ *stream.Batch) error { waits(ctx); return nil }, false},
	} {
		inTime(t, tt.reason, func(t *testing.T) {
			s := store(t, map[string][]byte{"a": []byte("one\n"), "b": []byte("two\n")})
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, shutdown)
			defer cancel()
			var err error
			if tt.plan {
				_, err = archive.NewPlan(ctx, tt.source(s), nil)
			} else {
				_, err = stream.Backfill(ctx, tt.source(s), orNull(tt.sink), &stream.Options{Lanes: 1})
			}
			var e *stream.Error
			if !errors.As(err, &e) && tt.sink == nil || e != nil && (e.Class != stream.ClassCanceled || e.Source == "") {
				t.Errorf("got %#v, want an *Error of class canceled with the source", err)
			}
			if stream.ClassOf(err) != stream.ClassCanceled || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, shutdown) {
				t.Errorf("got %v of class %s, want canceled, the deadline and its cause", err, stream.ClassOf(err))
			}
		})
	}
}

func orNull(f stream.SinkFunc) stream.Sink {
	if f == nil {
		return stream.Discard
	}
	return f
}
