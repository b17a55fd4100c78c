package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// call runs the program.
func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// write puts an object into dir.
func write(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func encode(t *testing.T, codec string, data []byte) []byte {
	t.Helper()
	b, err := corpus.Encode(codec, data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Without an argument the program reads what it makes, says so, and leaves
// nothing behind.
func TestStaged(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	status, stdout, stderr := call(t)
	if status != 0 || stderr != "" {
		t.Errorf("got status %d, %q on stderr, want 0 and nothing", status, stderr)
	}
	for _, want := range []string{"none", "gzip", "zstd", "lz4", "snappy", "ndjson", "csv", "until the first record", "\n  COMPLETE: "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output has no %q:\n%s", want, stdout)
		}
	}
	checkShares(t, stdout)
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("got %v, %v left in the temporary folder, want nothing", left, err)
	}
}

// checkShares adds up the shares of both tables as printed.
func checkShares(t *testing.T, report string) {
	t.Helper()
	share := regexp.MustCompile(`^  (\w[\w ]*?) +\d[\d.]* (?:µs|ms|s) +(\d+)\.(\d) %`)
	sum, tables := 0, 0
	for line := range strings.Lines(report) {
		m := share.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		whole, _ := strconv.Atoi(m[2])
		tenth, _ := strconv.Atoi(m[3])
		if m[1] == "wall" || m[1] == "in all" {
			if sum != 1000 || whole != 100 {
				t.Errorf("shares add up to %d tenths of a percent above %q, want 1000", sum, strings.TrimSpace(line))
			}
			sum = 0
			tables++
			continue
		}
		sum += 10*whole + tenth
	}
	if tables != 2 {
		t.Errorf("got %d tables of shares, want 2:\n%s", tables, report)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := corpus.NDJSONBytes(1, 500)
	write(t, dir, "a.ndjson.gz", encode(t, "gzip", data))
	write(t, dir, "b.ndjson.zst", encode(t, "zstd", data))
	for _, what := range []string{dir, dir + "/", "file://" + filepath.ToSlash(dir) + "/", filepath.Join(dir, "*.ndjson.*")} {
		status, stdout, stderr := call(t, what, "-lanes", "3", "-workers=1", "-memory", "64MiB")
		if status != 0 || stderr != "" {
			t.Errorf("%s: got status %d, %q on stderr, want 0 and nothing", what, status, stderr)
		}
		for _, want := range []string{"COMPLETE: every", "2 lanes of 3 (no more objects) · 1 worker, ", "of 64 MiB", "1000\n"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: output has no %q:\n%s", what, want, stdout)
			}
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.gz", encode(t, "gzip", []byte("a\nb\n")))
	status, stdout, _ := call(t, "-json", dir)
	var got struct {
		Headline string
		Complete bool
		Wall     int64 `json:"wall_ns"`
		Counts   struct{ Done stream.Tally }
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if status != 0 || !got.Complete || got.Counts.Done.Delivered != 2 || got.Wall <= 0 || !strings.Contains(got.Headline, "gzip") {
		t.Errorf("got status %d, %+v, want 0 and a complete report of 2 records", status, got)
	}
}

func TestQuiet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.gz", encode(t, "zstd", []byte("a\nb\n"))) // a conflict, of which nothing is said
	status, stdout, stderr := call(t, dir, "-q")
	if status != 0 || strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, "zstd") || stderr != "" {
		t.Errorf("got status %d, %q, %q on stderr, want 0 and the headline", status, stdout, stderr)
	}
}

// Bad input is a clear line on stderr and the right status.
func TestBadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gz := encode(t, "gzip", corpus.NDJSONBytes(1, 2000))
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	if err := os.Mkdir(bad, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, bad, "good.gz", gz)
	write(t, bad, "short.gz", gz[:len(gz)-9])
	write(t, bad, "wrong.zst", gz)
	quarantine := filepath.Join(dir, "q")
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   []string // on stderr
	}{
		{"missing", []string{filepath.Join(dir, "nope")}, 1, []string{"nope", "no such file or folder"}},
		{"nothing in the folder", []string{filepath.Join(dir, "empty")}, 1, []string{"empty/", "no object"}},
		{"glob without a match", []string{filepath.Join(dir, "*.nope")}, 1, []string{"*.nope", "no object"}},
		{"scheme of a known package", []string{"s3://bucket/key"}, 2, []string{`"github.com/thaw-go/thaw/blob/s3store"`}},
		{"truncated, wrong extension", []string{bad}, 1, []string{"short.gz at stored offset", "truncated", "unexpected EOF", "copy it again"}},
		{"skipped is not complete", []string{bad, "-on-error", "skip"}, 1,
			[]string{"short.gz at stored offset", "wrong.zst: read as gzip, though its extension says zstd", "not complete: 1 of 3 objects"}},
		{"quarantined is not complete", []string{bad, "-on-error=quarantine=" + quarantine}, 1, []string{"(quarantine)", "not complete"}},
		{"arguments in two stores", []string{dir, "mem:"}, 2, []string{"one job reads one store"}},
		{"unknown flag", []string{"-nope"}, 2, []string{"-nope"}},
		{"unknown codec", []string{"-codec", "gz", dir}, 2, []string{"gz", "gzip"}},
		{"unknown framer", []string{"-frame", "row", dir}, 2, []string{"row", "lines"}},
		{"no size", []string{"-memory", "lots", dir}, 2, []string{"lots"}},
		{"no policy", []string{"-on-error", "ignore", dir}, 2, []string{"ignore"}},
	} {
		status, _, stderr := call(t, tt.args...)
		if status != tt.status {
			t.Errorf("%s: got status %d, want %d", tt.name, status, tt.status)
		}
		for _, want := range tt.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: stderr has no %q:\n%s", tt.name, want, stderr)
			}
		}
	}
	if q, err := os.ReadFile(quarantine); err != nil || !bytes.Contains(q, []byte(`"key":"short.gz"`)) {
		t.Errorf("got %s, %v in the quarantine file, want short.gz", q, err)
	}
}

