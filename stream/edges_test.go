package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// flaky is a store whose bodies break off at the given stored offsets, each once.
type flaky struct {
	driver.Driver
	at []int64
}

func (f *flaky) ReadRange(ctx context.Context, key string, off, n int64, version string) (driver.Range, error) {
	r, err := f.Driver.ReadRange(ctx, key, off, n, version)
	if err == nil && len(f.at) > 0 && f.at[0] > off {
		r.Body = &brokenBody{ReadCloser: r.Body, left: f.at[0] - off}
		f.at = f.at[1:]
	}
	return r, err
}

type brokenBody struct {
	io.ReadCloser
	left int64
}

func (b *brokenBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, fmt.Errorf("connection lost: %w", driver.ErrTransient)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// A retry goes on behind the last record delivered, wherever the fault was.
func TestRetryDeliversOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, codec := range []string{"none", "gzip", "zstd", "lz4"} {
		for _, width := range []int{64, 1000, 100 << 10} { // 64 divides a slab
			var data []byte
			var want []string
			for i := range max(12, 2<<20/width) {
				rec := bytes.Repeat([]byte{'a' + byte(rng.IntN(26))}, width-1)
				copy(rec, fmt.Sprint(i))
				want = append(want, string(rec))
				data = append(append(data, rec...), '\n')
			}
			enc := encode(t, codec, data)
			var at []int64
			for range 6 {
				at = append(at, 1+rng.Int64N(int64(len(enc))))
			}
			if codec == "none" {
				at[0], at[1] = 256<<10, 512<<10
			}
			slices.Sort(at)
			mem := memstore.New()
			base := blob.New(mem, nil)
			put(t, base, "a.txt", enc)
			f := &flaky{mem, at}
			s := blob.New(f, once)
			c := newCollector()
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write),
				&stream.Options{Lanes: 1, OnObjectError: stream.RetryAtMost(10)})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c.records["a.txt"], want) {
				t.Errorf("%s, records of %d bytes: got %d records, want %d, each once", codec, width, len(c.records["a.txt"]), len(want))
			}
			n := rep.Counts
			if n.Retried == 0 || n.Done.Delivered != int64(len(want)) || n.Remaining() != (stream.Tally{}) || !rep.Complete() {
				t.Errorf("%s: counts are %+v", codec, n)
			}
		}
	}
}

// wholeObjects collects objects by PerObject, and drops incomplete ones.
type wholeObjects struct {
	got map[string][]string
}

type wholeWriter struct {
	to   *wholeObjects
	key  string
	recs []string
	last bool
}

func (s *wholeObjects) open(_ context.Context, o blob.Object) (stream.Writer, error) {
	return &wholeWriter{to: s, key: o.Key}, nil
}

func (w *wholeWriter) Write(_ context.Context, b *stream.Batch) error {
	for rec := range b.All() {
		w.recs = append(w.recs, string(rec.Data))
	}
	w.last = b.EndsObject()
	return nil
}

func (w *wholeWriter) Flush(context.Context) error {
	if w.last {
		w.to.got[w.key] = w.recs
	}
	return nil
}

func (w *wholeWriter) Close() error { return nil }

// An object that is read again reaches a Writer of its own from its start.
func TestPerObjectRetry(t *testing.T) {
	data := corpus.NDJSONBytes(1, 20000)
	mem := memstore.New()
	base := blob.New(mem, nil)
	put(t, base, "a.ndjson", data)
	s := blob.New(&flaky{mem, []int64{1 << 20, 2 << 20}}, once)
	c := &wholeObjects{map[string][]string{}}
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.PerObject(c.open),
		&stream.Options{Lanes: 1, OnObjectError: stream.RetryAtMost(10)})
	if err != nil || !slices.Equal(c.got["a.ndjson"], lines(data)) {
		t.Errorf("got %d records and %v, want %d", len(c.got["a.ndjson"]), err, 20000)
	}
	if rep.Counts.Done.Delivered != 20000 || rep.Counts.Remaining() != (stream.Tally{}) {
		t.Errorf("counts are %+v", rep.Counts)
	}
}

