package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// -after deletes or moves what was written, and nothing else.
func TestBackfillAfter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		args   []string // with DIR for the folder
		status int
		want   string // in stdout or stderr
		files  string // that are there afterwards, of those below src and done
	}{
		{"delete", []string{"-to", "dir:DIR/out", "-after", "delete"}, 0, "2 objects acted upon", ""},
		{"move", []string{"-to", "dir:DIR/out", "-after", "move=DIR/done", "-manifest", "DIR/m"}, 0, "2 objects acted upon", "done/a.ndjson.gz done/x/b.ndjson"},
		{"move to a URL", []string{"-to", "dir:DIR/out", "-after", "move=file://DIR/done/?create=true"}, 0, "2 objects acted upon", "done/a.ndjson.gz done/x/b.ndjson"},
		{"move below the source", []string{"-to", "dir:DIR/out", "-after", "move=DIR/src/done"}, 0, "2 objects acted upon", "src/done/a.ndjson.gz src/done/x/b.ndjson"},
		{"move to the source", []string{"-to", "dir:DIR/out", "-after", "move=DIR/src"}, 1, "holds all of", "src/a.ndjson.gz src/x/b.ndjson"},
		{"tag files", []string{"-to", "dir:DIR/out", "-after", "tag=done=yes"}, 1, "not supported", "src/a.ndjson.gz src/x/b.ndjson"},
		{"tag without a value", []string{"-to", "dir:DIR/out", "-after", "tag=done"}, 2, "tag=NAME=VALUE", "src/a.ndjson.gz src/x/b.ndjson"},
		{"records dropped", []string{"-after", "delete"}, 2, "-to dir:PATH", "src/a.ndjson.gz src/x/b.ndjson"},
		{"records to a pipe", []string{"-to", "stdout", "-after", "delete"}, 2, "-to dir:PATH", "src/a.ndjson.gz src/x/b.ndjson"},
		{"no action", []string{"-to", "dir:DIR/out", "-after", "burn"}, 2, "delete, move=URL", "src/a.ndjson.gz src/x/b.ndjson"},
		{"move nowhere", []string{"-to", "dir:DIR/out", "-after", "move="}, 2, "delete, move=URL", "src/a.ndjson.gz src/x/b.ndjson"},
	} {
		dir := folder(t, [3]string{"src/a.ndjson.gz", "gzip", "{\"i\":1}\n{\"i\":2}\n"}, [3]string{"src/x/b.ndjson", "none", "{\"i\":3}\n"})
		args := []string{"backfill"}
		for _, a := range append(tt.args, "DIR/src") {
			args = append(args, strings.ReplaceAll(a, "DIR", filepath.ToSlash(dir)))
		}
		status, stdout, stderr := call(t, args...)
		if status != tt.status || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: got status %d, %q and %q, want %d and %q", tt.name, status, stdout, stderr, tt.status, tt.want)
		}
		var files []string
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if name, _ := filepath.Rel(dir, path); err == nil && !d.IsDir() && (strings.HasPrefix(name, "src") || strings.HasPrefix(name, "done")) {
				files = append(files, filepath.ToSlash(name))
			}
			return nil
		})
		if got := strings.Join(files, " "); got != tt.files {
			t.Errorf("%s: got the files %s, want %s", tt.name, got, tt.files)
		}
	}
}
