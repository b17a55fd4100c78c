package stream_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

var updateDocs = flag.Bool("update", false, "write the example of docs/report.md again")

// reportExample is a report in which every field has a value, each that may be absent
// too.
func reportExample() *stream.Report {
	stages := stream.Stages{
		List: 21 * time.Millisecond, Plan: 1 * time.Millisecond, Restore: 2 * time.Millisecond, Queue: 6 * time.Millisecond, Fetch: 402 * time.Millisecond,
		Decode: 306 * time.Millisecond, Frame: 48 * time.Millisecond, Parse: 101 * time.Millisecond, Sink: 88 * time.Millisecond,
		Checkpoint: 9 * time.Millisecond, Idle: 16 * time.Millisecond,
	}
	record, next := int64(17), int64(402)
	failures := []stream.QuarantineEntry{
		{Key: "b.ndjson.gz", Version: "5d41402a", Class: stream.ClassTruncated, Stage: "decode", StoredOffset: 65536, StoredEnd: 81920,
			DecodedOffset: 798211, DecodedEnd: 798302, NextRecord: &next, Records: []int64{3, 9}, Error: "gzip: unexpected EOF"},
		{Key: "c.csv", Class: stream.ClassBadRecord, Stage: "parse", StoredOffset: 3012, StoredEnd: 3030, DecodedOffset: 3012, DecodedEnd: 3030,
			Record: &record, Raw: "17,2026-12-01,none\n", Error: "no number"},
	}
	return &stream.Report{
		Source: "s3://logs/2026/", Lanes: 1, MaxLanes: 16, FewerLanes: "objects", Workers: 2,
		Wall: time.Second, Stages: stages, PerLane: []stream.Stages{stages},
		FirstRecord: stream.FirstRecord{After: 31 * time.Millisecond, Stages: stream.Stages{List: 21 * time.Millisecond, Fetch: 9 * time.Millisecond, Decode: time.Millisecond}},
		CPUUser:     430 * time.Millisecond, CPUSystem: 60 * time.Millisecond,
		Memory: 1 << 30, PeakMemory: 34 << 20, PeakHeap: 41 << 20,
		Counts: stream.Counts{
			Listed: stream.Tally{Objects: 10, Size: 7_340_032, Delivered: 41_200}, Done: stream.Tally{Objects: 5, Size: 6_291_456, Delivered: 40_000},
			Skipped: stream.Tally{Objects: 4, Size: 524_288, Delivered: 1_200}, Failed: stream.Tally{Objects: 1, Size: 524_288},
			Empty: 1, NoRecords: 1, Markers: 1, Indexes: 1, Own: 1, Gone: 1, Doubtful: 1, Changed: 1, Retried: 2, Deferred: 1,
			RecordsSkipped: 1, RecordsTruncated: 1, Stored: 6_381_568, Decoded: 31_907_840, Redecoded: 65_536,
		},
		Earlier:   stream.Counts{Listed: stream.Tally{Objects: 40, Size: 1 << 25, Delivered: 310_000}, Done: stream.Tally{Objects: 40, Size: 1 << 25, Delivered: 310_000}, Stored: 1 << 25, Decoded: 5 << 25},
		Codecs:    []stream.CodecReport{{Codec: "gzip", Objects: 4, Stored: 6_381_568, Decoded: 31_907_840, Busy: 306 * time.Millisecond}},
		Framers:   []stream.FramerReport{{Framer: "ndjson", Evidence: frame.ByExtension, Extension: ".ndjson", Conflict: "", Objects: 4}, {Framer: "lines", Evidence: frame.ByDefault, Conflict: "extension says avro", Objects: 1}},
		Conflicts: []string{"d.gz: zstd by magic, but extension says gzip"},
		Notes:     []stream.NoteReport{{Note: "BGZF without its end block: it may have been cut", Objects: 1, First: "e.bgz"}},
		Failures:  failures,
		After:     stream.AfterReport{Done: 3, Kept: 1, LeftOut: 1, Failed: 1, Pending: 1, Error: "stream: f.gz: after: permission denied"},
		Redecoded: stream.Redecoded{
			Reasons: []stream.RedecodedTotal{{Reason: stream.RedecodeNoPoint, Objects: 1, Decoded: 40_960}, {Reason: stream.RedecodeReopened, Objects: 2, Decoded: 24_576}},
			Objects: []stream.RedecodedObject{
				{Key: "g.ndjson.br", Reason: stream.RedecodeNoPoint, Decoded: 40_960},
				{Key: "a.ndjson.gz", Reason: stream.RedecodeReopened, Decoded: 16_384}, {Key: "d.gz", Reason: stream.RedecodeReopened, Decoded: 8_192},
			},
		},
		Requests: stream.RequestReport{Count: 12, Failed: 1, Received: 6_381_568, FirstByte: 360 * time.Millisecond, Total: 790 * time.Millisecond},
		Saves:    2, SaveTime: 14 * time.Millisecond,
		Resumed: true, ListingDone: true, Stopped: true, Finished: true, Passes: 3,
		Error: "stream: \"b.ndjson.gz\" at stored offset 81920 (decoded 798302): truncated: gzip: unexpected EOF", Class: "truncated",
	}
}

// docs/report.md has a row for each field of the JSON, and no other, with its type and
// unit; and its example, which fills every field, is what the code writes.
func TestReportJSON(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "docs", "report.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	rep := reportExample()
	found := structs{}
	found.look(reflect.ValueOf(rep))
	for _, empty := range found.unfilled() {
		t.Errorf("the example has no value in %s: a field that it leaves out needs no row", empty)
	}
	for _, tt := range reportTables {
		rows := rowsOf(doc, tt.heading)
		fields := map[string]any{}
		for _, v := range found[tt.of] {
			for name, value := range fieldsOf(t, v) {
				fields[name] = value
			}
		}
		delete(found, tt.of)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			row, ok := rows[name]
			if !ok {
				t.Errorf("%s: the field %q has no row", tt.heading, name)
				continue
			}
			if want := typeOf(fields[name]); row.is != want {
				t.Errorf("%s: %q: got type %q, want %q", tt.heading, name, row.is, want)
			}
			if want := unitOf(tt.heading, name); want != "" && row.unit != want || row.is == "integer" && row.unit == "" {
				t.Errorf("%s: %q: got unit %q, want %q, or what it counts", tt.heading, name, row.unit, want)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			if _, ok := fields[name]; !ok {
				t.Errorf("%s: the row %q has no field", tt.heading, name)
			}
		}
	}
	for typ := range found {
		t.Errorf("%v has no table", typ)
	}
	want, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "```json\n", "\n```"
	before, rest, _ := strings.Cut(doc, open)
	got, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no example", path)
	}
	if got == string(want) {
		return
	}
	if *updateDocs {
		if err := os.WriteFile(path, []byte(before+open+string(want)+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the example of %s is not what the code writes; go test ./stream -run TestReportJSON -update writes it again:\n%s", path, want)
}

// What the JSON of a report says is read back: programs keep reports and merge them.
func TestReportJSONIsReadBack(t *testing.T) {
	t.Parallel()
	rep := reportExample()
	text, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	var again stream.Report
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(&again)
	if err != nil || string(twice) != string(text) {
		t.Errorf("got %v and\n%s\nwant\n%s", err, twice, text)
	}
	if again.Counts != rep.Counts || again.String() != rep.String() {
		t.Errorf("got\n%v\nwant\n%v", &again, rep)
	}
}
