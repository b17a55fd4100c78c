package stream_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// distinctReport is a report whose text has all that a text may have, and whose figures all
// differ.
func distinctReport() *stream.Report {
	const ms = time.Millisecond
	r := reportExample()
	r.Source, r.Lanes, r.MaxLanes, r.Workers = "s3://logs/", 3, 61, 8
	r.Wall = 2345 * ms
	r.Stages = stream.Stages{
		List: 213 * ms, Plan: 87 * ms, Restore: 330 * ms, Queue: 471 * ms, Fetch: 1402 * ms, Decode: 2306 * ms,
		Frame: 648 * ms, Parse: 709 * ms, Sink: 388 * ms, Checkpoint: 129 * ms, Idle: 352 * ms,
	}
	r.FirstRecord = stream.FirstRecord{After: 77 * ms, Stages: stream.Stages{List: 34 * ms, Queue: 5 * ms, Fetch: 27 * ms, Decode: 11 * ms}}
	r.CPUUser, r.CPUSystem = 930*ms, 260*ms
	r.Memory, r.PeakMemory, r.PeakHeap = 913<<20, 34<<20, 41<<20
	r.Counts = stream.Counts{
		Listed: stream.Tally{Objects: 923, Size: 7_340_032, Delivered: 41_200}, Done: stream.Tally{Objects: 501, Size: 5_291_456, Delivered: 38_007},
		Skipped: stream.Tally{Objects: 307, Size: 1_524_288, Delivered: 1_213}, Failed: stream.Tally{Objects: 19, Size: 324_288, Delivered: 733},
		Empty: 101, NoRecords: 103, Markers: 107, Indexes: 109, Own: 113, Doubtful: 127, Changed: 131, Retried: 137, Deferred: 139,
		RecordsSkipped: 149, RecordsTruncated: 151, Stored: 6_381_568, Decoded: 31_907_840, Redecoded: 65_536,
	}
	r.Earlier = stream.Counts{Listed: stream.Tally{Objects: 47, Delivered: 310_000}, Done: stream.Tally{Objects: 43, Delivered: 309_000}}
	r.Codecs = []stream.CodecReport{
		{Codec: "gzip", Objects: 401, Stored: 4_381_568, Decoded: 26_907_840, Busy: 1906 * ms},
		{Codec: "none", Objects: 17, Stored: 2_000_000, Decoded: 2_900_000, Busy: 10 * ms},
		{Codec: "zstd", Objects: 83, Stored: 987_654, Decoded: 3_200_000, Busy: 390 * ms},
	}
	r.Framers = []stream.FramerReport{
		{Framer: "lines", Evidence: frame.ByDefault, Conflict: "extension says avro", Objects: 71},
		{Framer: "ndjson", Evidence: frame.ByExtension, Extension: ".ndjson", Objects: 430},
	}
	r.Notes = []stream.NoteReport{{Note: "it may have been cut", Objects: 23, First: "e.bgz"}}
	r.After = stream.AfterReport{Done: 157, Kept: 163, LeftOut: 167, Failed: 173, Pending: 179, Error: "denied"}
	r.Redecoded.Reasons[0].Objects, r.Redecoded.Reasons[1].Objects = 29, 31
	r.Redecoded.Reasons[0].Decoded += 1000
	r.Saves, r.SaveTime = 59, 14*ms
	r.Error = "b: unexpected EOF"
	return r
}

