package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

var actions = []stream.Action{stream.Fail, stream.Skip, stream.Quarantined, stream.Retry, stream.RestoreThenRetry}

// cause is a real reason for an error of one class, of the object m between two good
// ones, or of its record 1.
type cause struct {
	class    stream.Class
	why      string
	stage    string
	data     []byte
	item     faultstore.Item // Denied and Archived alone
	fault    faultstore.Fault
	times    int // how often the fault strikes; 0: always
	tries    int // of a request
	read     stream.ReadOptions
	refuses  bool // the sink refuses record 1
	ofRecord bool
	prefix   int // records of m that are delivered before; -1: some
	rest     int // and after record 1, where that is left out; -1: none can be found
}

func causes(t *testing.T) []cause {
	t.Helper()
	text := corpus.NDJSONBytes(1, 3000)
	gz := encode(t, "gzip", text)
	zst := encode(t, "zstd", text)
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0xff
		return b
	}
	dict, err := corpus.ZstdWithDictionary(text)
	if err != nil {
		t.Fatal(err)
	}
	dict = dict[bytes.Index(dict[4:], []byte("\x28\xb5\x2f\xfd"))+4:] // without the frame that holds the dictionary
	framers := frame.Default().Clone()
	framers.Register(frame.Framer{Name: "odd", New: func(o *frame.Options) (frame.Scanner, error) { return oddScanner{}, nil }})
	three := []byte("one\nbad\nthree\n")
	return []cause{
		{class: stream.ClassOther, why: "a framer that breaks its contract", stage: "frame", data: text, read: stream.ReadOptions{Framers: framers, Frame: "odd"}},
		{class: stream.ClassMissing, why: "404", stage: "open", data: text, fault: faultstore.Fault{Kind: faultstore.Missing}},
		{class: stream.ClassDenied, why: "403", stage: "open", data: text, item: faultstore.Item{Denied: true}},
		{class: stream.ClassArchived, why: "in an archive tier", stage: "open", data: text, item: faultstore.Item{Archived: true, StorageClass: "GLACIER"}},
		{class: stream.ClassChanged, why: "replaced in its middle", stage: "fetch", data: text, fault: faultstore.Fault{Kind: faultstore.ReplaceReset, At: 200000}, times: 1, tries: 2, prefix: -1},
		{class: stream.ClassTransient, why: "500", stage: "open", data: text, fault: faultstore.Fault{Kind: faultstore.InternalError}},
		{class: stream.ClassTransient, why: "500 in its middle, once", stage: "fetch", data: text, fault: faultstore.Fault{Kind: faultstore.Reset, At: 200000}, times: 1, prefix: -1},
		{class: stream.ClassTruncated, why: "cut", stage: "decode", data: gz[:len(gz)-6], prefix: 3000},
		{class: stream.ClassCorrupt, why: "a broken header of the second frame", stage: "decode", data: slices.Concat(zst, zst[:4], []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")), prefix: 3000},
		{class: stream.ClassChecksum, why: "a bit of the CRC", stage: "decode", data: flip(gz, len(gz)-7), prefix: -1},
		{class: stream.ClassTrailing, why: "text after the last member", stage: "decode", data: append(slices.Clip(gz), "text"...), prefix: 3000},
		{class: stream.ClassLimit, why: "MaxDecoded", stage: "decode", data: gz, read: stream.ReadOptions{Decode: codec.Options{MaxDecoded: 1000}}, prefix: -1},
		{class: stream.ClassDictionary, why: "its dictionary is not there", stage: "decode", data: dict},
		{class: stream.ClassUnsupported, why: "UTF-16", stage: "frame", data: []byte("\xff\xfea\x00\n\x00"), ofRecord: true, rest: -1},
		{class: stream.ClassOversized, why: "MaxRecord", stage: "frame", data: []byte("one\nmuch too long\nthree\n"), read: stream.ReadOptions{Frame: "lines", MaxRecord: 8}, ofRecord: true, prefix: 1, rest: 1},
		{class: stream.ClassBadRecord, why: "refused by the framer", stage: "frame", data: []byte("{}\n{\"a\":NaN}\n[]\n"), read: stream.ReadOptions{Frame: "json"}, ofRecord: true, prefix: 1, rest: 1},
		{class: stream.ClassBadRecord, why: "refused by the sink", stage: "sink", data: three, refuses: true, ofRecord: true, prefix: 1, rest: 1},
		{class: stream.ClassBadRecord, why: "the last one has no end", stage: "frame", data: []byte("{}\n{\"a\":"), read: stream.ReadOptions{Frame: "json"}, ofRecord: true, prefix: 1},
	}
}

// oddScanner cuts lines of text, and breaks its contract where a line begins with a brace.
type oddScanner struct{}

func (oddScanner) Scan(b []byte, _ bool, ends []uint32) ([]uint32, error) {
	if bytes.HasPrefix(b, []byte("{")) {
		return append(ends, uint32(len(b)+1)), nil
	}
	for i := range b {
		if b[i] == '\n' {
			ends = append(ends, uint32(i+1))
		}
	}
	return ends, nil
}

func (oddScanner) State() []byte { return nil }

// cell is what came of one cause and one action.
type cell struct {
	got        *collector
	asked      []*stream.Error
	quarantine bytes.Buffer
	rep        *stream.Report
	err        error
}

// run reads a good object, that of the cause, and a good one. The policy of records or of
// objects has action for its answer the first time, and Fail from then on; the other
// fails.
func (c *cause) run(t *testing.T, action stream.Action, ofRecord bool) *cell {
	left := c.times
	plan := func(call faultstore.Call) faultstore.Fault {
		if c.fault.Kind == faultstore.None || call.Op != faultstore.Read || call.Key != "m" {
			return faultstore.Fault{}
		}
		if left--; c.times > 0 && left < 0 {
			return faultstore.Fault{}
		}
		return c.fault
	}
	fs := faultstore.New(&faultstore.Options{Plan: plan})
	for _, key := range []string{"a", "z"} {
		fs.Add(faultstore.Item{Key: key, Content: faultstore.Bytes("1\n2\n")})
	}
	item := c.item
	item.Key, item.Content = "m", faultstore.Bytes(c.data)
	fs.Add(item)
	s := blob.New(fs, &blob.Options{Retry: &blob.Retry{MaxAttempts: max(1, c.tries)}})
	defer s.Close()
	x := &cell{got: newCollector()}
	quarantine := stream.Quarantine(&x.quarantine)
	policy := func(e *stream.Error, totals stream.Totals) (stream.Action, error) {
		if x.asked = append(x.asked, e); len(x.asked) > 1 {
			return stream.Fail, nil
		}
		if action == stream.Quarantined {
			return quarantine(e, totals)
		}
		return action, nil
	}
	opts := &stream.Options{Lanes: 1, Read: c.read, OnObjectError: policy}
	if ofRecord {
		opts.OnRecordError, opts.OnObjectError = policy, nil
	}
	x.rep, x.err = stream.Backfill(t.Context(), s.List(nil), refuse(x.got, false, func(rec stream.Record) bool {
		return c.refuses && rec.Object().Key == "m" && rec.Index == 1
	}), opts)
	return x
}

// Each action does for each class what its documentation says, whatever the class: nothing
// is lost or doubled beside what is left out, and report and quarantine name it.
func TestEveryCell(t *testing.T) {
	t.Parallel()
	for _, c := range causes(t) {
		for _, action := range actions {
			t.Run(fmt.Sprintf("%v/%s/%v", c.class, c.why, action), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { c.checkObject(t, action, c.run(t, action, false)) })
			})
			if c.ofRecord {
				t.Run(fmt.Sprintf("%v/%s/%v of the record", c.class, c.why, action), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { c.checkRecord(t, action, c.run(t, action, true)) })
				})
			}
		}
	}
}

