package stream_test

import (
	"context"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// No record is over MaxRecord, wherever it stands against a slab's end, and what
// follows it does not count.
func TestNoneOversizedAtSlabEdges(t *testing.T) {
	const most = 300
	for _, tt := range []struct{ frame, filler, open, shut, next string }{
		{`regexp:^[0-9]`, "0 filler filler\n", "1", "\n", "2" + long(250) + "\n3\n"},
		{"lines", "filler filler 1\n", "1", "\n", long(250) + "\n3\n"},
		{"ndjson", "[1, 2, 3, 45, 6]", "", "\n", "\"" + long(250) + "\"\n3\n"},
		{"csv", "filler,\"f\"\"\",12\n", "\"1", "\"\n", "2," + long(250) + "\n"},
		{"json", `["filler", 1234]`, `"`, `"`, `"` + long(250) + `"`},
		{"delim:0001", "filler filler \x00\x01", "1", "\x00\x01", long(250) + "\x00\x01"},
	} {
		filler := tt.filler
		if tt.frame == "ndjson" {
			filler = filler[:15] + "\n"
		}
		for _, over := range []stream.OversizedPolicy{stream.FailOversized, stream.SkipOversized, stream.TruncateOversized} {
			for before := 0; before <= most+100; before += 17 {
				var b strings.Builder
				for b.Len() < 128<<10-before-len(filler) {
					b.WriteString(filler)
				}
				b.WriteString(tt.open + long(most-len(tt.open)-len(tt.shut)) + tt.shut + tt.next)
				s := store(t, map[string][]byte{"a": []byte(b.String())})
				largest := 0
				rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
					for r := range b.All() {
						largest = max(largest, len(r.Data))
					}
					return nil
				}), &stream.Options{Lanes: 1, Read: stream.ReadOptions{Frame: tt.frame, Codec: "none", MaxRecord: most, Oversized: over}})
				if err != nil || !rep.Complete() || largest < most-len(tt.shut) {
					t.Fatalf("%s, policy %d, %d bytes before the slab's end: got %v, %d left out, %d cut, the largest of %d bytes", tt.frame, over, before, err,
						rep.Counts.RecordsSkipped, rep.Counts.RecordsTruncated, largest)
				}
			}
		}
	}
}

// Where the header goes with the first row, a report says so if that is too long: the
// header may be the cause.
func TestOversizedWithHeader(t *testing.T) {
	head := "a,b," + long(90) + "\n"
	for _, tt := range []struct {
		reason, frame, data string
		noted               bool
	}{
		{"header and row are too long together", "csv:header", head + "1,2,3\n4,5,6\n", true},
		{"so is a header without an end in sight", "csv:header", "a,b," + long(300<<10) + "\n1,2,3\n4,5,6\n", true},
		{"a later row has no header with it", "csv:header", "a,b\n1,2\n" + long(200) + ",2\n", false},
		{"a header that is a record", "csv", head + "1,2,3\n" + long(200) + ",2\n", false},
		{"nothing is too long", "csv:header", "a,b\n1,2\n", false},
	} {
		s := store(t, map[string][]byte{"a": []byte(tt.data)})
		for name, o := range map[string]stream.Options{
			"skip":     {Read: stream.ReadOptions{Oversized: stream.SkipOversized}},
			"truncate": {Read: stream.ReadOptions{Oversized: stream.TruncateOversized}},
			"policy":   {OnRecordError: stream.SkipClasses(stream.ClassOversized)},
		} {
			o.Read.Frame, o.Read.MaxRecord = tt.frame, 100
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &o)
			if err != nil || (len(rep.Notes) == 1) != tt.noted {
				t.Errorf("%s, %s: got notes %+v, %v", tt.reason, name, rep.Notes, err)
			}
		}
	}
}