// A failure is told once, on stderr; the report has its class.
func TestFailureOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gz := encode(t, "gzip", corpus.NDJSONBytes(1, 2000))
	path := write(t, dir, "short.gz", gz[:len(gz)-9])
	status, stdout, stderr := call(t, dir)
	if status != 1 || strings.Count(stderr, path) != 1 {
		t.Errorf("got status %d, %q on stderr, want 1 and %s once", status, stderr, path)
	}
	if strings.Contains(stdout, "short.gz") || !strings.Contains(stdout, "NOT COMPLETE: ended by an error of class truncated\n") {
		t.Errorf("got another end of the report than its class:\n%s", stdout)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := call(t, "-h")
	if status != 0 || !strings.Contains(stdout, "usage: profile") || !strings.Contains(stdout, "-max-window") || stderr != "" {
		t.Errorf("got status %d, %q, %q on stderr, want 0 and the usage", status, stdout, stderr)
	}
}

// A program that is interrupted fails, and leaves nothing behind.
func TestInterrupt(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if status := run(ctx, nil, &out, &errs); status != 1 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("got status %d, %q, want 1 and that it was interrupted", status, errs.String())
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v left in the temporary folder, want nothing", left, err)
	}
}

// The first build is quick: no cloud SDK, no gRPC, no telemetry.
func TestLightImports(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the go command")
	}
	out, err := exec.Command("go", "list", "-deps", ".", "../../stream", "../../blob").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	allowed := []string{"github.com/thaw-go/thaw/", "github.com/klauspost/compress", "github.com/pierrec/lz4/", "github.com/golang/snappy",
		"github.com/andybalholm/brotli", "github.com/cespare/xxhash/", "github.com/bmatcuk/doublestar/", "golang.org/x/sys/cpu", "golang.org/x/sys/unix"}
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		first, _, _ := strings.Cut(dep, "/")
		if !strings.Contains(first, ".") {
			continue // the standard library
		}
		known := false
		for _, a := range allowed {
			known = known || strings.HasPrefix(dep, a)
		}
		if !known || strings.Contains(dep, "gocloudstore") {
			t.Errorf("imports %s, want none of it", dep)
		}
	}
}

// Over a link a read waits, and what it waits for is fetch.
func TestLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.ndjson.gz", encode(t, "gzip", corpus.NDJSONBytes(1, 100)))
	status, stdout, stderr := call(t, "-json", "-link", "ttfb=40ms", dir)
	if status != 0 || stderr != "" {
		t.Fatalf("got status %d, %q on stderr, want 0 and nothing", status, stderr)
	}
	var report struct {
		Stages map[string]time.Duration `json:"stages_ns"`
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	if got, want := report.Stages["fetch"], 40*time.Millisecond; got < want {
		t.Errorf("got %v of fetch, want %v at least", got, want)
	}
	for spec, want := range map[string]string{"": "link", "ttfb=soon": "time", "conn=85": "rate"} {
		status, _, stderr := call(t, "-link", spec, dir)
		if status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("-link %q: got status %d, %q, want 2 and a word about the %s", spec, status, stderr, want)
		}
	}
}

// A record over the limit need not be held where its data is dropped: it is read to
// its end and counted. Whoever sets the limit wants it kept.
func TestLargeRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := append(bytes.Repeat([]byte("x"), 20<<20), "\nshort\n"...)
	write(t, dir, "long.gz", encode(t, "gzip", data))
	status, stdout, stderr := call(t, dir)
	if status != 0 || !strings.Contains(stdout, "COMPLETE: every") || !strings.Contains(stderr, "1 record too large to be held") {
		t.Errorf("got status %d, %s, %q on stderr; want 0, a complete read and a note", status, stdout, stderr)
	}
	status, stdout, _ = call(t, "-json", dir)
	var report struct {
		Complete bool
		Counts   struct {
			Decoded int64 `json:"decoded_bytes"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); status != 0 || err != nil || !report.Complete || report.Counts.Decoded != int64(len(data)) {
		t.Errorf("got status %d, %s, %v; want 0 and %d bytes decoded", status, stdout, err, len(data))
	}
	if status, _, stderr := call(t, "-max-record", "1MiB", dir); status != 1 || !strings.Contains(stderr, "-max-record") {
		t.Errorf("with a limit: got status %d, %q on stderr; want 1 and how to allow more", status, stderr)
	}
}
