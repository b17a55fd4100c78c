package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// The exit status is 2 for arguments that make no sense, the same for every scheme
// and verb, and 1 for what is not there.
func TestStatus(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a.gz", "gzip", "1\n"})
	slashed := filepath.ToSlash(dir)
	verbs := []string{"profile", "cat", "records", "ls", "inspect", "index", "restore"}
	// A bad glob is asked of a service first: an object may have the name.
	for status, whats := range map[int][]string{
		2: {
			"s3://", "gs://", "azblob://", "file://", "mem://host",
			"s3://b?x=1&region=r", "gs://b?x=1", "azblob://b?x=1", "file://" + slashed + "?x=1", "mem:?x=1",
			"s3://b/%zz", "gs://b/%zz", "azblob://b/%zz", "file:///%zz", "mem:///%zz",
			"s3://b/#f", "gs://b/#f", "azblob://b/#f", "file://" + slashed + "#f", "mem:///#f",
			"file://" + slashed + "/[", "mem:///[", filepath.Join(dir, "["),
			"ftp://host/x", "",
		},
		1: {"mem:", "mem:///k", "file://" + slashed + "/none", filepath.Join(dir, "none"), filepath.Join(dir, "*.zst")},
	} {
		for _, what := range whats {
			for _, verb := range verbs {
				got, _, stderr := call(t, verb, what)
				if lines := strings.Count(stderr, "\n"); got != status || lines < 2 {
					t.Errorf("%s %s: got status %d, %q, want %d, and a line that says what to do", verb, what, got, stderr, status)
				}
			}
		}
	}
	for _, args := range [][]string{
		{"cat", "-codec", "none such"}, {"records", "-frame", "none such"}, {"records", "-on-error", "none such"},
		{"cat", "-memory", "much"}, {"cat", "-memory", "1"}, {"cat", "-offset", "-1"}, {"profile", "-lanes", "-1"}, {"profile", "-workers", "-1"},
		{"profile", "-link", "fast"}, {"restore", "-days", "-1"}, {"restore", "-poll", "0"}, {"inspect", "-list", "-1"}, {"index", "-spacing", "0"},
		{"cat", "-index", "s3://"}, {"ls", "-frame", "lines"}, {"ls", "-none-such"},
	} {
		if got, stdout, stderr := call(t, append(args, filepath.Join(dir, "a.gz"))...); got != 2 || stdout != "" || !strings.Contains(stderr, "thaw "+args[0]+" -h says more") {
			t.Errorf("%v: got status %d, %q, %q on stderr, want 2 and where help is", args, got, stdout, stderr)
		}
	}
}