// figuresOfText is the text of distinctReport, without bars and the width of columns. In
// braces is where a figure comes from: a field of the JSON, or what figure makes of some.
const figuresOfText = `
decode {rate} MB/s per core · decode is {of the read} % of the read · gzip, none, zstd (levels unknown) (disturbed: other work held the processors)
s3://logs/
wall {wall_ns} s · {lanes} lanes of {max_lanes} (no more objects) · {workers} workers, {busy} % busy · cpu {cpu_user_ns} ms user, {cpu_system_ns} ms system · memory {peak_memory_bytes} MiB of {memory_bytes} MiB, heap {peak_heap_bytes} MiB
lanes were idle for {share idle} % of their time: no object was left for them; the headline is of the rest
decode and frame took {decode and frame} s, the process had {cpu} s of processor time: throughput and shares are not the data's
stage per lane share
list {lane list} ms {share list} %
plan {lane plan} ms {share plan} %
restore {lane restore} ms {share restore} %
queue {lane queue} ms {share queue} %
fetch {lane fetch} ms {share fetch} %
decode {lane decode} ms {share decode} %
frame {lane frame} ms {share frame} %
parse {lane parse} ms {share parse} %
sink {lane sink} ms {share sink} %
checkpoint {lane checkpoint} ms {share checkpoint} %
idle {lane idle} ms {share idle} %
wall {wall_ns} s {all} %
= fetch {share fetch} % · decode {share decode} % · parse with frame {share frame parse} % · restore {share restore} % · sink {share sink} % · other {share list plan queue checkpoint idle} %
until the first record
list {first_record.stages_ns.list} ms {first list} %
queue {first_record.stages_ns.queue} ms {first queue} %
fetch {first_record.stages_ns.fetch} ms {first fetch} %
decode {first_record.stages_ns.decode} ms {first decode} %
in all {first_record.after_ns} ms {all} %
codec objects stored decoded ratio decode/core
gzip {codecs.0.objects} {codecs.0.stored_bytes} MB {codecs.0.decoded_bytes} MB {ratio 0} x {rate 0} MB/s
none {codecs.1.objects} {codecs.1.stored_bytes} MB {codecs.1.decoded_bytes} MB {ratio 1} x -
zstd {codecs.2.objects} {codecs.2.stored_bytes} kB {codecs.2.decoded_bytes} MB {ratio 2} x {rate 2} MB/s
framer objects chosen by
lines {framers.0.objects} default, but extension says avro
ndjson {framers.1.objects} extension .ndjson
conflict: d.gz: zstd by magic, but extension says gzip
note: {notes.0.objects} objects: it may have been cut (the first: e.bgz)
outcome objects stored delivered
listed {counts.listed.objects} {counts.listed.size_bytes} MB {counts.listed.delivered}
done {counts.done.objects} {counts.done.size_bytes} MB {counts.done.delivered}
left out {counts.skipped.objects} {counts.skipped.size_bytes} MB {counts.skipped.delivered}
failed {counts.failed.objects} {counts.failed.size_bytes} kB {counts.failed.delivered}
remaining {counts.remaining.objects} {counts.remaining.size_bytes} kB {counts.remaining.delivered}
{counts.empty} empty objects; {counts.no_records} objects without records; {counts.markers} folder markers; {counts.indexes} indexes of other objects; ` +
	`{counts.own} objects that the job itself writes left out; {counts.doubtful} objects that may be cut; {counts.changed} objects read again from their start since they changed; ` +
	`{counts.retried} retries; {counts.deferred} archived objects held back; {counts.records_skipped} records left out; {counts.records_truncated} records shortened; ` +
	`{after.done} objects acted upon; {after.kept} objects replaced before they were acted upon; {after.left_out} objects not acted upon since something was left out; ` +
	`{after.failed} actions failed; {after.pending} objects to be acted upon; ` +
	`resumed: earlier runs did {earlier.done.objects} objects and {earlier.listed.delivered} records; {saves} saves of the manifest in {save_time_ns} ms
decoded again: {redecoded.reasons.0.redecoded_bytes} kB of {redecoded.reasons.0.objects} objects resumed without a restart point; {redecoded.reasons.1.redecoded_bytes} kB of {redecoded.reasons.1.objects} objects begun again in the middle: memory ran short, or units were none
decoded again most: {redecoded.objects.0.redecoded_bytes} kB of g.ndjson.br (no_restart_point); {redecoded.objects.1.redecoded_bytes} kB of a.ndjson.gz (reopened); {redecoded.objects.2.redecoded_bytes} kB of d.gz (reopened)
listed from the manifest's mark on: objects new since then whose names sort before it are not looked for
NOT COMPLETE: b: unexpected EOF
`

// jsonFigures are the figures of a report in JSON.
type jsonFigures struct{ all any }

// at returns the figure at a path: "codecs.0.objects".
func (j jsonFigures) at(t *testing.T, path string) float64 {
	v := j.all
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(x) {
				t.Fatalf("no figure %q", path)
			}
			v = x[i]
		}
	}
	f, ok := v.(float64)
	if !ok {
		t.Fatalf("no figure %q", path)
	}
	return f
}

