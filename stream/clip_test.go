package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/archive"
)

// What is kept of failures does not grow with the length of their texts: in the
// manifest, in the report, in a quarantine, in a plan.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	const records = 1500
	s := store(t, map[string][]byte{"a.log": bytes.Repeat([]byte("line\n"), records)})
	for _, tt := range []struct {
		reason, middle string
		least          int // failures kept
	}{
		{"short", "x", 1000},
		{"the text of a service", strings.Repeat("<Code>AccessDenied</Code> ", 8<<10), 100},
		{"a record quoted whole", strings.Repeat("\x00", 200<<10), 30},
		{"letters of several bytes", strings.Repeat("€", 70<<10), 100},
		{"bytes that are no text", strings.Repeat("\xff", 200<<10), 100},
	} {
		text := "the beginning " + tt.middle + " the end"
		cp := &memCheckpoint{}
		var quarantine longest
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.ParseTo(
			func(stream.Record) (int, error) { return 0, errors.New(text) },
			func(context.Context, []int) error { return nil }), &stream.Options{
			Lanes: 1, Checkpoint: cp, CheckpointEvery: time.Millisecond, OnRecordError: stream.Quarantine(&quarantine),
		})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Counts.RecordsSkipped != records || quarantine.lines != records {
			t.Errorf("%s: got %d records left out, %d in quarantine, want %d", tt.reason, rep.Counts.RecordsSkipped, quarantine.lines, records)
		}
		if quarantine.longest > 32<<10 {
			t.Errorf("%s: got a line of %d bytes in quarantine", tt.reason, quarantine.longest)
		}
		report, err := json.Marshal(rep)
		if err != nil {
			t.Fatal(err)
		}
		m, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
		if err != nil {
			t.Fatal(err)
		}
		for what, kept := range map[string][]stream.QuarantineEntry{"manifest": m.Failures, "report": rep.Failures} {
			if len(kept) < tt.least || len(kept) > 1000 {
				t.Errorf("%s: got %d failures kept in the %s, want %d to 1000", tt.reason, len(kept), what, tt.least)
			}
			for _, f := range kept {
				if len(f.Error) > 4<<10 || !utf8.ValidString(f.Error) || !strings.HasPrefix(f.Error, "the beginning") || !strings.HasSuffix(f.Error, "the end") {
					t.Errorf("%s: got a text of %d bytes in the %s: %.40q", tt.reason, len(f.Error), what, f.Error)
					break
				}
			}
		}
		for what, n := range map[string]int{"manifest": len(cp.saves[len(cp.saves)-1]), "report": len(report)} {
			if n > 2<<20 {
				t.Errorf("%s: got a %s of %d bytes, want 2 MiB at most", tt.reason, what, n)
			}
		}
		// The bound holds for all runs together.
		if _, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Checkpoint: cp}); err != nil {
			t.Fatal(err)
		}
		if n := len(cp.saves[len(cp.saves)-1]); n > 2<<20 {
			t.Errorf("%s: got a manifest of %d bytes after another run", tt.reason, n)
		}
		rep, err = stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error { return errors.New(text) }), nil)
		if err == nil || len(rep.Error) > 8<<10 || !strings.HasSuffix(rep.Error, "the end") {
			t.Errorf("%s: got an error of %d bytes in the report, %v", tt.reason, len(rep.Error), err == nil)
		}
	}
	long := strings.Repeat("k", 20<<10)
	var keys []string
	for i := range 1500 {
		keys = append(keys, fmt.Sprint(long, i))
	}
	plan, err := archive.NewPlan(t.Context(), blob.Keys(s, keys...), nil)
	data, _ := json.Marshal(plan)
	if err != nil || plan.Failed.Objects != 1500 || len(plan.Failures) == 0 || len(data) > 2<<20 {
		t.Errorf("got %v, %d failed, %d kept, %d bytes of a plan of long keys; want 1500, some, 2 MiB at most", err, plan.Failed.Objects, len(plan.Failures), len(data))
	}
}

// longest counts lines and knows the longest.
type longest struct{ lines, longest int }

func (l *longest) Write(p []byte) (int, error) {
	l.lines++
	l.longest = max(l.longest, len(p))
	return len(p), nil
}
