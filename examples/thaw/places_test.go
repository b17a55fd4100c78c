package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a backfill writes is looked at before anything is read: no file is written for two
// purposes, whatever links lead to it, and a refused run leaves nothing in its source.
func TestBackfillPlaces(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"src/a.ndjson", "none", "{\"i\":1}\n"}, [3]string{"data/b.ndjson", "none", "{\"i\":1}\n"})
	in := func(name string) string { return filepath.Join(dir, name) }
	for link, to := range map[string]string{"link.json": "one.json", "dir": "src"} {
		if err := os.Symlink(in(to), in(link)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(in("one.json"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason string
		args   []string
		status int
		want   string // in what is written to stderr
	}{
		{"one file by a link", []string{"-manifest", in("link.json"), "-report", in("one.json")}, 2, "name one file"},
		{"one new file in a folder and in a link to it", []string{"-manifest", in("src/new"), "-report", in("dir/new")}, 2, "name one file"},
		{"the same, in a folder that is not there", []string{"-manifest", in("src/x/y/new"), "-report", in("dir/x/y/new")}, 2, "name one file"},
		{"records into a new folder in a link", []string{"-manifest", in("made/l.json"), "-to", "dir:" + in("dir/out/x")}, 0, ""},
		{"the same again, when it is there", []string{"-manifest", in("made/l.json"), "-to", "dir:" + in("dir/out/x")}, 0, ""},
		{"a folder for the report", []string{"-report", in("src")}, 2, "-report " + in("src")},
		{"data for the manifest", []string{"-manifest", in("data/b.ndjson")}, 1, "-manifest " + in("data/b.ndjson")},
		{"a folder that is missing, of the manifest", []string{"-manifest", "file://" + in("none/m.json")}, 1, "-manifest file://" + in("none/m.json")},
		{"a folder that is missing, of records", []string{"-to", "file://" + in("none") + "/"}, 1, "-to file://" + in("none")},
		{"a folder that the manifest makes", []string{"-manifest", in("made/m.json")}, 0, ""},
	} {
		status, stdout, stderr := call(t, append([]string{"backfill"}, append(tt.args, in("src"))...)...)
		if status != tt.status || !strings.Contains(stderr, tt.want) || status != 0 && stdout != "" {
			t.Errorf("%s: got status %d, %q and %q, want %d, %q and no report", tt.reason, status, stdout, stderr, tt.status, tt.want)
		}
	}
	if _, err := os.Stat(in("data/b.ndjson.lock")); err == nil {
		t.Error("got a lock beside data that is no manifest, want none")
	}
	if data, err := os.ReadFile(in("one.json")); err != nil || len(data) != 0 {
		t.Errorf("got %q, %v in a file that two flags name, want it as it was", data, err)
	}
}

// Messages name objects as arguments do, whatever else the job opens beside them.
func TestBackfillNamesObjects(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"src/cut.gz", "gzip", strings.Repeat("{\"i\":1}\n", 99)}, [3]string{"keys", "none", "cut.gz\n"})
	in := func(name string) string { return filepath.Join(dir, name) }
	data, err := os.ReadFile(in("src/cut.gz"))
	if err == nil {
		err = os.WriteFile(in("src/cut.gz"), data[:len(data)-9], 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		nil, {"-manifest", in("m.json")}, {"-manifest", "file://" + in("m2.json")}, {"-report", in("r.json")}, {"-keys", in("keys")},
	} {
		status, _, stderr := call(t, append([]string{"backfill"}, append(args, in("src"))...)...)
		if want := "thaw backfill: " + in("src/cut.gz") + " at stored offset"; status != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%v: got status %d, %q, want 1, %q", args, status, stderr, want)
		}
	}
}

// A run that its manifest refuses says so once, and reports no figures of nothing.
func TestRefusedManifestIsNoReport(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"src/a.ndjson", "none", "{\"i\":1}\n"})
	src, manifest := filepath.Join(dir, "src"), filepath.Join(dir, "m.json")
	if status, _, stderr := call(t, "backfill", "-manifest", manifest, src); status != 0 {
		t.Fatal(stderr)
	}
	status, stdout, stderr := call(t, "backfill", "-manifest", manifest, "-frame", "lines", src)
	if status != 1 || stdout != "" || strings.Count(stderr, "another job") != 1 {
		t.Errorf("got status %d, %q and %q, want 1 and the refusal alone", status, stdout, stderr)
	}
	if status, stdout, _ := call(t, "backfill", "-json", "-manifest", manifest, "-frame", "lines", src); status != 1 || !strings.Contains(stdout, `"complete": false`) {
		t.Errorf("-json: got status %d and %q, want 1 and a report for programs", status, stdout)
	}
}