// passing is a Sink around another: what that can do beyond Writer is hidden.
type passing struct{ stream.Sink }

type passingWriter struct{ w stream.Writer }

func (s passing) Open(ctx context.Context, lane int) (stream.Writer, error) {
	w, err := s.Sink.Open(ctx, lane)
	return passingWriter{w}, err
}
func (w passingWriter) Write(ctx context.Context, b *stream.Batch) error { return w.w.Write(ctx, b) }
func (w passingWriter) Flush(ctx context.Context) error                  { return w.w.Flush(ctx) }
func (w passingWriter) Close() error                                     { return w.w.Close() }

// A job of whole objects that is broken off begins the open one from its start,
// also when another Sink stands around PerObject, and when the run before was of
// another kind.
func TestPerObjectResume(t *testing.T) {
	data := corpus.NDJSONBytes(1, 20000)
	s := store(t, map[string][]byte{"a.ndjson": data})
	for name, first := range map[string]func(c *wholeObjects) stream.Sink{
		"plain":   func(c *wholeObjects) stream.Sink { return stream.PerObject(c.open) },
		"wrapped": func(c *wholeObjects) stream.Sink { return passing{stream.PerObject(c.open)} },
		"another": func(*wholeObjects) stream.Sink { return stream.Discard },
	} {
		c := &wholeObjects{map[string][]string{}}
		cp := &memCheckpoint{}
		n := 0
		sink := stopping{first(c), &n, 4}
		opts := &stream.Options{Lanes: 1, Checkpoint: cp, CheckpointEvery: time.Microsecond}
		if rep, err := stream.Backfill(t.Context(), s.List(nil), sink, opts); err != nil || !rep.Stopped {
			t.Fatal(err)
		}
		if _, err := stream.Backfill(t.Context(), s.List(nil), stream.PerObject(c.open), opts); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(c.got["a.ndjson"], lines(data)) {
			t.Errorf("%s: got %d records, want all", name, len(c.got["a.ndjson"]))
		}
	}
}

// stopping passes n batches on and then stops.
type stopping struct {
	stream.Sink
	n    *int
	most int
}

type stoppingWriter struct {
	stream.Writer
	s stopping
}

func (s stopping) Open(ctx context.Context, lane int) (stream.Writer, error) {
	w, err := s.Sink.Open(ctx, lane)
	return stoppingWriter{w, s}, err
}

func (w stoppingWriter) Write(ctx context.Context, b *stream.Batch) error {
	if *w.s.n++; *w.s.n > w.s.most {
		return stream.Stop
	}
	return w.Writer.Write(ctx, b)
}

// An error of the sink ends the job, whatever it wraps: policies are not asked.
func TestSinkErrorsReachNoPolicy(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("x\ny\n")})
	for _, inner := range []error{
		&stream.Error{Key: "other", Class: stream.ClassBadRecord, Err: &stream.RecordError{Index: 3, Err: errors.New("bad")}},
		&stream.Error{Key: "other", Class: stream.ClassMissing, Err: errors.New("gone")},
		context.Canceled, context.DeadlineExceeded, // of its own
	} {
		asked := 0
		policy := func(*stream.Error, stream.Totals) (stream.Action, error) { asked++; return stream.Skip, nil }
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
			return fmt.Errorf("lookup: %w", inner)
		}), &stream.Options{OnObjectError: policy, OnRecordError: policy})
		if !errors.Is(err, inner) || stream.ClassOf(err) != stream.ClassSinkFailed || asked != 0 || rep.Counts.Skipped.Objects != 0 {
			t.Errorf("got %v of class %v, %d questions, want class sink and none", err, stream.ClassOf(err), asked)
		}
	}
}

