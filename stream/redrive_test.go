package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// listOf yields entries.
func listOf(entries ...stream.QuarantineEntry) iter.Seq2[stream.QuarantineEntry, error] {
	return func(yield func(stream.QuarantineEntry, error) bool) {
		for _, q := range entries {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// recordEntry is the entry of record i of key, and objectEntry that of key from record i on.
func recordEntry(key string, i, offset int64) stream.QuarantineEntry {
	return stream.QuarantineEntry{Key: key, Version: "1", Class: stream.ClassBadRecord, DecodedOffset: offset, Record: &i}
}

func objectEntry(key string, i int64) stream.QuarantineEntry {
	return stream.QuarantineEntry{Key: key, Version: "1", Class: stream.ClassCorrupt, NextRecord: &i}
}

// A Redrive delivers the records that its entries name and no other, each once, and says
// what is not there.
func TestRedrive(t *testing.T) {
	t.Parallel()
	six := []byte("r0\nr1\nr2\nr3\nr4\nr5\n")
	offset := func(i int64) int64 { return 3 * i }
	both := recordEntry("a", 1, 3)
	both.NextRecord = ptr(4)
	listed := objectEntry("a", 5)
	listed.Records = []int64{0, 2}
	single := objectEntry("a", 0)
	single.NextRecord, single.Records = nil, []int64{3}
	unpinned := objectEntry("a", 4)
	unpinned.Version = ""
	tests := []struct {
		why     string
		entries []stream.QuarantineEntry
		want    map[string][]string
		class   stream.Class // of the one failure; ClassOther for none
	}{
		{"nothing", nil, map[string][]string{}, stream.ClassOther},
		{"single records", []stream.QuarantineEntry{recordEntry("a", 4, offset(4)), recordEntry("a", 1, offset(1)), recordEntry("a", 2, offset(2))},
			map[string][]string{"a": {"r1", "r2", "r4"}}, stream.ClassOther},
		{"an entry twice", []stream.QuarantineEntry{recordEntry("a", 1, 3), recordEntry("a", 1, 3)}, map[string][]string{"a": {"r1"}}, stream.ClassOther},
		{"an object from a record on, twice", []stream.QuarantineEntry{objectEntry("a", 5), objectEntry("a", 4)}, map[string][]string{"a": {"r4", "r5"}}, stream.ClassOther},
		{"an object and records of it on either side", []stream.QuarantineEntry{recordEntry("a", 5, 15), recordEntry("a", 0, 0), objectEntry("a", 4)},
			map[string][]string{"a": {"r0", "r4", "r5"}}, stream.ClassOther},
		{"a record that failed its object", []stream.QuarantineEntry{both}, map[string][]string{"a": {"r4", "r5"}}, stream.ClassOther},
		{"an object that failed at its end", []stream.QuarantineEntry{objectEntry("a", 6)}, map[string][]string{}, stream.ClassOther},
		{"an entry of a redrive", []stream.QuarantineEntry{listed}, map[string][]string{"a": {"r0", "r2", "r5"}}, stream.ClassOther},
		{"one of single records alone", []stream.QuarantineEntry{single}, map[string][]string{"a": {"r3"}}, stream.ClassOther},
		{"an entry with a key alone", []stream.QuarantineEntry{{Key: "a"}}, map[string][]string{"a": lines(six)}, stream.ClassOther},
		{"without a version: the current one", []stream.QuarantineEntry{unpinned}, map[string][]string{"a": {"r4", "r5"}}, stream.ClassOther},
		{"several objects", []stream.QuarantineEntry{objectEntry("b", 5), recordEntry("a", 0, 0)}, map[string][]string{"a": {"r0"}, "b": {"r5"}}, stream.ClassOther},
		{"the good ones beside one that is gone", []stream.QuarantineEntry{objectEntry("gone", 0), recordEntry("b", 0, 0)}, map[string][]string{"b": {"r0"}}, stream.ClassMissing},
		{"another version", []stream.QuarantineEntry{{Key: "a", Version: "0", Record: ptr(1), DecodedOffset: 3}, recordEntry("b", 0, 0)}, map[string][]string{"b": {"r0"}}, stream.ClassChanged},
		{"a record at another offset", []stream.QuarantineEntry{recordEntry("a", 1, 4), recordEntry("a", 2, 6)}, map[string][]string{"a": {"r2"}}, stream.ClassChanged},
		{"a record that is not there", []stream.QuarantineEntry{recordEntry("a", 6, 18), recordEntry("a", 5, 15)}, map[string][]string{"a": {"r5"}}, stream.ClassMissing},
		{"an object that is shorter than what was delivered", []stream.QuarantineEntry{objectEntry("a", 7)}, map[string][]string{}, stream.ClassMissing},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			s := store(t, map[string][]byte{"a": six})
			put(t, s, "b", encode(t, "gzip", six))
			all := newCollector()
			if _, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(all.write), nil); err != nil {
				t.Fatal(err)
			}
			entries := slices.Clone(tt.entries)
			for i, q := range entries { // as the store has it
				if obj, err := s.Stat(t.Context(), q.Key); err == nil && q.Version == "1" {
					entries[i].Version = obj.Version
				}
			}
			var again bytes.Buffer
			c := newCollector()
			policy := stream.Quarantine(&again)
			rep, err := stream.Redrive(t.Context(), s, listOf(entries...), stream.SinkFunc(c.write), &stream.Options{OnRecordError: policy, OnObjectError: policy})
			if err != nil {
				t.Fatal(err)
			}
			if !maps.EqualFunc(c.records, tt.want, slices.Equal[[]string]) {
				t.Errorf("delivered %q, want %q", c.records, tt.want)
			}
			for id, n := range c.ids {
				if n != 1 || all.ids[id] != 1 {
					t.Errorf("the record %s was delivered %d times, and %d times by the Backfill", id, n, all.ids[id])
				}
			}
			failed := entriesOf(t, &again)
			if want := tt.class != stream.ClassOther; want != (len(failed) == 1) || want && failed[0].Class != tt.class {
				t.Errorf("the quarantine has %s, want class %v", jsonOf(t, failed), tt.class)
			}
			if rep.Complete() != (len(failed) == 0) {
				t.Errorf("complete: %v, with %d failures", rep.Complete(), len(failed))
			}
			// What failed is still to be delivered, and nothing else.
			c2 := newCollector()
			if _, err := stream.Redrive(t.Context(), s, listOf(failed...), stream.SinkFunc(c2.write), &stream.Options{OnRecordError: stream.SkipClasses(), OnObjectError: stream.SkipClasses()}); err != nil || len(c2.records) > 0 {
				t.Errorf("the second redrive delivered %q, %v", c2.records, err)
			}
		})
	}
}