// checkObject checks what came of an action for the object.
func (c *cause) checkObject(t *testing.T, action stream.Action, x *cell) {
	n := x.rep.Counts
	if c.refuses && action == stream.Retry { // a batch that was not taken whole is delivered again
		if got := x.got.records["m"]; !slices.Equal(got, []string{"one", "one"}) || len(x.asked) != 2 {
			t.Errorf("got %q of m, asked %d times", got, len(x.asked))
		}
		return
	}
	c.checkDelivered(t, x, c.prefix, 0)
	heals := action == stream.Retry && c.times > 0
	switch {
	case heals:
		if x.err != nil || n.Done.Objects != 3 || n.Retried != 1 || !x.rep.Complete() || len(x.asked) != 1 {
			t.Errorf("got %v, counts %+v, want the object read on", x.err, n)
		}
		return
	case action == stream.Skip || action == stream.Quarantined:
		if x.err != nil || n.Done.Objects != 2 || n.Skipped.Objects != 1 || n.Failed.Objects != 0 || len(x.asked) != 1 {
			t.Errorf("got %v, counts %+v, asked %d times, want m skipped", x.err, n, len(x.asked))
		}
	default:
		want := 1
		if action == stream.Retry {
			want = 2
		}
		if stream.ClassOf(x.err) != c.class || n.Done.Objects != 1 || n.Failed.Objects != 1 || n.Skipped.Objects != 0 || len(x.asked) != want || n.Retried != int64(want-1) {
			t.Errorf("got %v, counts %+v, asked %d times, want class %v and m failed", x.err, n, len(x.asked), c.class)
		}
	}
	c.checkSaid(t, action, x, false)
}

