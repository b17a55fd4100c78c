package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream/archive"
)

// A plan asks for nothing; -request asks for all; cat says that an object is
// archived, and reads it when -wait has ended.
func TestRestore(t *testing.T) {
	t.Parallel()
	s := faultstore.New(&faultstore.Options{Thaw: 100 * time.Millisecond})
	s.Add(faultstore.Item{Key: "cold/a", Content: faultstore.Bytes("one\n"), StorageClass: "GLACIER", Archived: true})
	s.Add(faultstore.Item{Key: "cold/b", Content: faultstore.Bytes("two\n"), StorageClass: "DEEP_ARCHIVE", Archived: true})
	s.Add(faultstore.Item{Key: "warm", Content: faultstore.Bytes("three\n")})
	server, err := faultstore.Serve(s, simstore.Link{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	query := "region=x&anonymous=true&use_path_style=true&endpoint=" + server.URL
	bucket := "s3://bucket?" + query

	status, stdout, stderr := call(t, "restore", bucket)
	if status != 0 || stderr != "" || !strings.Contains(stdout, "archived            2 objects") || len(s.Restores()) != 0 {
		t.Errorf("plan: got status %d, %q, %q on stderr, %d requests; want 2 archived and no request", status, stdout, stderr, len(s.Restores()))
	}
	status, _, stderr = call(t, "cat", "s3://bucket/cold/?"+query)
	if status != 1 || !strings.Contains(stderr, "archive") || !strings.Contains(stderr, "cold/a") {
		t.Errorf("cat: got status %d, %q on stderr; want 1 and that cold/a is archived", status, stderr)
	}
	status, stdout, stderr = call(t, "restore", "-request", "-wait", "-poll", "20ms", "-days", "2", "-tier", "Bulk", "-json", bucket)
	var plan archive.Plan
	if err := json.Unmarshal([]byte(stdout), &plan); status != 0 || err != nil || plan.Requested.Objects != 2 || plan.Restored.Objects != 2 || !plan.Readable() {
		t.Errorf("wait: got status %d, %q, %q on stderr, %v; want 2 asked for and restored", status, stdout, stderr, err)
	}
	if asked := s.Restores(); len(asked) != 2 || asked[0].Request.Days != 2 || asked[0].Request.Tier != "Bulk" {
		t.Errorf("got requests %+v, want two for 2 days, Bulk", asked)
	}
	if status, stdout, stderr = call(t, "cat", bucket); status != 0 || stdout != "one\ntwo\nthree\n" {
		t.Errorf("cat: got status %d, %q, %q on stderr; want all three", status, stdout, stderr)
	}
}

// Where nothing was found there is no plan: none that says that all can be read.
func TestRestoreOfNothing(t *testing.T) {
	t.Parallel()
	if status, stdout, stderr := call(t, "restore", t.TempDir()); status != 1 || stdout != "" || stderr == "" {
		t.Errorf("got status %d, %q, %q on stderr; want 1, nothing and a reason", status, stdout, stderr)
	}
}

func TestRestoreArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"restore"}, {"restore", "a", "b"}, {"restore", "-days", "-1", "."}, {"restore", "-poll", "0s", "."}, {"restore", "-tier", "Bulk", "."}, {"restore", "-days", "3", "."}} {
		if status, _, stderr := call(t, args...); status != 2 || stderr == "" {
			t.Errorf("%q: got status %d, %q on stderr; want 2 and a reason", args, status, stderr)
		}
	}
}

// Every failure has a reason: objects that nobody asked for, and objects that the
// service refuses.
func TestRestoreFailures(t *testing.T) {
	t.Parallel()
	s := faultstore.New(nil)
	s.Add(faultstore.Item{Key: "a", Content: faultstore.Bytes("one\n"), StorageClass: "GLACIER", Archived: true})
	server, err := faultstore.Serve(s, simstore.Link{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	bucket := "s3://bucket?region=x&anonymous=true&use_path_style=true&endpoint=" + server.URL
	status, stdout, stderr := call(t, "restore", "-wait", bucket)
	if status != 1 || !strings.Contains(stdout, "archived") || !strings.Contains(stderr, "1 object cannot be read") || !strings.Contains(stderr, "-request") {
		t.Errorf("not asked for: got status %d, %q, %q on stderr; want 1, the plan and a reason", status, stdout, stderr)
	}
}

// A plan names what it could not look at once, and says why.
func TestRestoreNamesWhatFailed(t *testing.T) {
	t.Parallel()
	dir := folder(t, [3]string{"a", "none", "1\n"})
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Skip(err)
	}
	status, stdout, stderr := call(t, "restore", dir)
	if status != 1 || !strings.Contains(stderr, "1 object could not be looked at") {
		t.Errorf("got status %d, %q; want 1 and that one could not be looked at", status, stderr)
	}
	for _, line := range strings.Split(stdout+stderr, "\n") {
		if n := strings.Count(line, "loop"); n > 1 {
			t.Errorf("got %q, which names the object %d times", line, n)
		}
	}
}
