package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// folder holds objects: name, codec, data.
func folder(t *testing.T, objects ...[3]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, o := range objects {
		data, err := corpus.Encode(o[1], []byte(o[2]))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(o[0]))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCatEveryCodec(t *testing.T) {
	t.Parallel()
	want := string(corpus.NDJSONBytes(1, 4000))
	for _, codec := range []string{"none", "gzip", "zlib", "deflate", "zstd", "lz4", "snappy", "s2", "bzip2", "brotli"} {
		dir := folder(t, [3]string{"a", codec, want})
		args := []string{"cat", filepath.Join(dir, "a")}
		switch codec {
		case "zlib", "deflate", "brotli": // their bytes do not tell
			args = append(args, "-codec", codec)
		}
		status, stdout, stderr := call(t, args...)
		if status != 0 || stdout != want || stderr != "" {
			t.Errorf("%s: got status %d, %d bytes, %q on stderr, want 0 and the %d bytes encoded", codec, status, len(stdout), stderr, len(want))
		}
	}
}

// Folders and globs stand for their objects in byte order of keys; several
// arguments in the order given.
func TestCatOrder(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a/x.gz", "gzip", "2"}, [3]string{"a-b.zst", "zstd", "1"}, [3]string{"b", "none", "3"}, [3]string{"c.gz", "gzip", ""})
	url := "file://" + filepath.ToSlash(dir) + "/"
	for _, tt := range []struct {
		what []string
		want string
	}{
		{[]string{dir}, "123"},
		{[]string{url}, "123"},
		{[]string{filepath.Join(dir, "*")}, "13"},
		{[]string{filepath.Join(dir, "**", "*.gz")}, "2"},
		{[]string{url + "**/*.{gz,zst}"}, "12"},
		{[]string{filepath.Join(dir, "b"), filepath.Join(dir, "a")}, "32"},
	} {
		status, stdout, stderr := call(t, append([]string{"cat"}, tt.what...)...)
		if status != 0 || stdout != tt.want {
			t.Errorf("%v: got status %d, %q, %q on stderr, want 0, %q", tt.what, status, stdout, stderr, tt.want)
		}
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.ndjson.zst", "zstd", "{\"a\":1}\n\n{}\n"}, [3]string{"b.csv.gz", "gzip", "h\n\"x\ny\"\n"}, [3]string{"c.bin", "none", "\xff\n<é>"})
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{dir}, "{\"a\":1}\n{}\nh\n\"x\ny\"\n\xff\n<é>\n"},
		{[]string{"-frame", "lines", filepath.Join(dir, "a.*")}, "{\"a\":1}\n\n{}\n"},
		{[]string{dir, "-json"}, `{"key":"a.ndjson.zst","index":0,"decoded_offset":0,"size_bytes":7,"data":"{\"a\":1}"}
{"key":"a.ndjson.zst","index":1,"decoded_offset":8,"size_bytes":2,"data":"{}"}
{"key":"b.csv.gz","index":0,"decoded_offset":0,"size_bytes":1,"data":"h"}
{"key":"b.csv.gz","index":1,"decoded_offset":2,"size_bytes":5,"data":"\"x\ny\""}
{"key":"c.bin","index":0,"decoded_offset":0,"size_bytes":1,"data_base64":"/w=="}
{"key":"c.bin","index":1,"decoded_offset":2,"size_bytes":4,"data":"<é>"}
`},
	} {
		status, stdout, stderr := call(t, append([]string{"records", "-q"}, tt.args...)...)
		if tt.args[len(tt.args)-1] == "-json" {
			checkJSONLines(t, stdout, strings.ReplaceAll(tt.want, `"key":"`, `"key":"`+dir+`/`))
		} else if stdout != tt.want {
			t.Errorf("%v: got %q, want %q", tt.args, stdout, tt.want)
		}
		if status != 0 || stderr != "" {
			t.Errorf("%v: got status %d, %q on stderr, want 0 and nothing", tt.args, status, stderr)
		}
	}
}

// checkJSONLines compares lines of JSON by value.
func checkJSONLines(t *testing.T, got, want string) {
	t.Helper()
	value := func(line string) any {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Errorf("%v in %q", err, line)
		}
		return v
	}
	g, w := strings.Split(got, "\n"), strings.Split(strings.ReplaceAll(want, "x\ny", `x\ny`), "\n")
	if len(g) != len(w) {
		t.Fatalf("got %d lines, want %d:\n%s", len(g), len(w), got)
	}
	for i := range len(w) - 1 {
		if a, b := value(g[i]), value(w[i]); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("line %d: got %s, want %s", i, g[i], w[i])
		}
	}
}