// checkRecord checks what came of an action for the record.
func (c *cause) checkRecord(t *testing.T, action stream.Action, x *cell) {
	n := x.rep.Counts
	leftOut := action == stream.Skip || action == stream.Quarantined
	if leftOut && c.rest >= 0 {
		c.checkDelivered(t, x, c.prefix, c.rest)
		if x.err != nil || n.Done.Objects != 3 || n.RecordsSkipped != 1 || n.Skipped.Objects != 0 || len(x.asked) != 1 {
			t.Errorf("got %v, counts %+v, asked %d times, want one record left out", x.err, n, len(x.asked))
		}
		c.checkSaid(t, action, x, true)
		return
	}
	// The record fails its object: by the answer, or since no record is found after it.
	c.checkDelivered(t, x, c.prefix, 0)
	if stream.ClassOf(x.err) != c.class || n.Done.Objects != 1 || n.Failed.Objects != 1 || n.Retried != 0 || len(x.asked) != 1 {
		t.Errorf("got %v, counts %+v, asked %d times, want class %v and m failed", x.err, n, len(x.asked), c.class)
	}
}

// checkDelivered checks that each record was delivered once, and those of m before and
// after the failure.
func (c *cause) checkDelivered(t *testing.T, x *cell, prefix, rest int) {
	for id, n := range x.got.ids {
		if n != 1 {
			t.Errorf("the record %s was delivered %d times", id, n)
		}
	}
	if got := len(x.got.records["m"]); prefix >= 0 && got != prefix+rest || prefix < 0 && got == 0 {
		t.Errorf("%d records of m were delivered, want %d and %d", got, prefix, rest)
	}
	if len(x.got.records["a"]) != 2 || x.err == nil && len(x.got.records["z"]) != 2 {
		t.Errorf("of the good objects, %q were delivered", x.got.records)
	}
	n := x.rep.Counts
	sum := n.Done.Objects + n.Skipped.Objects + n.Failed.Objects + n.Remaining().Objects
	if sum != n.Listed.Objects || n.Delivered() != int64(len(x.got.ids)) {
		t.Errorf("outcomes are %d of %d objects; %d records counted, %d delivered", sum, n.Listed.Objects, n.Delivered(), len(x.got.ids))
	}
}

// checkSaid checks that the policy, the report and the quarantine name the failure.
func (c *cause) checkSaid(t *testing.T, action stream.Action, x *cell, ofRecord bool) {
	e := x.asked[0].Entry()
	if e.Key != "m" || e.Class != c.class || e.Stage != c.stage || (e.Record != nil) != c.ofRecord || c.ofRecord && *e.Record != int64(c.prefix) {
		t.Errorf("the policy got %s, want class %v in stage %s", jsonOf(t, e), c.class, c.stage)
	}
	if ofRecord == (e.NextRecord != nil) || !ofRecord && *e.NextRecord != int64(len(x.got.records["m"])) {
		t.Errorf("the policy got %s after %d records", jsonOf(t, e), len(x.got.records["m"]))
	}
	if x.rep.Complete() || len(x.rep.Failures) != 1 || x.rep.Failures[0].Class != c.class || x.rep.Failures[0].Key != "m" {
		t.Errorf("complete: %v, the report has failures %s", x.rep.Complete(), jsonOf(t, x.rep.Failures))
	}
	entries := entriesOf(t, &x.quarantine)
	if want := action == stream.Quarantined; want != (len(entries) == 1) || want && jsonOf(t, entries[0]) != jsonOf(t, e) {
		t.Errorf("the quarantine has %s, want %s", jsonOf(t, entries), jsonOf(t, e))
	}
}

