package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// mixed is a store with one good object on either side of bad ones.
func mixed(t *testing.T) (*blob.Store, []byte) {
	data := corpus.NDJSONBytes(1, 2000)
	gz := encode(t, "gzip", data)
	return store(t, map[string][]byte{
		"a.gz": gz, "b-cut.gz": gz[:len(gz)-10], "c.gz": gz, "d-cut.gz": gz[:len(gz)/2], "e.gz": gz,
	}), data
}

func TestObjectPolicies(t *testing.T) {
	var quarantine bytes.Buffer
	tests := []struct {
		name     string
		policy   stream.Policy
		fails    bool
		done     int64
		skipped  int64
		complete bool
	}{
		{"nil stops at the first", nil, true, 1, 0, false},
		{"skip", stream.SkipClasses(stream.ClassTruncated), false, 3, 2, false},
		{"skip another class", stream.SkipClasses(stream.ClassMissing), true, 1, 0, false},
		{"skip at most one", stream.SkipAtMost(1), true, 2, 1, false},
		{"quarantine", stream.Quarantine(&quarantine, stream.ClassTruncated, stream.ClassCorrupt), false, 3, 2, false},
		{"retry gives up", stream.RetryAtMost(2), true, 1, 0, false},
		{"retry, then skip", stream.FirstOf(stream.RetryAtMost(2), stream.SkipAtMost(5)), false, 3, 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, data := mixed(t)
			c := newCollector()
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write),
				&stream.Options{Lanes: 1, OnObjectError: tt.policy})
			if tt.fails != (err != nil) {
				t.Fatalf("got error %v", err)
			}
			if err != nil && stream.ClassOf(err) != stream.ClassTruncated {
				t.Errorf("class is %v", stream.ClassOf(err))
			}
			n := rep.Counts
			if n.Done.Objects != tt.done || n.Skipped.Objects != tt.skipped || rep.Complete() {
				t.Errorf("done %d, skipped %d, complete %v:\n%s", n.Done.Objects, n.Skipped.Objects, rep.Complete(), rep)
			}
			if sum := n.Done.Objects + n.Skipped.Objects + n.Failed.Objects + n.Remaining().Objects; sum != n.Listed.Objects {
				t.Errorf("outcomes add up to %d of %d", sum, n.Listed.Objects)
			}
			if strings.HasPrefix(tt.name, "retry") {
				// A retry goes on behind what was delivered.
				if got, want := c.records["b-cut.gz"], lines(data); !slices.Equal(got, want[:len(got)]) || len(got) == 0 {
					t.Errorf("retries delivered %d records of b-cut.gz, repeated or missing some", len(got))
				}
				if n.Retried == 0 {
					t.Error("no retry was counted")
				}
			}
			if len(rep.Failures) != int(n.Skipped.Objects+n.Failed.Objects) {
				t.Errorf("%d failures kept, want %d", len(rep.Failures), n.Skipped.Objects+n.Failed.Objects)
			}
		})
	}
	var entries []stream.QuarantineEntry
	for line := range bytes.Lines(quarantine.Bytes()) {
		var e stream.QuarantineEntry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if len(entries) != 2 || entries[0].Key != "b-cut.gz" || entries[0].Class != stream.ClassTruncated || entries[0].StoredEnd == 0 {
		t.Errorf("quarantine holds %+v", entries)
	}
}

func TestParseTo(t *testing.T) {
	var data []byte
	for i := range 5000 {
		if i%1000 == 7 {
			data = append(data, "no number\n"...)
			continue
		}
		data = strconv.AppendInt(data, int64(i), 10)
		data = append(data, '\n')
	}
	s := store(t, map[string][]byte{"n.txt": data, "o.txt": []byte("1\n2\n")})
	parse := func(rec stream.Record) (int, error) { return strconv.Atoi(string(rec.Data)) }
	tests := []struct {
		name   string
		record stream.Policy
		object stream.Policy
		class  stream.Class
		sum    int
	}{
		{"skip", stream.SkipAtMost(100), nil, stream.ClassOther, 4995 + 2},
		{"nil fails the object, which ends the job", nil, nil, stream.ClassBadRecord, -1},
		{"nil fails the object, which is skipped: what was before is delivered", nil, stream.SkipClasses(stream.ClassBadRecord), stream.ClassOther, 7 + 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.ParseTo(parse, func(_ context.Context, v []int) error {
				n += len(v)
				return nil
			}), &stream.Options{Lanes: 1, OnRecordError: tt.record, OnObjectError: tt.object})
			if (tt.class == stream.ClassOther) != (err == nil) || err != nil && stream.ClassOf(err) != tt.class {
				t.Fatalf("got %v, want class %v", err, tt.class)
			}
			var e *stream.Error
			if r, ok := errors.AsType[*stream.RecordError](err); err != nil && (!errors.As(err, &e) || !ok || r.Index != 7 || e.Key != "n.txt") {
				t.Errorf("got %+v, want record 7 of n.txt", e)
			}
			if tt.sum >= 0 && n != tt.sum {
				t.Errorf("%d values delivered, want %d", n, tt.sum)
			}
			if tt.name == "skip" && (rep.Counts.RecordsSkipped != 5 || rep.Counts.Delivered() != 4997) {
				t.Errorf("counted %d skipped, %d delivered", rep.Counts.RecordsSkipped, rep.Counts.Delivered())
			}
		})
	}
}

