package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// numbers is what ParseTo is, made of public things alone.
type numbers struct {
	deliver func(context.Context, []int) error
}

func (s numbers) Open(context.Context, int) (stream.Writer, error) { return &numberWriter{to: s}, nil }

type numberWriter struct {
	to     numbers
	values []int
}

func (w *numberWriter) Write(ctx context.Context, b *stream.Batch) error {
	w.values = w.values[:0]
	refused := b.Parse(ctx, func() error {
		for i := range b.Len() {
			n, err := strconv.Atoi(string(b.Record(i).Data))
			if err == nil {
				w.values = append(w.values, n)
			} else if err := b.Refuse(i, err); err != nil {
				return err
			}
		}
		return nil
	})
	if len(w.values) > 0 {
		if err := w.to.deliver(ctx, w.values); err != nil {
			return err
		}
	}
	if refused != nil {
		return fmt.Errorf("numbers: %w", refused) // wrapped, as a Writer around another does
	}
	return nil
}

func (w *numberWriter) Flush(context.Context) error { return nil }
func (w *numberWriter) Close() error                { return nil }
func (w *numberWriter) DurableWrites() bool         { return true }

// The Sink that parses could be anybody's: one of public things does the same, under
// every policy.
func TestParseToIsPublic(t *testing.T) {
	data := "1\n2\nx\n3\ny\n4\n"
	s := store(t, map[string][]byte{"a": []byte(data), "b": []byte("5\n"), "c": []byte("x\n6\n")})
	for _, tt := range []struct {
		why          string
		leave        int // how many records the policy leaves out
		object       stream.Policy
		want         []int
		skipped, bad int64 // records, objects
	}{
		{"records are left out", 3, nil, []int{1, 2, 3, 4, 5, 6}, 3, 0},
		{"the second fails its object, what is before it is delivered", 1, stream.SkipClasses(), []int{1, 2, 3, 5}, 1, 2},
		{"each fails its object", 0, stream.SkipClasses(), []int{1, 2, 5}, 0, 2},
		{"the first ends the job", 0, nil, []int{1, 2}, 0, 1},
	} {
		var reports []*stream.Report
		for _, own := range []bool{false, true} {
			var got []int
			deliver := func(_ context.Context, v []int) error { got = append(got, v...); return nil }
			sink := stream.Sink(numbers{deliver})
			if !own {
				sink = stream.ParseTo(func(r stream.Record) (int, error) { return strconv.Atoi(string(r.Data)) }, deliver)
			}
			var asked []string
			policy := stream.SkipAtMost(tt.leave)
			rep, err := stream.Backfill(t.Context(), s.List(nil), sink, &stream.Options{Lanes: 1, OnObjectError: tt.object,
				OnRecordError: func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
					asked = append(asked, e.Key)
					if !errors.Is(e, strconv.ErrSyntax) || e.Class != stream.ClassBadRecord {
						t.Errorf("%s: the policy is asked about %v", tt.why, e)
					}
					return policy(e, stream.Totals{})
				}})
			if !slices.Equal(got, tt.want) || rep.Counts.RecordsSkipped != tt.skipped || rep.Counts.Skipped.Objects+rep.Counts.Failed.Objects != tt.bad {
				t.Errorf("%s, own %v: got %v, %d records and %d objects left out, %v, want %v, %d, %d",
					tt.why, own, got, rep.Counts.RecordsSkipped, rep.Counts.Skipped.Objects, err, tt.want, tt.skipped, tt.bad)
			}
			if (err != nil) != (tt.object == nil && tt.leave == 0) || err != nil && stream.ClassOf(err) != stream.ClassBadRecord {
				t.Errorf("%s, own %v: got %v of class %v", tt.why, own, err, stream.ClassOf(err))
			}
			if rep.Counts.Delivered() != int64(len(tt.want)) {
				t.Errorf("%s, own %v: %d records count as delivered, want %d", tt.why, own, rep.Counts.Delivered(), len(tt.want))
			}
			reports = append(reports, rep)
		}
		if !reflect.DeepEqual(reports[0].Counts, reports[1].Counts) {
			t.Errorf("%s: counts are\n%+v of ParseTo\n%+v of the custom one", tt.why, reports[0].Counts, reports[1].Counts)
		}
	}
}

