package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// What the program writes is no input: left out of a folder or a glob with a note,
// and refused, before anything is written, where an argument names it.
func TestOutputIsNoInput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		args   func(dir string) []string
		status int
		want   string // in the output
		stderr string
	}{
		{"cat of the folder", func(dir string) []string { return []string{"cat", dir} }, 0, "1\n2\n", "out: left out"},
		{"cat of a glob", func(dir string) []string { return []string{"cat", filepath.Join(dir, "*")} }, 0, "1\n2\n", "out: left out"},
		{"cat by URL", func(dir string) []string { return []string{"cat", "file://" + dir + "/"} }, 0, "1\n2\n", "out: left out"},
		{"cat by prefix", func(dir string) []string { return []string{"cat", "file://" + dir + "/?prefix=o"} }, 1, "", "no object"},
		{"records", func(dir string) []string { return []string{"records", "-q", dir} }, 0, "1\n2\n", ""},
		{"cat of itself", func(dir string) []string { return []string{"cat", filepath.Join(dir, "out")} }, 2, "", "read and written at once"},
		{"cat of itself by URL", func(dir string) []string { return []string{"cat", "file://" + dir + "/out"} }, 2, "", "read and written at once"},
		{"quarantine", func(dir string) []string {
			return []string{"records", "-q", "-on-error", "quarantine=" + filepath.Join(dir, "q"), dir}
		}, 0, "1\n2\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, [3]string{"a.gz", "gzip", "1\n"}, [3]string{"z.zst", "zstd", "2\n"})
			out, err := os.Create(filepath.Join(dir, "out"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			var stderr bytes.Buffer
			status := run(t.Context(), tt.args(dir), out, &stderr)
			got, err := os.ReadFile(out.Name())
			if status != tt.status || string(got) != tt.want || err != nil || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("got status %d, %q, %q on stderr, %v; want %d, %q, %q", status, got, stderr.String(), err, tt.status, tt.want, tt.stderr)
			}
		})
	}
}

// Records of several arguments can be told apart, though their folders hold the
// same names, and a name is an argument that leads to the object again.
func TestNamesOfSeveralArguments(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"x/a.gz", "gzip", "1"}, [3]string{"y/a.gz", "gzip", "2"})
	for _, verb := range []string{"records", "ls", "inspect"} {
		status, stdout, stderr := call(t, verb, "-json", filepath.Join(dir, "x"), "file://"+dir+"/y/")
		if status != 0 {
			t.Errorf("%s: got status %d, %q on stderr", verb, status, stderr)
		}
		for _, want := range []string{filepath.Join(dir, "x", "a.gz"), "file://" + dir + "/y/a.gz"} {
			line, _ := json.Marshal(want)
			if n := strings.Count(stdout, `{"key":`+string(line)+","); n != 1 {
				t.Errorf("%s: got %d lines for %s, want 1, in %s", verb, n, want, stdout)
			}
			if status, stdout, stderr := call(t, "cat", want); status != 0 || len(stdout) != 1 {
				t.Errorf("cat %s: got status %d, %q, %q on stderr", want, status, stdout, stderr)
			}
		}
	}
}

// A profile of several arguments is one job over all of them.
func TestProfileSeveral(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"x/a.gz", "gzip", "1\n2\n"}, [3]string{"y/a.gz", "gzip", "3\n"}, [3]string{"z", "none", "4\n"})
	status, stdout, stderr := call(t, "profile", "-json", filepath.Join(dir, "x"), filepath.Join(dir, "z"), "file://"+dir+"/?prefix=y")
	var report struct {
		Complete bool
		Counts   struct {
			Records int64
			Listed  struct{ Objects int64 }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); status != 0 || err != nil || !report.Complete || report.Counts.Listed.Objects != 3 {
		t.Errorf("got status %d, %s, %q on stderr, %v; want 0 and 3 objects", status, stdout, stderr, err)
	}
	if status, _, stderr := call(t, "profile", dir, "s3://bucket/x?region=x&anonymous=true&endpoint=http://127.0.0.1:1&max_attempts=1"); status == 0 {
		t.Errorf("two stores: got status 0, %q on stderr", stderr)
	}
}

// Standard input and pipes are read to their end, with everything that a file
// promises.
func TestStandardInput(t *testing.T) { // not parallel: standard input is one
	data := string(corpus.NDJSONBytes(5, 3000))
	packed, err := corpus.Encode("zstd", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdin
	defer func() { os.Stdin = old }()
	for _, tt := range []struct {
		args   []string
		stdin  []byte
		status int
		stdout string // what it begins with
		stderr string
	}{
		{[]string{"cat", "-"}, packed, 0, data, ""},
		{[]string{"records", "-q", "-"}, packed, 0, data, ""},
		{[]string{"records", "-q", "-json", "-"}, []byte("x\n"), 0, `{"key":"-","index":0`, ""},
		{[]string{"profile", "-q", "-"}, packed, 0, "", ""},
		{[]string{"inspect", "-"}, packed, 0, "key         -\ncodec       zstd", ""},
		{[]string{"cat", "-"}, packed[:len(packed)-5], 1, data[:1000], "- at stored offset"},
		{[]string{"cat", "-"}, nil, 0, "", ""},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			w.Write(tt.stdin)
			w.Close()
		}()
		os.Stdin = r
		status, stdout, stderr := call(t, tt.args...)
		r.Close()
		if status != tt.status || !strings.HasPrefix(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("%v of %d bytes: got status %d, %.80q, %q on stderr; want %d, %.80q, %q", tt.args, len(tt.stdin), status, stdout, stderr, tt.status, tt.stdout, tt.stderr)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "thaw-input-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A time that JSON cannot hold is left out, and the listing goes on.
func TestLsFarFuture(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		year int
		want bool
	}{{9999, true}, {10000, false}, {-5, false}} {
		var b bytes.Buffer
		err := writeObject(&b, blob.Object{Key: "a", ModTime: time.Date(tt.year, 1, 1, 0, 0, 0, 0, time.UTC)}, true, false)
		var o object
		if jerr := json.Unmarshal(b.Bytes(), &o); err != nil || jerr != nil || (o.Time != nil) != tt.want {
			t.Errorf("year %d: got %s, %v, %v; want a time: %v", tt.year, b.String(), err, jerr, tt.want)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"version", "-version", "--version"} {
		if status, stdout, _ := call(t, arg); status != 0 || !strings.HasPrefix(stdout, "thaw ") || !strings.Contains(stdout, runtime.Version()) {
			t.Errorf("%s: got status %d, %q", arg, status, stdout)
		}
	}
	if status, _, stderr := call(t, "version", "x"); status != 2 || stderr == "" {
		t.Errorf("an argument: got status %d, %q on stderr; want 2 and a reason", status, stderr)
	}
}
