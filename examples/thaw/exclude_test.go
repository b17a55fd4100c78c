package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// -exclude leaves out what is not wanted, what cannot be read included; an argument
// that names one object is not concerned.
func TestExclude(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.json", "none", "1\n"}, [3]string{"b.tmp", "none", "2\n"}, [3]string{"old/c.json", "none", "3\n"})
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		args   []string
		want   string // of stdout
		status int
	}{
		{[]string{"cat", "-exclude", "dangling", dir}, "1\n2\n3\n", 0},
		{[]string{"cat", "-exclude", "dangling", "-exclude", "*.tmp", "-exclude", "old/", dir}, "1\n", 0},
		{[]string{"cat", "-exclude", "{b,d}*", filepath.Join(dir, "*")}, "1\n", 0},
		{[]string{"cat", "-exclude", "*.json", filepath.Join(dir, "a.json")}, "1\n", 0},
		{[]string{"records", "-q", "-exclude", "dangling", "-exclude", "old", dir}, "1\n2\n", 0},
		{[]string{"records", "-q", "-on-error", "skip", "-exclude", "old", dir}, "1\n2\n", 1},
		{[]string{"cat", "-exclude", "[", dir}, "", 2},
		{[]string{"cat", "-exclude", "", dir}, "", 2},
		{[]string{"cat", "-first-byte", "-1s", dir}, "", 2},
	} {
		if got, stdout, stderr := call(t, c.args...); got != c.status || stdout != c.want {
			t.Errorf("%v: got status %d, %q, %q on stderr, want %d and %q", c.args, got, stdout, stderr, c.status, c.want)
		}
	}
	// A listing goes on behind what cannot be looked at, and says so at its end.
	got, stdout, stderr := call(t, "ls", dir)
	if lines := strings.Count(stdout, "\n"); got != 1 || lines != 3 || !strings.Contains(stderr, "dangling") {
		t.Errorf("ls: got status %d, %q, %q on stderr, want 1, three lines and the link", got, stdout, stderr)
	}
}
