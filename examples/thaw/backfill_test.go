package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/stream"
)

// A backfill delivers every record once to where it is asked to, continues by its
// manifest, and reads shards and lists.
func TestBackfillVerb(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"src/a.ndjson.gz", "gzip", "{\"i\":1}\n{\"i\":2}\n"}, [3]string{"src/b.ndjson.zst", "zstd", "{\"i\":3}\n"}, [3]string{"src/x/c.ndjson", "none", "{\"i\":4}\n"})
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("keys"), []byte("b.ndjson.zst\nx/c.ndjson\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(in("objects"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string // in stdout or stderr
	}{
		{"records dropped", []string{in("src")}, 0, "COMPLETE: every"},
		{"lines", []string{"-lanes", "1", "-to", "stdout", in("src")}, 0, "{\"i\":1}\n{\"i\":2}\n{\"i\":3}\n{\"i\":4}\n"},
		{"files", []string{"-to", "dir:" + in("out"), in("src")}, 0, "COMPLETE: every"},
		{"objects", []string{"-to", "file://" + in("objects") + "/", in("src")}, 0, "COMPLETE: every"},
		{"a manifest in a file", []string{"-manifest", in("m.json"), in("src")}, 0, "delivered\n  listed               3"},
		{"again", []string{"-manifest", in("m.json"), in("src")}, 0, "resumed: earlier runs did 3 objects and 4 records"},
		{"a manifest in an object", []string{"-manifest", "file://" + in("objects") + "/m.json", in("src")}, 0, "COMPLETE: every"},
		{"of another job", []string{"-manifest", in("m.json"), "-frame", "lines", in("src")}, 1, "name another manifest"},
		{"keys", []string{"-keys", in("keys"), in("src")}, 0, "listed               2"},
		{"report as JSON", []string{"-json", in("src")}, 0, `"complete": true`},
		{"nothing there", []string{in("src/*.none")}, 1, "no object there"},
		{"no source", nil, 2, "say what to read"},
		{"two sources", []string{in("src"), in("src")}, 2, "one of them"},
		{"a shard too far", []string{"-shard", "3/3", in("src")}, 2, "from 0 to N - 1"},
		{"a bound of nothing", []string{"-max-bad", "3", in("src")}, 2, "-on-error"},
		{"no bound", []string{"-on-error", "skip", "-max-bad", "many", in("src")}, 2, "a number or a percentage"},
		{"nowhere", []string{"-to", "there", in("src")}, 2, "-to is null"},
		{"nowhere in a folder", []string{"-to", "dir:", in("src")}, 2, "-to is null"},
		{"another output", []string{"-manifest", in("m.json"), "-to", "dir:" + in("out2"), in("src")}, 1, "name another manifest"},
		{"around the source", []string{"-to", "dir:" + dir, in("src")}, 1, "-to lies around"},
		{"the source itself", []string{"-to", "file://" + in("src") + "/", in("src")}, 1, "-to lies around"},
		{"inside the source", []string{"-to", "dir:" + in("src/out"), in("src")}, 0, "COMPLETE: every"},
		{"inside the source, again", []string{"-to", "dir:" + in("src/out"), in("src")}, 0, "listed               6"},
		{"one file for two", []string{"-manifest", in("one.json"), "-report", "file://" + in("one.json"), in("src")}, 2, "name one file"},
		{"one file for others", []string{"-manifest", in("one.json"), "-on-error", "quarantine=" + in("one.json"), in("src")}, 2, "name one file"},
		{"a report over data", []string{"-report", in("src/x/c.ndjson"), in("src")}, 2, "something else lies there"},
		{"a report over a report", []string{"-report", in("r.json"), in("src")}, 0, "COMPLETE: every"},
		{"the same again", []string{"-report", in("r.json"), in("src")}, 0, "COMPLETE: every"},
		{"a report nowhere", []string{"-report", in("none/r.json"), in("src")}, 1, "-report"},
	} {
		status, stdout, stderr := call(t, append([]string{"backfill"}, tt.args...)...)
		if status != tt.status || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: got status %d, %q and %q, want %d and %q", tt.name, status, stdout, stderr, tt.status, tt.want)
		}
	}
	for name, want := range map[string]string{"out/a.ndjson.gz.ndjson": "{\"i\":1}\n{\"i\":2}\n", "objects/x/c.ndjson.ndjson": "{\"i\":4}\n"} {
		if got, err := os.ReadFile(in(name)); string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}

// -max-bad stops at the first record beyond, for a count and for a share.
func TestBackfillMaxBad(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 4000 {
		if i%100 == 99 {
			text.WriteString("{bad\n")
		} else {
			fmt.Fprintf(&text, "{\"i\":%d}\n", i)
		}
	}
	dir := folder(t, [3]string{"a.json", "none", text.String()})
	for _, tt := range []struct {
		bound  string
		status int
		left   int64
	}{{"", 1, 40}, {"40", 1, 40}, {"3", 1, 3}, {"2%", 1, 40}, {"1%", 1, 40}, {"0.5%", 1, 5}} {
		args := []string{"backfill", "-q", "-json", "-lanes", "1", "-on-error", "skip"}
		if tt.bound != "" {
			args = append(args, "-max-bad", tt.bound)
		}
		status, stdout, stderr := call(t, append(args, filepath.Join(dir, "a.json"))...)
		var rep stream.Report
		if err := json.Unmarshal([]byte(stdout), &rep); err != nil || status != tt.status || rep.Counts.RecordsSkipped != tt.left {
			t.Errorf("-max-bad %s: got status %d, %d records left out, %v, %q, want %d and %d", tt.bound, status, rep.Counts.RecordsSkipped, err, stderr, tt.status, tt.left)
		}
	}
}