// objects is what PerObject is, made of public things alone.
type objects struct {
	open func(context.Context, blob.Object) (stream.Writer, error)
}

func (s objects) Open(context.Context, int) (stream.Writer, error) {
	return &objectsWriter{open: s.open}, nil
}

type objectsWriter struct {
	open    func(context.Context, blob.Object) (stream.Writer, error)
	current stream.Writer
}

func (w *objectsWriter) Write(ctx context.Context, b *stream.Batch) (err error) {
	if err := b.HoldObject(); err != nil {
		return err
	}
	if b.StartsObject() {
		if err := w.Close(); err != nil {
			return err
		}
		if w.current, err = w.open(ctx, b.Object()); err != nil {
			return err
		}
	}
	if err := w.current.Write(ctx, b); err != nil || !b.EndsObject() {
		return err
	}
	if err := w.current.Flush(ctx); err != nil {
		return err
	}
	return w.Close()
}

func (w *objectsWriter) Flush(context.Context) error { return nil }
func (w *objectsWriter) AbandonObject() error        { return w.Close() }
func (w *objectsWriter) Close() error {
	c := w.current
	if w.current = nil; c == nil {
		return nil
	}
	return c.Close()
}

// So could be the one of whole objects, also within a Writer that hides what it is.
func TestPerObjectIsPublic(t *testing.T) {
	s, _ := mixed(t)
	var logs [][]string
	for _, wrap := range []func(stream.Sink) stream.Sink{
		func(s stream.Sink) stream.Sink { return s },
		func(s stream.Sink) stream.Sink { return passing{s} },
	} {
		for _, own := range []bool{false, true} {
			var log []string
			open := func(_ context.Context, o blob.Object) (stream.Writer, error) {
				log = append(log, o.Key)
				return &objectSink{log: &log}, nil
			}
			sink := stream.PerObject(open)
			if own {
				sink = objects{open}
			}
			_, err := stream.Backfill(t.Context(), s.List(nil), wrap(sink), &stream.Options{Lanes: 1, OnObjectError: stream.SkipClasses()})
			if err != nil {
				t.Error(err)
			}
			logs = append(logs, log)
		}
	}
	for _, log := range logs[1:] {
		if len(log) == 0 || !slices.Equal(log, logs[0]) {
			t.Errorf("got\n%q, want\n%q", log, logs[0])
		}
	}
}

// A Writer of whole objects whose nature is hidden never gets a part of one, whoever
// began it.
func TestHiddenObjectsBeginAtTheirStart(t *testing.T) {
	data := strings.Repeat("some text\n", 100_000)
	s := store(t, map[string][]byte{"a": []byte(data)})
	cp, n := &memCheckpoint{}, 0
	opts := &stream.Options{Lanes: 1, Checkpoint: cp, CheckpointEvery: time.Microsecond}
	if rep, err := stream.Backfill(t.Context(), s.List(nil), stopping{stream.Discard, &n, 4}, opts); err != nil || !rep.Stopped {
		t.Fatal(err)
	}
	c := &wholeObjects{map[string][]string{}}
	rep, err := stream.Backfill(t.Context(), s.List(nil), passing{stream.PerObject(c.open)}, opts)
	if err != nil || !rep.Resumed || !rep.Complete() || len(c.got["a"]) != 100_000 {
		t.Errorf("got %d records, resumed %v, complete %v, %v, want all records in one piece", len(c.got["a"]), rep.Resumed, rep.Complete(), err)
	}
	if left := rep.Counts.Remaining(); left != (stream.Tally{}) {
		t.Errorf("counts are %+v", rep.Counts)
	}
}

