package stream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/stream"
)

// The report warns of what its figures do not show.
func TestReportText(t *testing.T) {
	t.Parallel()
	const mark, disturbed = "are not looked for", "(disturbed: other work held the processors)"
	for _, tt := range []struct {
		reason string
		report stream.Report
		has    []string
		hasNot []string
	}{
		{"a first run lists everything", stream.Report{}, nil, []string{mark, disturbed}},
		{"a resumed run lists on behind the mark", stream.Report{Resumed: true}, []string{mark}, nil},
		{"as much processor time as work",
			stream.Report{Stages: stream.Stages{Decode: 2 * time.Second, Frame: time.Second}, CPUUser: 2 * time.Second, CPUSystem: time.Second},
			nil, []string{disturbed}},
		{"a third of it",
			stream.Report{Stages: stream.Stages{Decode: 2 * time.Second, Frame: time.Second}, CPUUser: time.Second},
			[]string{disturbed, "decode and frame took 3.00 s, the process had 1.00 s"}, nil},
		{"what the workers computed of their time", stream.Report{Lanes: 4, Workers: 2, Wall: 2 * time.Second,
			Stages: stream.Stages{Queue: 5 * time.Second, Decode: 2 * time.Second, Frame: 500 * time.Millisecond, Parse: 500 * time.Millisecond}},
			[]string{"2 workers, 75.0 % busy"}, nil},
		{"lanes without an object say nothing about decoding", stream.Report{Lanes: 2, MaxLanes: 2, Wall: 2 * time.Second,
			Stages: stream.Stages{Fetch: time.Second, Decode: time.Second, Idle: 2 * time.Second}},
			[]string{"decode is 50.0 % of the read", "· 2 lanes ·", "idle for 50.0 % of their time", "  decode         500.0 ms    25.0 %"}, nil},
		{"fewer objects than lanes", stream.Report{Lanes: 1, MaxLanes: 16, FewerLanes: "objects"}, []string{"1 lane of 16 (no more objects)"}, []string{"idle"}},
		{"less memory", stream.Report{Lanes: 3, MaxLanes: 16, FewerLanes: "memory"}, []string{"3 lanes of 16 (no more memory)"}, nil},
		{"nothing read", stream.Report{}, []string{"0 workers, 0.0 % busy"}, nil},
		{"no figures of the processor", stream.Report{Stages: stream.Stages{Decode: time.Second}}, nil, []string{disturbed}},
		{"delivered and left out are two words", stream.Report{Counts: stream.Counts{
			Listed: stream.Tally{Objects: 2, Delivered: 7}, Done: stream.Tally{Objects: 1, Delivered: 4}, Skipped: stream.Tally{Objects: 1, Delivered: 3}, RecordsSkipped: 2, RecordsTruncated: 1}},
			[]string{"delivered\n", "  left out             1        0 B            3\n", "2 records left out; 1 record shortened"}, []string{"skipped"}},
		{"frame and parse in one sum", stream.Report{Stages: stream.Stages{Decode: 2 * time.Second, Frame: time.Second, Parse: time.Second}},
			[]string{"decode 50.0 % · parse with frame 50.0 % · restore"}, nil},
	} {
		text := tt.report.String()
		for _, want := range tt.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got no %q in\n%s", tt.reason, want, text)
			}
		}
		for _, not := range tt.hasNot {
			if strings.Contains(text, not) {
				t.Errorf("%s: got %q, want it left out of\n%s", tt.reason, not, text)
			}
		}
		if first, _, _ := strings.Cut(text, "\n"); first != tt.report.Headline() {
			t.Errorf("%s: got %q as the first line, want the headline %q", tt.reason, first, tt.report.Headline())
		}
	}
}