// Errors of the sink never reach a policy.
func TestSinkErrorEndsTheJob(t *testing.T) {
	s, _ := mixed(t)
	boom := errors.New("boom")
	asked := 0
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error { return boom }),
		&stream.Options{OnObjectError: func(*stream.Error, stream.Totals) (stream.Action, error) { asked++; return stream.Skip, nil }})
	if !errors.Is(err, boom) || stream.ClassOf(err) != stream.ClassSinkFailed || asked != 0 {
		t.Errorf("got %v of class %v, %d questions", err, stream.ClassOf(err), asked)
	}
}

func TestStopEndsCleanly(t *testing.T) {
	s, _ := mixed(t)
	n := 0
	rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
		if n++; n > 2 {
			return stream.Stop
		}
		return nil
	}), &stream.Options{Lanes: 1})
	if err != nil || !rep.Stopped || rep.Complete() || rep.Counts.Remaining().Objects == 0 {
		t.Errorf("got %v, stopped %v, complete %v, %d remain", err, rep.Stopped, rep.Complete(), rep.Counts.Remaining().Objects)
	}
}

// A missing object of a key list is an outcome like any other.
func TestMissingKey(t *testing.T) {
	s := store(t, map[string][]byte{"a": []byte("1\n"), "c": []byte("2\n")})
	src := blob.Keys(s, "a", "b", "c")
	_, err := stream.Backfill(t.Context(), src, stream.Discard, &stream.Options{Lanes: 1})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	rep, err := stream.Backfill(t.Context(), src, stream.Discard, &stream.Options{OnObjectError: stream.SkipClasses(stream.ClassMissing)})
	if err != nil || rep.Counts.Done.Objects != 2 || rep.Counts.Skipped.Objects != 1 {
		t.Errorf("got %v, counts %+v", err, rep.Counts)
	}
}

type objectSink struct {
	log  *[]string
	last bool
}

func (w *objectSink) Write(_ context.Context, b *stream.Batch) error {
	w.last = b.EndsObject()
	return nil
}

func (w *objectSink) Flush(context.Context) error {
	*w.log = append(*w.log, "flush")
	return nil
}

func (w *objectSink) Close() error {
	*w.log = append(*w.log, fmt.Sprintf("close last=%v", w.last))
	return nil
}

// PerObject opens and closes one Writer an object, and flushes only whole ones.
func TestPerObject(t *testing.T) {
	s, _ := mixed(t)
	var log []string
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.PerObject(func(_ context.Context, o blob.Object) (stream.Writer, error) {
		log = append(log, o.Key)
		return &objectSink{log: &log}, nil
	}), &stream.Options{Lanes: 1, OnObjectError: stream.SkipClasses()})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.gz", "flush", "close last=true", "b-cut.gz", "close last=false", "c.gz", "flush", "close last=true",
		"d-cut.gz", "close last=false", "e.gz", "flush", "close last=true"}
	if !slices.Equal(log, want) {
		t.Errorf("got %q, want %q", log, want)
	}
}

// Without classes, what reading again cannot change is not retried; with them, the
// caller's word counts.
func TestRetriesOfLastingFailures(t *testing.T) {
	retried := map[stream.Class]bool{stream.ClassLimit: false, stream.ClassDictionary: false, stream.ClassUnsupported: false,
		stream.ClassOversized: false, stream.ClassBadRecord: false, stream.ClassTransient: true, stream.ClassTruncated: true,
		stream.ClassCorrupt: true, stream.ClassChecksum: true, stream.ClassChanged: true, stream.ClassMissing: true, stream.ClassOther: true}
	for class, want := range retried {
		action, err := stream.RetryAtMost(1)(&stream.Error{Key: "a", Class: class}, stream.Totals{})
		if err != nil || (action == stream.Retry) != want {
			t.Errorf("%v: got %v and %v, want a retry: %v", class, action, err, want)
		}
		if action, _ := stream.RetryAtMost(1, class)(&stream.Error{Key: "a", Class: class}, stream.Totals{}); action != stream.Retry {
			t.Errorf("%v by name: got %v", class, action)
		}
	}
}