func TestRecordsCount(t *testing.T) {
	t.Parallel()
	data := string(corpus.NDJSONBytes(3, 5000))
	dir := folder(t, [3]string{"a.gz", "gzip", data}, [3]string{"b.zst", "zstd", data}, [3]string{"c", "none", data})
	status, stdout, _ := call(t, "records", "-frame", "lines", dir)
	if n := strings.Count(stdout, "\n"); status != 0 || n != 15000 || stdout != data+data+data {
		t.Errorf("got status %d, %d lines, want 0 and the 15000 lines encoded", status, n)
	}
}

func TestLs(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a/b c", "none", "12345"}, [3]string{"a-b", "none", ""}, [3]string{"new\nline", "none", "1"})
	status, stdout, stderr := call(t, "ls", dir)
	var keys []string
	for line := range strings.Lines(stdout) {
		keys = append(keys, strings.TrimSpace(line[strings.LastIndex(line, "  ")+2:]))
	}
	if got, want := fmt.Sprint(keys), fmt.Sprintf("[%s/a-b %[1]s/a/b c %q]", dir, dir+"/new\nline"); status != 0 || got != want || stderr != "" {
		t.Errorf("got status %d, %s, %q on stderr, want 0, %s", status, got, stderr, want)
	}
	status, stdout, _ = call(t, "ls", "-json", filepath.Join(dir, "a"))
	var o object
	if err := json.Unmarshal([]byte(stdout), &o); err != nil || status != 0 || o.Name() != filepath.Join(dir, "a", "b c") || o.Size != 5 || o.Version == "" || o.Time == nil {
		t.Errorf("got status %d, %s, %v, want 0 and one object of 5 bytes", status, stdout, err)
	}
	// One object has size and version as well.
	if status, stdout, _ = call(t, "ls", filepath.Join(dir, "a", "b c")); status != 0 || !strings.HasPrefix(strings.TrimSpace(stdout), "5 ") {
		t.Errorf("got status %d, %q, want 0 and 5 bytes", status, stdout)
	}
}

// Versions are shown when they are asked for.
func TestLsLong(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a", "none", "1"})
	for _, tt := range []struct {
		args   []string
		fields int
	}{{[]string{"ls", dir}, 3}, {[]string{"ls", "-l", dir}, 4}} {
		if status, stdout, _ := call(t, tt.args...); status != 0 || len(strings.Fields(stdout)) != tt.fields {
			t.Errorf("%v: got status %d, %q, want 0 and %d columns", tt.args, status, stdout, tt.fields)
		}
	}
}

func TestProfileVerb(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz", "gzip", "1\n2\n"})
	status, stdout, stderr := call(t, "profile", dir)
	if status != 0 || !strings.Contains(stdout, "COMPLETE: every") || stderr != "" {
		t.Errorf("got status %d, %q on stderr, want 0 and a complete report:\n%s", status, stderr, stdout)
	}
}

