package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// entriesOf are the entries of a quarantine.
func entriesOf(t testing.TB, r io.Reader) []stream.QuarantineEntry {
	t.Helper()
	var entries []stream.QuarantineEntry
	for q, err := range stream.ReadQuarantine(r) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, q)
	}
	return entries
}

// refuse is a Sink that writes to c and refuses the records that bad reports, in stage
// parse if parses.
func refuse(c *collector, parses bool, bad func(stream.Record) bool) stream.Sink {
	return stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
		refused := map[int]bool{}
		check := func() error {
			for rec := range b.Len() {
				if !bad(b.Record(rec)) {
					continue
				}
				if err := b.Refuse(rec, errBad); err != nil {
					c.keep(b, refused, rec)
					return err
				}
				refused[rec] = true
			}
			return nil
		}
		var err error
		if parses {
			err = b.Parse(ctx, check)
		} else {
			err = check()
		}
		if err == nil {
			c.keep(b, refused, b.Len())
		}
		return err
	})
}

// keep keeps the first n records of a batch but those that were refused.
func (c *collector) keep(b *stream.Batch, refused map[int]bool, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := b.Object().Key
	for i := range n {
		if !refused[i] {
			rec := b.Record(i)
			c.records[key] = append(c.records[key], string(rec.Data))
			c.ids[rec.ID()]++
		}
	}
	if n == b.Len() && b.EndsObject() {
		c.last[key]++
	}
}

func isBad(rec stream.Record) bool { return bytes.HasPrefix(rec.Data, []byte("bad")) }

func ptr(n int64) *int64 { return &n }

// An entry says where it failed, which bytes that concerns, and what was not delivered;
// that of a record that was framed has its bytes.
func TestQuarantineEntry(t *testing.T) {
	t.Parallel()
	plain := []byte("one\nbad\xff\r\nthree\n")
	zstd := slices.Concat(encode(t, "zstd", []byte("one\n")), encode(t, "zstd", append([]byte("two\nbad\n"), corpus.NDJSONBytes(1, 20000)...)))
	first := int64(len(encode(t, "zstd", []byte("one\n"))))
	gz := encode(t, "gzip", plain)
	long := slices.Concat([]byte("one\nbad"), bytes.Repeat([]byte("x"), 1<<20), []byte("\n"))
	tests := []struct {
		why    string
		key    string
		data   []byte
		record stream.Policy // nil: fails the object
		parses bool
		max    int
		want   stream.QuarantineEntry
	}{
		{"a parser, plain: the stored range is the decoded one", "a.txt", plain, stream.SkipClasses(), true, 0, stream.QuarantineEntry{
			Class: stream.ClassBadRecord, Stage: "parse", StoredOffset: 4, StoredEnd: 10, DecodedOffset: 4, DecodedEnd: 10, Record: ptr(1), Raw: "bad\xff\r\n"}},
		{"a sink", "a.txt", plain, stream.SkipClasses(), false, 0, stream.QuarantineEntry{
			Class: stream.ClassBadRecord, Stage: "sink", StoredOffset: 4, StoredEnd: 10, DecodedOffset: 4, DecodedEnd: 10, Record: ptr(1), Raw: "bad\xff\r\n"}},
		{"the whole object was consumed, and gzip has no restart point", "a.gz", gz, stream.SkipClasses(), true, 0, stream.QuarantineEntry{
			Class: stream.ClassBadRecord, Stage: "parse", StoredEnd: int64(len(gz)), DecodedOffset: 4, DecodedEnd: 10, Record: ptr(1), Raw: "bad\xff\r\n"}},
		{"a record that fails its object", "a.txt", plain, nil, true, 0, stream.QuarantineEntry{
			Class: stream.ClassBadRecord, Stage: "parse", StoredOffset: 4, StoredEnd: 10, DecodedOffset: 4, DecodedEnd: 10, Record: ptr(1), NextRecord: ptr(1), Raw: "bad\xff\r\n"}},
		{"decoding begins at the second frame", "a.zst", zstd, nil, true, 0, stream.QuarantineEntry{
			Class: stream.ClassBadRecord, Stage: "parse", StoredOffset: first, StoredEnd: -1, DecodedOffset: 8, DecodedEnd: 12, Record: ptr(2), NextRecord: ptr(2), Raw: "bad\n"}},
		{"more than 1 MiB", "a.txt", long, stream.SkipClasses(), true, 0, stream.QuarantineEntry{
			Class: stream.ClassBadRecord, Stage: "parse", StoredOffset: 4, StoredEnd: int64(len(long)), DecodedOffset: 4, DecodedEnd: int64(len(long)), Record: ptr(1)}},
		{"too large, with an end", "a.txt", []byte("one\nlong one\ntwo\n"), stream.SkipClasses(), true, 5, stream.QuarantineEntry{
			Class: stream.ClassOversized, Stage: "frame", StoredOffset: 4, StoredEnd: 13, DecodedOffset: 4, DecodedEnd: 13, Record: ptr(1), Raw: "long one\n"}},
		{"the framer found no end", "a.json", []byte("1\n{"), stream.SkipClasses(), true, 0, stream.QuarantineEntry{
			Class: stream.ClassBadRecord, Stage: "frame", StoredOffset: 1, StoredEnd: 1, DecodedOffset: 1, Record: ptr(1)}},
		{"truncated", "a.gz", gz[:len(gz)-4], stream.SkipClasses(), false, 0, stream.QuarantineEntry{
			Class: stream.ClassTruncated, Stage: "decode", StoredEnd: int64(len(gz) - 4), DecodedOffset: 16, DecodedEnd: 16, NextRecord: ptr(3)}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var quarantine bytes.Buffer
			policy := stream.Quarantine(&quarantine)
			opts := &stream.Options{Lanes: 1, OnObjectError: policy, Read: stream.ReadOptions{MaxRecord: tt.max}}
			if tt.record != nil {
				opts.OnRecordError = policy
			}
			bad := isBad
			if tt.want.Record == nil {
				bad = func(stream.Record) bool { return false }
			}
			cp := &memCheckpoint{}
			opts.Checkpoint = cp
			rep, err := stream.Backfill(t.Context(), store(t, map[string][]byte{tt.key: tt.data}).List(nil), refuse(newCollector(), tt.parses, bad), opts)
			if err != nil {
				t.Fatal(err)
			}
			entries := entriesOf(t, &quarantine)
			if len(entries) != 1 || entries[0].Error == "" || entries[0].Version == "" {
				t.Fatalf("got entries %+v", entries)
			}
			want := tt.want
			want.Key, want.Version, want.Error = tt.key, entries[0].Version, entries[0].Error
			if want.StoredEnd < 0 { // as far as the decoder was
				if want.StoredEnd = entries[0].StoredEnd; want.StoredEnd <= want.StoredOffset || want.StoredEnd > int64(len(tt.data)) {
					t.Errorf("consumed %d of %d stored bytes, from %d on", want.StoredEnd, len(tt.data), want.StoredOffset)
				}
			}
			if !reflect.DeepEqual(entries[0], want) {
				t.Errorf("got  %s\nwant %s", jsonOf(t, entries[0]), jsonOf(t, want))
			}
			want.Raw = ""
			var m stream.Manifest
			if err := json.Unmarshal(cp.saves[len(cp.saves)-1], &m); err != nil {
				t.Fatal(err)
			}
			for where, kept := range map[string][]stream.QuarantineEntry{"report": rep.Failures, "manifest": m.Failures} {
				if len(kept) != 1 || !reflect.DeepEqual(kept[0], want) {
					t.Errorf("the %s has %s, want it without the bytes: %s", where, jsonOf(t, kept), jsonOf(t, want))
				}
			}
		})
	}
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The error that a policy sees holds the record's bytes for good.
func TestErrorOutlivesTheCall(t *testing.T) {
	t.Parallel()
	var kept []*stream.Error
	data := bytes.Repeat([]byte("bad0\nbad1\nok\n"), 20000)
	_, err := stream.Backfill(t.Context(), store(t, map[string][]byte{"a.txt": data}).List(nil), refuse(newCollector(), true, isBad),
		&stream.Options{Lanes: 1, OnRecordError: func(e *stream.Error, _ stream.Totals) (stream.Action, error) {
			kept = append(kept, e)
			return stream.Skip, nil
		}})
	if err != nil || len(kept) != 40000 {
		t.Fatalf("got %v and %d errors", err, len(kept))
	}
	for i, e := range kept {
		if want := []string{"bad0\n", "bad1\n"}[i%2]; e.Entry().Raw != want {
			t.Fatalf("error %d holds %q, want %q", i, e.Entry().Raw, want)
		}
	}
}