// figure returns what a name in braces stands for: nanoseconds, bytes, percent or a count.
func (j jsonFigures) figure(t *testing.T, name string) float64 {
	at := func(format string, args ...any) float64 { return j.at(t, fmt.Sprintf(format, args...)) }
	sum := func(of string, stages ...string) (ns float64) {
		for _, stage := range stages {
			ns += at("%s.%s", of, stage)
		}
		return ns
	}
	const stages, first = "stages_ns", "first_record.stages_ns"
	all := []string{"list", "plan", "restore", "queue", "fetch", "decode", "frame", "parse", "sink", "checkpoint", "idle"}
	switch kind, rest, _ := strings.Cut(name, " "); {
	case name == "rate": // of what is compressed
		return (at("codecs.0.decoded_bytes") + at("codecs.2.decoded_bytes")) / (at("codecs.0.busy_ns") + at("codecs.2.busy_ns")) * 1e9
	case name == "of the read":
		return 100 * sum(stages, "decode") / (sum(stages, all...) - sum(stages, "idle"))
	case name == "busy":
		return 100 * sum(stages, "decode", "frame", "parse") / (at("workers") * at("wall_ns"))
	case name == "decode and frame":
		return sum(stages, "decode", "frame")
	case name == "cpu":
		return at("cpu_user_ns") + at("cpu_system_ns")
	case name == "all":
		return 100
	case kind == "lane":
		return sum(stages, rest) / at("lanes")
	case kind == "share":
		return 100 * sum(stages, strings.Fields(rest)...) / sum(stages, all...)
	case kind == "first":
		return 100 * sum(first, rest) / at("first_record.after_ns")
	case kind == "ratio":
		return at("codecs.%s.decoded_bytes", rest) / at("codecs.%s.stored_bytes", rest)
	case kind == "rate":
		return at("codecs.%s.decoded_bytes", rest) / at("codecs.%s.busy_ns", rest) * 1e9
	}
	return at("%s", name)
}

// unitsOfText are the units that follow a figure of a text, by the factor to the JSON's.
var unitsOfText = map[string]float64{"s": 1e9, "ms": 1e6, "kB": 1e3, "MB": 1e6, "MB/s": 1e6, "MiB": 1 << 20, "%": 1, "x": 1}

// Each figure of the text is that of the JSON that it should be, and has no other source.
func TestReportFigures(t *testing.T) {
	t.Parallel()
	rep := distinctReport()
	data, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	var figures jsonFigures
	if err := json.Unmarshal(data, &figures.all); err != nil {
		t.Fatal(err)
	}
	var text []string
	for line := range strings.Lines(rep.String()) {
		line = strings.Map(func(r rune) rune {
			if strings.ContainsRune("█▏", r) {
				return ' '
			}
			return r
		}, line)
		if words := strings.Fields(line); len(words) > 0 {
			text = append(text, strings.Join(words, " "))
		}
	}
	want := strings.Split(strings.TrimSpace(figuresOfText), "\n")
	if len(text) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(text), len(want), strings.Join(text, "\n"))
	}
	place := regexp.MustCompile(`\{([^}]+)\}(?: ([^ ,;{]+))?`)
	digit := regexp.MustCompile(`\d`)
	printed := map[string]string{} // where a figure with its unit comes from
	for i, line := range want {
		if literal := place.ReplaceAllString(line, ""); digit.MatchString(strings.ReplaceAll(literal, "s3:", "")) {
			t.Errorf("%q: a figure has no source", literal)
		}
		pattern := regexp.QuoteMeta(place.ReplaceAllStringFunc(line, func(s string) string { return "\x00" + s[strings.Index(s, "}")+1:] }))
		got := regexp.MustCompile("^" + strings.ReplaceAll(pattern, "\x00", `(\d+(?:\.\d+)?)`) + "$").FindStringSubmatch(text[i])
		if got == nil {
			t.Errorf("got the line\n%s\nwant\n%s", text[i], line)
			continue
		}
		for k, m := range place.FindAllStringSubmatch(line, -1) {
			name, unit, number := m[1], m[2], got[k+1]
			factor, known := unitsOfText[unit]
			if !known {
				factor, unit = 1, ""
			}
			value, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			_, decimals, _ := strings.Cut(number, ".")
			last := factor / math.Pow10(len(decimals)) // what the last digit is worth
			if !known {
				last = 0.5
			}
			if f := figures.figure(t, name); math.Abs(value*factor-f) >= last {
				t.Errorf("%s: got %s %s in the text, want %v", name, number, unit, f)
			}
			figure := number + " " + unit
			if other, ok := printed[figure]; ok && other != name {
				t.Errorf("%s is %q and %q: the example does not show a mistake", figure, name, other)
			}
			printed[figure] = name
		}
	}
}