// A policy's own error ends the job and is not put to another policy.
func TestPolicyErrorsEndTheJob(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("x\ny\n")})
	full := &stream.Error{Key: "quarantine", Class: stream.ClassDenied, Err: errors.New("disk full")}
	asked := 0
	sink := stream.ParseTo(func(stream.Record) (int, error) { return 0, errors.New("no") },
		func(context.Context, []int) error { return nil })
	_, err := stream.Backfill(t.Context(), s.List(nil), sink, &stream.Options{
		OnRecordError: func(*stream.Error, stream.Totals) (stream.Action, error) { return stream.Skip, full },
		OnObjectError: func(*stream.Error, stream.Totals) (stream.Action, error) { asked++; return stream.Skip, nil },
	})
	if !errors.Is(err, full) || asked != 0 {
		t.Errorf("got %v, %d questions", err, asked)
	}
}

// The class is canceled when the context ended, whatever its cause and whoever
// found out.
func TestEndOfContext(t *testing.T) {
	s := store(t, map[string][]byte{"a": corpus.NDJSONBytes(1, 5000), "b": []byte("x\n")})
	shutdown := errors.New("shutdown")
	for _, name := range []string{"sink says so", "sink hides it"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		rep, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(ctx context.Context, _ *stream.Batch) error {
			cancel(shutdown)
			<-ctx.Done()
			if name == "sink says so" {
				return ctx.Err()
			}
			return nil
		}), &stream.Options{Lanes: 1})
		if stream.ClassOf(err) != stream.ClassCanceled || !errors.Is(err, context.Canceled) || rep.Complete() {
			t.Errorf("%s: got %v of class %v", name, err, stream.ClassOf(err))
		}
		if name == "sink hides it" && !errors.Is(err, shutdown) {
			t.Errorf("%s: %v lacks the cause", name, err)
		}
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := stream.Backfill(ctx, s.List(nil), stream.SinkFunc(func(ctx context.Context, _ *stream.Batch) error { return ctx.Err() }), nil)
	if stream.ClassOf(err) != stream.ClassCanceled || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline: got %v of class %v", err, stream.ClassOf(err))
	}
}

// A context that ends when everything is delivered and durable spoils nothing. What
// is delivered and not flushed is not done.
func TestCanceledAfterTheLast(t *testing.T) {
	for _, tt := range []struct {
		reason string
		sink   stream.Sink
		whole  bool
	}{
		{"Write is durable", stream.Discard, true},
		{"Write is not", &countingSink{write: func(int) error { return nil }}, false},
	} {
		inTime(t, tt.reason, func(t *testing.T) {
			s := store(t, map[string][]byte{"a": []byte("x\n")})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			rep, err := stream.Backfill(ctx, blob.Keys(s, "a"), tt.sink, &stream.Options{Lanes: 1, Checkpoint: &memCheckpoint{},
				CheckpointEvery: time.Hour, Trace: &stream.Trace{ObjectEnd: func(stream.ObjectEnd) {
					synctest.Wait() // the source has ended by then
					cancel()
				}}})
			switch {
			case tt.whole && (err != nil || !rep.Complete() || rep.Counts.Done.Objects != 1):
				t.Errorf("got %v, complete %v, counts %+v, want a complete job", err, rep.Complete(), rep.Counts)
			case !tt.whole && (stream.ClassOf(err) != stream.ClassCanceled || rep.Complete() || rep.Counts.Remaining().Objects != 1):
				t.Errorf("got %v, complete %v, counts %+v, want a canceled job with one object that remains", err, rep.Complete(), rep.Counts)
			}
		})
	}
}