// What a killed process left of a line is no entry; anything else that is none is an error.
func TestReadQuarantine(t *testing.T) {
	t.Parallel()
	line := `{"key":"a","class":"missing","stored_offset":0,"decoded_offset":0,"error":"gone"}`
	for _, tt := range []struct {
		why, text string
		entries   int
		fails     bool
	}{
		{"nothing", "", 0, false},
		{"lines", line + "\n" + line + "\n", 2, false},
		{"the last one without its end", line + "\n" + line, 2, false},
		{"blank lines", "\n" + line + "\r\n\n", 1, false},
		{"the last one torn", line + "\n" + line[:30], 1, false},
		{"one in the middle torn", line[:30] + "\n" + line + "\n", 1, false},
		{"one torn and another on its line", line[:30] + line + "\n", 0, true},
		{"another file", "<html>\n" + line + "\n", 0, true},
		{"a text", `"key"` + "\n", 0, true},
		{"another object", "{\"key\":\"a\"}\n", 0, true},
		{"a class that is none", strings.Replace(line, "missing", "lost", 1) + "\n", 0, true},
	} {
		n, failed := 0, false
		for q, err := range stream.ReadQuarantine(strings.NewReader(tt.text)) {
			switch {
			case failed:
				t.Errorf("%s: %+v, %v follows the error", tt.why, q, err)
			case err != nil:
				failed = true
			case q.Key != "a" || q.Class != stream.ClassMissing:
				t.Errorf("%s: got %+v", tt.why, q)
			default:
				n++
			}
		}
		if n != tt.entries || failed != tt.fails {
			t.Errorf("%s: got %d entries, failed %v, want %d, %v", tt.why, n, failed, tt.entries, tt.fails)
		}
	}
	for _, err := range stream.ReadQuarantine(io.MultiReader(strings.NewReader(line+"\n"), failingReader{})) {
		if err != nil && !errors.Is(err, errBad) {
			t.Errorf("got %v, want the reader's", err)
		}
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errBad }