// What fails again is in the next quarantine, and no record besides.
func TestRedriveFailsAgain(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(3, 5000)
	gz := encode(t, "gzip", data)
	s := store(t, map[string][]byte{"cut.gz": gz[:len(gz)-20], "whole.gz": gz})
	version := map[string]string{}
	for _, key := range []string{"cut.gz", "whole.gz"} {
		obj, err := s.Stat(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		version[key] = obj.Version
	}
	at := func(key string, i int64) stream.QuarantineEntry {
		q := recordEntry(key, i, -1)
		q.Version = version[key]
		return q
	}
	var again bytes.Buffer
	policy := stream.Quarantine(&again)
	c := newCollector()
	bad := func(rec stream.Record) bool { return rec.Index == 20 }
	rep, err := stream.Redrive(t.Context(), s, listOf(at("cut.gz", 4999), at("cut.gz", 10), at("whole.gz", 20), at("whole.gz", 30)), refuse(c, true, bad),
		&stream.Options{OnRecordError: policy, OnObjectError: policy})
	if err != nil || rep.Complete() || rep.Counts.Done.Objects != 1 || rep.Counts.Skipped.Objects != 1 || rep.Counts.RecordsSkipped != 1 || rep.Counts.Delivered() != 2 {
		t.Fatalf("got %v, counts %+v", err, rep.Counts)
	}
	failed := entriesOf(t, &again)
	slices.SortFunc(failed, func(a, b stream.QuarantineEntry) int { return bytes.Compare([]byte(a.Key), []byte(b.Key)) })
	if len(failed) != 2 || failed[0].Class != stream.ClassTruncated || failed[0].NextRecord != nil || !slices.Equal(failed[0].Records, []int64{4999}) ||
		failed[1].Record == nil || *failed[1].Record != 20 || failed[1].NextRecord != nil {
		t.Errorf("the quarantine has %s", jsonOf(t, failed))
	}
}

// An object of which single records are asked for is read no further than them.
func TestRedriveStopsEarly(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(3, 200000)
	s := store(t, map[string][]byte{"a.ndjson": data})
	obj, err := s.Stat(t.Context(), "a.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	q := recordEntry("a.ndjson", 0, 0)
	q.Version = obj.Version
	c := newCollector()
	rep, err := stream.Redrive(t.Context(), s, listOf(q), stream.SinkFunc(c.write), nil)
	if err != nil || !rep.Complete() || c.last["a.ndjson"] != 1 || rep.Counts.Delivered() != 1 {
		t.Fatalf("got %v, counts %+v, %d ends", err, rep.Counts, c.last["a.ndjson"])
	}
	if n := rep.Counts.Decoded; n > 1<<20 || int64(len(data)) < 4*n {
		t.Errorf("decoded %d of %d bytes for the first record", n, len(data))
	}
}

// A manifest is of its entries, repetitions apart.
func TestRedriveJob(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"a": []byte("1\n2\n")})
	one, two := objectEntry("a", 0), objectEntry("a", 1)
	one.Version, two.Version = "", ""
	for _, tt := range []struct {
		why     string
		entries []stream.QuarantineEntry
		opts    stream.Options
		want    error
	}{
		{"the same", []stream.QuarantineEntry{one}, stream.Options{}, nil},
		{"the same twice", []stream.QuarantineEntry{one, one}, stream.Options{}, nil},
		{"others", []stream.QuarantineEntry{two}, stream.Options{}, stream.ErrOtherJob},
		{"an action", []stream.QuarantineEntry{one}, stream.Options{After: &stream.After{}}, fs.ErrInvalid},
	} {
		cp := &memCheckpoint{}
		if _, err := stream.Redrive(t.Context(), s, listOf(one), stream.Discard, &stream.Options{Checkpoint: cp}); err != nil {
			t.Fatal(err)
		}
		opts := tt.opts
		opts.Checkpoint = cp
		rep, err := stream.Redrive(t.Context(), s, listOf(tt.entries...), stream.Discard, &opts)
		if !errors.Is(err, tt.want) || rep == nil || err == nil && (!rep.Resumed || rep.Counts.Delivered() != 0) {
			t.Errorf("%s: got %v, want %v", tt.why, err, tt.want)
		}
	}
	failing := func(yield func(stream.QuarantineEntry, error) bool) {
		if yield(one, nil) {
			yield(stream.QuarantineEntry{}, errBad)
		}
	}
	c := newCollector()
	if rep, err := stream.Redrive(t.Context(), s, failing, stream.SinkFunc(c.write), nil); !errors.Is(err, errBad) || rep == nil || rep.Complete() || len(c.ids) > 0 {
		t.Errorf("got %v and %d records of entries that fail", err, len(c.ids))
	}
	if rep, err := stream.Redrive(t.Context(), nil, listOf(one), stream.Discard, nil); err == nil || rep == nil {
		t.Errorf("got %v without a store", err)
	}
}

