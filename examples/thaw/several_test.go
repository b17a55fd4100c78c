package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Of several arguments, one that cannot be opened fails the run and not the others.
func TestOthersAreReported(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz", "gzip", "{}\n"}, [3]string{"b.gz", "gzip", "{}\n"})
	a, none, b := filepath.Join(dir, "a.gz"), filepath.Join(dir, "none"), filepath.Join(dir, "b.gz")
	for _, verb := range [][]string{{"inspect"}, {"inspect", "-json"}, {"ls"}, {"ls", "-json"}} {
		for _, whats := range [][]string{{none, a, b}, {a, none, b}, {a, b, none}} {
			status, stdout, stderr := call(t, append(verb, whats...)...)
			if status != 1 || !strings.Contains(stdout, a) || !strings.Contains(stdout, b) || !strings.Contains(stderr, "none") {
				t.Errorf("%v of %v: got status %d, %q and %q, want 1, both that are there, and which is not", verb, whats, status, stdout, stderr)
			}
		}
	}
}

// Arguments that make no sense are refused before anything is written.
func TestRefusedArguments(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a", "none", "1\n"})
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"cat", "-", "-"}, "once"},
		{[]string{"records", "-", filepath.Join(dir, "a"), "-"}, "once"},
	} {
		if status, stdout, stderr := call(t, tt.args...); status != 2 || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: got status %d, %q, %q, want 2 and %q", tt.args, status, stdout, stderr, tt.want)
		}
	}
}
