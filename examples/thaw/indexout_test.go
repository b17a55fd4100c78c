//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/thaw-go/thaw/codec/seek"
)

// The file of index -o is one of its own: what is read is never lost to it, nothing
// that is no file is replaced, and a failure names the file.
func TestIndexGoesIntoItsOwnFile(t *testing.T) {
	t.Parallel()
	stored, _ := members(t)
	for _, tt := range []struct {
		name   string
		out    string // in the folder
		what   string // in the folder
		status int
		stderr string
	}{
		{"the object", "a.gz", "a.gz", 2, "a.gz: it is read and written at once"},
		{"the object by another name", "hard.gz", "a.gz", 2, "a.gz: it is read and written at once"},
		{"the object by a link", "link", "a.gz", 2, "a.gz: it is read and written at once"},
		{"the only object of a folder", "in/b.gz", "in", 1, "in/b.gz: left out: the output goes there"},
		{"a pipe", "pipe", "a.gz", 2, "pipe: the result goes into a file"},
		{"a link to a device", "null", "a.gz", 2, "null: the result goes into a file"},
		{"a folder", "in", "a.gz", 2, "in: the result goes into a file"},
		{"no folder", "none/x", "a.gz", 1, "none/x: "},
		{"a new file", "new", "a.gz", 0, ""},
		{"an older index", "old", "a.gz", 0, ""},
		{"another file", "text", "a.gz", 2, "something else lies there"},
		{"an empty file", "empty", "a.gz", 2, "something else lies there"},
		{"a link to an older index", "to-old", "a.gz", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			for _, err := range []error{
				os.Mkdir(at("in"), 0o777), os.WriteFile(at("a.gz"), []byte(stored), 0o666), os.WriteFile(at("in/b.gz"), []byte(stored), 0o666),
				os.WriteFile(at("old"), []byte(seek.Magic+"old"), 0o666), os.WriteFile(at("text"), []byte("text of over eight bytes"), 0o666), os.WriteFile(at("empty"), nil, 0o666), os.Symlink("old", at("to-old")), os.Symlink("a.gz", at("link")),
				os.Link(at("a.gz"), at("hard.gz")), os.Symlink(os.DevNull, at("null")), syscall.Mkfifo(at("pipe"), 0o666),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			before, _ := os.Lstat(at(tt.out))
			status, _, stderr := call(t, "index", "-spacing", "100kB", "-o", at(tt.out), at(tt.what))
			if status != tt.status || !strings.Contains(stderr, tt.stderr) || status != 0 && strings.Count(stderr, "\n") < 2 {
				t.Errorf("got status %d, %q, want %d, %q and what to do", status, stderr, tt.status, tt.stderr)
			}
			for _, object := range []string{"a.gz", "in/b.gz"} {
				if data, err := os.ReadFile(at(object)); string(data) != stored {
					t.Errorf("%s: got %d bytes, %v, want the object as it was", object, len(data), err)
				}
			}
			if after, err := os.Lstat(at(tt.out)); before != nil && (err != nil || after.Mode() != before.Mode()) {
				t.Errorf("got %v, %v in the place of %v", after, err, before.Mode())
			}
			if status != 0 {
				return
			}
			if status, _, stderr := call(t, "cat", "-offset", "700000", "-length", "9", "-index", at(tt.out), at("a.gz")); status != 0 || stderr != "" {
				t.Errorf("cat by the index: got status %d, %q", status, stderr)
			}
		})
	}
	for _, out := range []string{"-", "s3://bucket/x"} {
		if status, _, stderr := call(t, "index", "-o", out, "."); status != 2 || !strings.Contains(stderr, out+": the result goes into a file") && !strings.Contains(stderr, `"`+out+`": the result goes into a file`) {
			t.Errorf("-o %s: got status %d, %q, want 2 and that it is no file", out, status, stderr)
		}
	}
}
