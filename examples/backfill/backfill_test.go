package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// source is a folder of objects in several codecs, and the records in them.
func source(t *testing.T, objects, records int) (dir string, want map[string]int) {
	t.Helper()
	dir, want = t.TempDir(), map[string]int{}
	for i := range objects {
		codec := []string{"zstd", "gzip", "none", "lz4"}[i%4]
		data := corpus.NDJSONBytes(uint64(i+1), records)
		for line := range strings.Lines(string(data)) {
			want[strings.TrimSuffix(line, "\n")]++
		}
		stored, err := corpus.Encode(codec, data)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.ndjson", i)), stored, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, want
}

// checkOutput holds an output to the records of its source: every one is there,
// and once when lines of the same id are dropped. It returns how many lines were
// dropped.
func checkOutput(t *testing.T, path string, want map[string]int) (repeated int) {
	t.Helper()
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]string{}
	got := map[string]int{}
	for line := range strings.Lines(string(out)) {
		id, data, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || !strings.HasSuffix(line, "\n") {
			t.Errorf("got a torn line %q", line)
			continue
		}
		if old, ok := byID[id]; ok {
			if old != data {
				t.Errorf("id %s: got %q and %q, want one record", id, old, data)
			}
			repeated++
			continue
		}
		byID[id] = data
		got[data]++
	}
	for data, n := range want {
		if got[data] != n {
			t.Fatalf("got %d of record %q, want %d", got[data], data, n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d different records, want %d", len(got), len(want))
	}
	return repeated
}

func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

func TestBackfill(t *testing.T) {
	t.Parallel()
	src, want := source(t, 5, 300)
	dir := t.TempDir()
	output, manifest := filepath.Join(dir, "out"), filepath.Join(dir, "manifest")
	for i := range 2 { // the second run has nothing to do
		status, stdout, stderr := call(t, "-lanes", "3", src, output, manifest)
		if status != 0 || stderr != "" || !strings.Contains(stdout, "COMPLETE: every") {
			t.Fatalf("run %d: got status %d, %q, %q on stderr, want 0 and a complete report", i, status, stdout, stderr)
		}
		if n := checkOutput(t, output, want); n != 0 {
			t.Errorf("run %d: got %d records twice, want none", i, n)
		}
	}
}

// A torn line at the end of the output is cut off, and nothing else.
func TestTornTail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after string }{
		{"", ""},
		{"torn", ""},
		{"whole\n", "whole\n"},
		{"whole\nto", "whole\n"},
		{"whole\n" + strings.Repeat("x", 200_000), "whole\n"},
	} {
		path := filepath.Join(t.TempDir(), "out")
		if err := os.WriteFile(path, []byte(tt.before), 0o666); err != nil {
			t.Fatal(err)
		}
		o, err := openOutput(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.file.WriteString("next\n"); err != nil {
			t.Fatal(err)
		}
		o.file.Close()
		if got, _ := os.ReadFile(path); string(got) != tt.after+"next\n" {
			t.Errorf("%.20q: got %.40q, want %q", tt.before, got, tt.after+"next\n")
		}
	}
}

// After a failed write no lane writes any more: the torn line stays the last.
func TestOutputStopsAtFailure(t *testing.T) {
	t.Parallel()
	o, err := openOutput(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	o.file.Close()
	first := o.do((*os.File).Sync)
	second := o.do(func(*os.File) error { t.Error("the file is used after a failure"); return nil })
	if first == nil || second != first {
		t.Errorf("got %v and %v, want the same error twice", first, second)
	}
}

// An output that does not hold what the manifest says is refused, and kept.
func TestOutputGone(t *testing.T) {
	t.Parallel()
	src, want := source(t, 2, 50)
	dir := t.TempDir()
	output, manifest := filepath.Join(dir, "out"), filepath.Join(dir, "manifest")
	if status, _, stderr := call(t, src, output, manifest); status != 0 {
		t.Fatalf("got status %d, %q, want 0", status, stderr)
	}
	whole, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason string
		spoil  func() error
	}{
		{"removed", func() error { return os.Remove(output) }},
		{"empty", func() error { return os.WriteFile(output, nil, 0o666) }},
		{"too short", func() error { return os.WriteFile(output, []byte("id\tdata\n"), 0o666) }},
	} {
		if err := tt.spoil(); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := call(t, src, output, manifest)
		if status != 1 || !strings.Contains(stderr, "remove the manifest to read everything again") {
			t.Errorf("%s: got status %d, %q, want 1 and what to do", tt.reason, status, stderr)
		}
	}
	if err := os.WriteFile(output, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := call(t, src, output, manifest); status != 0 {
		t.Errorf("brought back: got status %d, %q, want 0", status, stderr)
	}
	checkOutput(t, output, want)
}

// Two runs do not write one output.
func TestOutputLocked(t *testing.T) {
	t.Parallel()
	src, _ := source(t, 1, 3)
	dir := t.TempDir()
	output := filepath.Join(dir, "out")
	o, err := openOutput(output)
	if err != nil {
		t.Fatal(err)
	}
	defer o.file.Close()
	if _, err := openOutput(output); err == nil {
		t.Skip("no locks on this system")
	}
	status, stdout, stderr := call(t, src, output, filepath.Join(dir, "manifest"))
	if status != 1 || !strings.Contains(stderr, "another run is writing it") || !strings.Contains(stdout, "NOT COMPLETE") {
		t.Errorf("got status %d, %q, %q on stderr, want 1, the report and the reason", status, stdout, stderr)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	if status, stdout, stderr := call(t, "-h"); status != 0 || !strings.HasPrefix(stdout, "usage: backfill [flags]") || stderr != "" {
		t.Errorf("got status %d, %q, %q on stderr, want 0 and the usage", status, stdout, stderr)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	src, _ := source(t, 1, 3)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	other, err := (&stream.Manifest{Job: stream.JobID{Source: "file:///else/"}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"other": other, "cut": other[:len(other)/2]} {
		if err := os.WriteFile(file(name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no arguments", nil, 2, "backfill -h says more"},
		{"negative lanes", []string{"-lanes", "-1", src, file("o"), file("m")}, 2, "not negative"},
		{"malformed URL", []string{"file://host/x", file("o"), file("m")}, 2, "file:///path"},
		{"unknown flag", []string{"-x", src, file("o"), file("m")}, 2, "-x"},
		{"no object", []string{filepath.Join(src, "*.none"), file("o"), file("m0")}, 1, "no object there"},
		{"missing source", []string{file("nope"), file("o"), file("m")}, 1, "nope"},
		{"output in a missing folder", []string{src, file("no/o"), file("m")}, 1, "no/o"},
		{"damaged manifest", []string{src, file("o"), file("cut")}, 1, file("cut")},
		{"manifest of another job", []string{src, file("o"), file("other")}, 1, "manifest belongs to another job: its source is file:///else/, here it is file://"},
	} {
		status, _, stderr := call(t, tt.args...)
		if status != tt.status || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: got status %d, %q, want %d, %q", tt.name, status, stderr, tt.status, tt.want)
		}
	}
}

// An interrupted run fails, saves what is durable, and is resumed.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	src, want := source(t, 4, 200)
	dir := t.TempDir()
	output, manifest := filepath.Join(dir, "out"), filepath.Join(dir, "manifest")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if status := run(ctx, []string{src, output, manifest}, &out, &errs); status != 1 {
		t.Errorf("got status %d, %q, want 1", status, errs.String())
	}
	if status, _, stderr := call(t, src, output, manifest); status != 0 {
		t.Errorf("resumed: got status %d, %q, want 0", status, stderr)
	}
	checkOutput(t, output, want)
}