// A key that makes no sense is an outcome by policy like any other, and can be read out of a
// quarantine.
func TestInvalidKeyCells(t *testing.T) {
	t.Parallel()
	for _, action := range actions {
		var q bytes.Buffer
		quarantine, asked := stream.Quarantine(&q), 0
		c := newCollector()
		rep, err := stream.Backfill(t.Context(), blob.Keys(store(t, map[string][]byte{"a": []byte("1\n")}), "", "a"), stream.SinkFunc(c.write), &stream.Options{Lanes: 1,
			OnObjectError: func(e *stream.Error, totals stream.Totals) (stream.Action, error) {
				if asked++; asked > 1 {
					return stream.Fail, nil
				}
				if action == stream.Quarantined {
					return quarantine(e, totals)
				}
				return action, nil
			}})
		skipped := action == stream.Skip || action == stream.Quarantined
		n := rep.Counts
		switch {
		case skipped && (err != nil || n.Skipped.Objects != 1 || n.Done.Objects != 1 || len(c.records["a"]) != 1),
			!skipped && (stream.ClassOf(err) != stream.ClassInvalid || n.Failed.Objects != 1),
			(asked == 2) != (action == stream.Retry):
			t.Errorf("%v: got %v, counts %+v, asked %d times", action, err, n, asked)
		}
		if entries := entriesOf(t, &q); (len(entries) == 1) != (action == stream.Quarantined) || len(entries) > 0 && entries[0].Class != stream.ClassInvalid {
			t.Errorf("%v: the quarantine has %s", action, jsonOf(t, entries))
		}
	}
}

// No policy is asked about the sink, the end of the context and the manifest: whatever it
// would say, these end the job.
func TestCellsWithoutAPolicy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		class stream.Class
		run   func(t *testing.T, opts *stream.Options) error
	}{
		{stream.ClassSinkFailed, func(t *testing.T, opts *stream.Options) error {
			_, err := stream.Backfill(t.Context(), store(t, map[string][]byte{"a": []byte("1\n")}).List(nil),
				stream.SinkFunc(func(context.Context, *stream.Batch) error { return errBad }), opts)
			return err
		}},
		{stream.ClassCanceled, func(t *testing.T, opts *stream.Options) error {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := stream.Backfill(ctx, store(t, map[string][]byte{"a": []byte("1\n"), "b": []byte("1\n")}).List(nil),
				stream.SinkFunc(func(context.Context, *stream.Batch) error { cancel(); return nil }), opts)
			return err
		}},
		{stream.ClassConflict, func(t *testing.T, opts *stream.Options) error {
			opts.Checkpoint = &memCheckpoint{}
			s := store(t, map[string][]byte{"a": []byte("1\n")})
			if _, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, opts); err != nil {
				t.Fatal(err)
			}
			_, err := stream.Backfill(t.Context(), blob.Keys(s, "a"), stream.Discard, opts)
			return err
		}},
		{stream.ClassUnsupported, func(t *testing.T, opts *stream.Options) error { // a listing out of order
			src := store(t, map[string][]byte{"a": []byte("1\n")}).List(nil)
			src.Objects = func(context.Context, blob.Mark) iter.Seq2[blob.Object, error] {
				return func(yield func(blob.Object, error) bool) { yield(blob.Object{}, blob.ErrOrder) }
			}
			_, err := stream.Backfill(t.Context(), src, stream.Discard, opts)
			return err
		}},
	} {
		for _, action := range actions {
			asked := 0
			policy := func(*stream.Error, stream.Totals) (stream.Action, error) {
				asked++
				return action, nil
			}
			err := tt.run(t, &stream.Options{Lanes: 1, OnObjectError: policy, OnRecordError: policy})
			if stream.ClassOf(err) != tt.class || asked != 0 {
				t.Errorf("%v, %v: got %v of class %v, asked %d times", tt.class, action, err, stream.ClassOf(err), asked)
			}
		}
	}
	// Of the policy itself.
	_, err := stream.Backfill(t.Context(), blob.Keys(store(t, nil), "gone"), stream.Discard, &stream.Options{
		OnObjectError: func(*stream.Error, stream.Totals) (stream.Action, error) { return stream.Skip, errBad }})
	if !errors.Is(err, errBad) {
		t.Errorf("got %v, want that of the policy", err)
	}
}