// Hooks hear of objects that failed, also when a policy goes on.
func TestObjectEndTellsTheError(t *testing.T) {
	s, _ := mixed(t)
	for _, policy := range []stream.Policy{nil, stream.SkipClasses(), stream.FirstOf(stream.RetryAtMost(1), stream.SkipClasses())} {
		var ends []string
		stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Lanes: 1, OnObjectError: policy,
			Trace: &stream.Trace{ObjectEnd: func(e stream.ObjectEnd) {
				if bad := strings.Contains(e.Object.Key, "cut"); bad != (e.Err != nil) {
					t.Errorf("%s ends with %v", e.Object.Key, e.Err)
				}
				ends = append(ends, e.Object.Key)
			}}})
		if len(ends) < 2 {
			t.Errorf("saw the ends of %v", ends)
		}
	}
}

// What cannot work is an error, not a panic.
func TestNonsense(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("x\n")})
	if _, err := stream.Backfill(t.Context(), blob.Source{}, stream.Discard, nil); err == nil {
		t.Error("a zero Source is no error")
	}
	if _, err := stream.Backfill(t.Context(), s.List(nil), nil, nil); err == nil {
		t.Error("a nil Sink is no error")
	}
	if _, err := stream.Backfill(t.Context(), s.List(nil), noWriter{}, nil); stream.ClassOf(err) != stream.ClassSinkFailed {
		t.Errorf("a nil Writer: got %v", err)
	}
	for _, opts := range []*stream.OpenOptions{
		nil, {Read: stream.ReadOptions{Codec: "nope"}}, {Read: stream.ReadOptions{Frame: "nope"}},
		{Read: stream.ReadOptions{Pool: stream.NewPool(&stream.PoolOptions{Memory: 1 << 20})}},
	} {
		var e *stream.Error
		if _, err := stream.Open(t.Context(), s, "", opts); !errors.As(err, &e) || isOfRecord(err) {
			t.Errorf("Open: got %T %v, want *stream.Error", err, err)
		}
		for _, err := range stream.Records(t.Context(), s, "", recordsOptions(opts)) {
			if !errors.As(err, &e) || isOfRecord(err) {
				t.Errorf("Records: got %T %v, want *stream.Error", err, err)
			}
		}
	}
}

type noWriter struct{}

func (noWriter) Open(context.Context, int) (stream.Writer, error) { return nil, nil }

// Stop from any method of the sink ends the job cleanly.
func TestStopAnywhere(t *testing.T) {
	s, _ := mixed(t)
	for _, where := range []string{"open", "write", "flush", "close"} {
		rep, err := stream.Backfill(t.Context(), s.List(nil), stopAt(where), &stream.Options{Lanes: 2, OnObjectError: stream.SkipClasses()})
		if err != nil || !rep.Stopped || rep.Complete() {
			t.Errorf("%s: got %v, stopped %v, complete %v", where, err, rep.Stopped, rep.Complete())
		}
	}
}

type stopAt string

func (s stopAt) at(where string) error {
	if string(s) == where {
		return stream.Stop
	}
	return nil
}

func (s stopAt) Open(context.Context, int) (stream.Writer, error) { return s, s.at("open") }
func (s stopAt) Write(context.Context, *stream.Batch) error       { return s.at("write") }
func (s stopAt) Flush(context.Context) error                      { return s.at("flush") }
func (s stopAt) Close() error                                     { return s.at("close") }

// A source's error ends the job with what was read before; behind a Stop it is
// of no interest.
func TestSourceErrors(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("x\n"), "b": []byte("y\n")})
	broken := errors.New("listing broke")
	for at := range 3 {
		src := blob.Source{Store: s, Name: "broken", Objects: func(context.Context, blob.Mark) iter.Seq2[blob.Object, error] {
			return func(yield func(blob.Object, error) bool) {
				for _, key := range []string{"a", "b"}[:min(at, 2)] {
					if !yield(blob.Object{Key: key, Size: -1}, nil) {
						return
					}
				}
				yield(blob.Object{}, broken)
			}
		}}
		rep, err := stream.Backfill(t.Context(), src, stream.Discard, nil)
		if !errors.Is(err, broken) || rep.Complete() || rep.ListingDone {
			t.Errorf("behind %d objects: got %v, complete %v", at, err, rep.Complete())
		}
	}
}