// A Sink of whole objects gets the selected records as an object.
func TestRedriveWholeObjects(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"a": []byte("1\nbad\n3\nbad\n5\n")})
	var q bytes.Buffer
	policy := stream.Quarantine(&q)
	if _, err := stream.Backfill(t.Context(), s.List(nil), refuse(newCollector(), true, isBad), &stream.Options{OnRecordError: policy}); err != nil {
		t.Fatal(err)
	}
	c := newCollector()
	var log []string
	sink := stream.PerObject(func(_ context.Context, o blob.Object) (stream.Writer, error) {
		return &loggedObject{c: c, log: &log}, nil
	})
	rep, err := stream.Redrive(t.Context(), s, stream.ReadQuarantine(&q), sink, nil)
	if err != nil || !rep.Complete() || fmt.Sprint(log) != "[flush close]" || fmt.Sprint(c.records["a"]) != "[bad bad]" || c.last["a"] != 1 {
		t.Errorf("got %v, %v, %v", err, log, c.records)
	}
}

type loggedObject struct {
	c   *collector
	log *[]string
}

func (w *loggedObject) Write(ctx context.Context, b *stream.Batch) error { return w.c.write(ctx, b) }
func (w *loggedObject) Flush(context.Context) error {
	*w.log = append(*w.log, "flush")
	return nil
}
func (w *loggedObject) Close() error {
	*w.log = append(*w.log, "close")
	return nil
}
