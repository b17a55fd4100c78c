package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Shards together are complete only if every one has a report and read its part.
func TestReportMerge(t *testing.T) {
	t.Parallel()
	var objects [][3]string
	for i := range 30 {
		objects = append(objects, [3]string{fmt.Sprintf("src/%02d.gz", i), "gzip", "a\nb\n"})
	}
	dir := folder(t, objects...)
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, args ...string) {
		call(t, append([]string{"backfill", "-q", "-report", in(name)}, args...)...)
	}
	for i := range 3 {
		write(fmt.Sprint(i), "-shard", fmt.Sprintf("%d/3", i), in("src"))
	}
	write("all", in("src"))
	write("other", "-shard", "2/3", in("src/0*"))
	write("of 4", "-shard", "2/4", in("src"))
	damaged := append([]string{}, in("src/05.gz"), in("src/06.gz"), in("src/07.gz"))
	for _, f := range damaged {
		if err := os.WriteFile(f, []byte("\x1f\x8b\x08"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		write(fmt.Sprint("failed ", i), "-on-error", "skip", "-shard", fmt.Sprintf("%d/3", i), in("src"))
	}
	if err := os.WriteFile(in("none"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason string
		files  []string
		status int
		want   string
	}{
		{"all three", []string{"0", "1", "2"}, 0, "  all         30         30"},
		{"in any order", []string{"2", "0", "1"}, 0, "COMPLETE: every shard"},
		{"one is missing", []string{"0", "2"}, 1, "no report of shard 1 of 3"},
		{"two are missing", []string{"1"}, 1, "no report of shard 0, 2 of 3"},
		{"not all were complete", []string{"failed 0", "failed 1", "failed 2"}, 1, "not complete of shard"},
		{"one that was stopped, and the one after it", []string{"failed 0", "failed 1", "failed 2", "0", "1", "2"}, 0, "COMPLETE: every shard"},
		{"of all", []string{"0", "1", "all"}, 1, "not of a shard"},
		{"of another source", []string{"0", "1", "other"}, 1, "the others are of"},
		{"of other parts", []string{"0", "1", "of 4"}, 1, "not disjoint"},
		{"no report", []string{"none"}, 1, "not a report"},
		{"no file", []string{"nothing"}, 1, "nothing"},
		{"none named", nil, 2, "say which reports"},
	} {
		args := []string{"report", "merge"}
		for _, f := range tt.files {
			args = append(args, in(f))
		}
		status, stdout, stderr := call(t, args...)
		if status != tt.status || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: got status %d, %s and %q, want %d and %q", tt.reason, status, stdout, stderr, tt.status, tt.want)
		}
	}
}