// What a Batch offers in Write it refuses outside, and answers twice what it was
// asked twice.
func TestRefuse(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("0\n1\n2\n3\n4\n")})
	no := errors.New("no")
	for _, tt := range []struct {
		why     string
		policy  stream.Policy
		order   []int  // records refused
		answers []bool // which fail
		asked   int
		skipped int64
		records int64 // delivered
		err     error // of Write beside
	}{
		{"each once", stream.SkipClasses(), []int{0, 4}, []bool{false, false}, 2, 2, 3, nil},
		{"twice, and out of order", stream.SkipClasses(), []int{3, 1, 3, 1}, []bool{false, false, false, false}, 2, 2, 3, nil},
		{"one that fails counts what is before it", nil, []int{2}, []bool{true}, 1, 0, 2, nil},
		{"what follows it is not asked about", nil, []int{2, 3, 2}, []bool{true, true, true}, 1, 0, 2, nil},
		{"an earlier one counts", stream.SkipAtMost(1), []int{1, 4, 3}, []bool{false, true, true}, 3, 1, 2, nil},
		{"the answer is not returned", nil, []int{2}, []bool{true}, 1, 0, 2, nil},
		{"another error is the sink's", stream.SkipAtMost(1), []int{1, 2}, []bool{false, true}, 2, 0, 0, no},
	} {
		asked := 0
		var kept, copied *stream.Batch
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			var last error
			for k, i := range tt.order {
				if err := b.Refuse(i, no); (err != nil) != tt.answers[k] {
					t.Errorf("%s: record %d: got %v, want an error: %v", tt.why, i, err, tt.answers[k])
				} else if err != nil {
					last = err
				}
			}
			kept, copied = b.Retain(), b.Retain()
			switch {
			case tt.err != nil:
				return tt.err
			case tt.why == "the answer is not returned":
				return nil
			}
			return last
		}), &stream.Options{Lanes: 1, OnObjectError: stream.SkipClasses(), OnRecordError: func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
			asked++
			if tt.policy == nil {
				return stream.Fail, nil
			}
			return tt.policy(e, stream.Totals{})
		}})
		if asked != tt.asked || rep.Counts.RecordsSkipped != tt.skipped || rep.Counts.Delivered() != tt.records || !errors.Is(err, tt.err) {
			t.Errorf("%s: got %d questions, %d records left out, %d delivered, %v, want %d, %d, %d, %v",
				tt.why, asked, rep.Counts.RecordsSkipped, rep.Counts.Delivered(), err, tt.asked, tt.skipped, tt.records, tt.err)
		}
		for _, b := range []*stream.Batch{kept, copied} {
			if err := b.Refuse(0, no); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s: after Write: got %v, want fs.ErrInvalid", tt.why, err)
			}
			if err := b.HoldObject(); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s: after Write: got %v, want fs.ErrInvalid", tt.why, err)
			}
			if err := b.Parse(t.Context(), func() error { return no }); err != no {
				t.Errorf("%s: Parse after Write: got %v, want what its function returned", tt.why, err)
			}
			b.Release()
		}
	}
}

// Lanes that parse share the workers with those that decode.
func TestParseTakesAWorker(t *testing.T) {
	objects := map[string][]byte{}
	for i := range 8 {
		objects[fmt.Sprint(i)] = []byte(strings.Repeat("text\n", 1000))
	}
	s := store(t, objects)
	var mu sync.Mutex
	now, most := 0, 0
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
		return b.Parse(ctx, func() error {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			defer func() {
				mu.Lock()
				now--
				mu.Unlock()
			}()
			for range b.All() {
			}
			return nil
		})
	}), &stream.Options{Lanes: 8, Workers: 1})
	if err != nil || !rep.Complete() || most != 1 {
		t.Errorf("got %v, %d parsed at once, want 1", err, most)
	}
}
