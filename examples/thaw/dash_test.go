package main

import (
	"strings"
	"testing"
)

// A file whose name begins with a dash is taken for a flag, and the answer says how to
// name it.
func TestNameWithDash(t *testing.T) { // not parallel: the working directory is one
	t.Chdir(folder(t, [3]string{"-a.gz", "gzip", "1\n"}))
	for _, args := range [][]string{{"cat", "-a.gz"}, {"cat", "-q", "-a.gz"}, {"ls", "-a.gz"}} {
		if status, _, stderr := call(t, args...); status != 2 || !strings.Contains(stderr, "./-a.gz") {
			t.Errorf("%v: got status %d, %q, want 2 and the name as an argument", args, status, stderr)
		}
	}
	for _, args := range [][]string{{"cat", "./-a.gz"}, {"cat", "--", "-a.gz"}} {
		if status, stdout, _ := call(t, args...); status != 0 || stdout != "1\n" {
			t.Errorf("%v: got status %d, %q", args, status, stdout)
		}
	}
	if status, _, stderr := call(t, "cat", "-none"); status != 2 || strings.Contains(stderr, "./") {
		t.Errorf("no such file: got status %d, %q", status, stderr)
	}
}