// That the output cannot be written is told once, with its name where it has one.
func TestCatFullOutput(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz", "gzip", "line\n"})
	full := errors.New("full")
	for want, err := range map[string]error{
		"thaw cat: write out: full\n": &fs.PathError{Op: "write", Path: "out", Err: full},
		"thaw cat: write: full\n":     full,
	} {
		var stderr bytes.Buffer
		status := run(t.Context(), []string{"cat", dir}, failing{err}, &stderr)
		if status != 1 || stderr.String() != want {
			t.Errorf("got status %d, %q, want 1, %q", status, stderr.String(), want)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// What is wrong is told in a line with key and offset, what was decoded before is
// written, and nothing behind the first failure is.
func TestBadInput(t *testing.T) {
	t.Parallel()
	data := string(corpus.NDJSONBytes(1, 3000))
	dir := folder(t, [3]string{"1.gz", "gzip", "first\n"}, [3]string{"2.gz", "gzip", data}, [3]string{"3.gz", "gzip", "last\n"}, [3]string{"sub/x", "none", "x"})
	short := filepath.Join(dir, "2.gz")
	info, err := os.Stat(short)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(short, info.Size()-1000); err != nil {
		t.Fatal(err)
	}
	zst := folder(t, [3]string{"wrong.gz", "zstd", "ok\n"})
	empty := folder(t, [3]string{"empty.gz", "none", ""})
	plain := folder(t, [3]string{"plain.lz", "none", "text\n"})
	window := filepath.Join(t.TempDir(), "window.zst")
	if err := os.WriteFile(window, wideFrame(4000), 0o666); err != nil {
		t.Fatal(err)
	}
	long := folder(t, [3]string{"long", "none", strings.Repeat("x", 5000) + "\nshort\n"})
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		stdout string   // what it begins with
		stderr []string // what it holds
	}{
		{"truncated", []string{"cat", filepath.Join(dir, "*.gz")}, 1, "first\n" + data[:100],
			[]string{short + " at stored offset", "(decoded ", "truncated: ", "unexpected EOF", "copy it again"}},
		{"missing", []string{"cat", filepath.Join(dir, "nope.gz")}, 1, "", []string{"nope.gz", "no such", "is the name right?"}},
		{"folder that is not there", []string{"records", dir + "/nope/"}, 1, "", []string{"nope/"}},
		{"file as a folder", []string{"cat", filepath.Join(dir, "1.gz") + "/"}, 1, "", []string{"1.gz/", "is a file"}},
		{"glob without a match", []string{"records", filepath.Join(dir, "*.zst")}, 1, "", []string{"*.zst", "no object"}},
		{"wrong extension", []string{"cat", filepath.Join(zst, "wrong.gz")}, 0, "ok\n", []string{"wrong.gz: read as zstd, though its extension says gzip"}},
		{"wrong extension, records", []string{"records", zst}, 0, "ok\n", []string{"wrong.gz: read as zstd"}},
		{"wrong extension, strict", []string{"cat", "-strict", filepath.Join(zst, "wrong.gz")}, 1, "", []string{"wrong.gz: corrupt data", "zstd by magic, but extension says gzip"}},
		{"wrong extension, index, strict", []string{"index", "-strict", filepath.Join(zst, "wrong.gz")}, 1, "", []string{"wrong.gz: corrupt data", "zstd by magic, but extension says gzip"}},
		{"wrong extension, inspect, strict", []string{"inspect", "-strict", filepath.Join(zst, "wrong.gz")}, 1, "key ", []string{"wrong.gz: corrupt data", "zstd by magic, but extension says gzip"}},
		{"plain content", []string{"cat", filepath.Join(plain, "plain.lz")}, 0, "text\n", []string{"plain.lz: read as plain data, though its extension says lzip"}},
		{"plain content, strict", []string{"cat", "-strict", filepath.Join(plain, "plain.lz")}, 1, "", []string{"but extension says lzip"}},
		{"plain content, records, strict", []string{"records", "-strict", plain}, 1, "", []string{"but extension says lzip"}},
		{"empty object", []string{"cat", filepath.Join(empty, "empty.gz")}, 1, "", []string{"empty.gz: truncated"}},
		{"empty object, records", []string{"records", "-on-error=skip", empty}, 1, "", []string{"1 of 1 object left out"}},
		{"wrong codec", []string{"cat", "-codec", "zstd", filepath.Join(dir, "1.gz")}, 1, "", []string{"1.gz: zstd: corrupt data"}},
		{"window", []string{"cat", window}, 1, "", []string{"limit", "-max-window 2GiB -memory 4GiB"}},
		{"long record", []string{"records", "-max-record", "1KiB", filepath.Join(long, "long")}, 1, "", []string{"record 0", "-max-record"}},
		{"long record skipped", []string{"records", "-on-error=skip", "-max-record=1KiB", filepath.Join(long, "long")}, 1, "short\n", []string{"not complete: 1 record left out"}},
		{"left out without notes", []string{"records", "-q", "-on-error=skip", "-max-record=1KiB", filepath.Join(long, "long")}, 1, "short\n", []string{"not complete: 1 record left out", "without -q"}},
		{"parameter of a bucket", []string{"ls", "s3://bucket/x?nonsense=1"}, 2, "", []string{`unknown query parameter "nonsense"`}},
		{"unknown scheme", []string{"ls", "ftp://host/x"}, 2, "", []string{`unknown scheme "ftp"`, "examples/thaw has every store"}},
		{"credentials", []string{"cat", "s3://AKIA:hunter2@bucket/x?secret=hunter3"}, 2, "", []string{"xxxxx"}},
		{"malformed URL", []string{"ls", "file:///a%zz"}, 2, "", []string{"%25"}},
		{"malformed glob", []string{"ls", filepath.Join(dir, "[")}, 2, "", []string{"malformed glob"}},
		{"standard input of a listing", []string{"ls", "-"}, 2, "", []string{"thaw ls: - : standard input is not read here: "}},
		{"a device", []string{"cat", os.DevNull}, 2, "", []string{"devices are not read"}},
		{"little memory", []string{"cat", "-memory", "64KiB", dir}, 2, "", []string{"-memory 64KiB is too little to read anything: ", "MiB is enough"}},
		{"no verb", nil, 2, "", []string{"usage"}},
		{"unknown verb", []string{"dog"}, 2, "", []string{`no verb "dog"`}},
		{"nothing to read", []string{"cat"}, 2, "", []string{"say what to read"}},
		{"unknown flag", []string{"ls", "-frame", "lines", dir}, 2, "", []string{"-frame"}},
		{"unknown framer", []string{"records", "-frame", "words", dir}, 2, "", []string{"words"}},
	} {
		status, stdout, stderr := call(t, tt.args...)
		if status != tt.status || !strings.HasPrefix(stdout, tt.stdout) || tt.stdout == "" && stdout != "" || strings.Contains(stdout, "last") {
			t.Errorf("%s: got status %d, %.60q, %q on stderr, want %d, %.60q", tt.name, status, stdout, stderr, tt.status, tt.stdout)
		}
		for _, want := range tt.stderr {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: stderr has no %q:\n%s", tt.name, want, stderr)
			}
		}
		if strings.Contains(stderr, "hunter") {
			t.Errorf("%s: a credential on stderr: %s", tt.name, stderr)
		}
	}
}

// wideFrame is a zstd frame that declares a window of 2 GiB and has so many blocks
// of 128 KiB, each one byte repeated.
func wideFrame(blocks int) []byte {
	frame := []byte("\x28\xb5\x2f\xfd\x00\xa8")
	for i := range blocks {
		header := uint32(128<<10)<<3 | 1<<1
		if i == blocks-1 {
			header |= 1
		}
		frame = append(frame, byte(header), byte(header>>8), byte(header>>16), 'x')
	}
	return frame
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"help", "help"}, {"help", "cat"}, {"help", "version"}, {"version", "-h"}, {"-h"}, {"cat", "-h"}, {"records", "--help"}, {"ls", "-h"}, {"profile", "-h"}} {
		status, stdout, stderr := call(t, args...)
		if status != 0 || !strings.HasPrefix(stdout, "usage: thaw ") || stderr != "" {
			t.Errorf("%v: got status %d, %.40q, %q on stderr, want 0 and the usage", args, status, stdout, stderr)
		}
		var errs bytes.Buffer
		if status := run(t.Context(), args, failing{errors.New("full")}, &errs); status != 1 || errs.Len() == 0 {
			t.Errorf("%v to a full disk: got status %d, %q, want 1 and a reason", args, status, errs.String())
		}
	}
}

// The end of the context is a failure of every verb.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz", "gzip", "1\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, verb := range []string{"cat", "records", "ls", "profile"} {
		var out, errs bytes.Buffer
		if status := run(ctx, []string{verb, dir}, &out, &errs); status != 1 || !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("%s: got status %d, %q, want 1 and that it was interrupted", verb, status, errs.String())
		}
	}
}

// An interrupt in the middle of an object ends the read at once.
func TestInterruptWithin(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz", "gzip", string(corpus.NDJSONBytes(1, 20000))})
	for _, verb := range []string{"cat", "records"} {
		ctx, cancel := context.WithCancel(t.Context())
		w := &canceling{cancel: cancel}
		var errs bytes.Buffer
		if status := run(ctx, []string{verb, dir}, w, &errs); status != 1 || !strings.Contains(errs.String(), "a.gz: canceled") && !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("%s: got status %d, %q, want 1 and that it was interrupted", verb, status, errs.String())
		}
		if w.n >= 4_000_000 {
			t.Errorf("%s: got %d bytes after the interrupt, want the rest left out", verb, w.n)
		}
	}
}

// canceling ends the context with the first write.
type canceling struct {
	cancel context.CancelFunc
	n      int
}

func (w *canceling) Write(p []byte) (int, error) {
	w.cancel()
	w.n += len(p)
	return len(p), nil
}
