package stream_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// What lies in a folder and cannot be read is the outcome of an object, by the policy
// and counted, and ends neither the listing nor the job that skips it.
func TestUnreadableEntriesOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "m", "z"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"b-dangling": "nowhere", "c-self": "c-self", "d-loop": "."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	s := folderStore(t, dir)
	for _, c := range []struct {
		name          string
		opts          *blob.ListOptions
		policy        stream.Policy
		done, skipped int64
		complete      bool
	}{
		{"skipped", nil, stream.SkipClasses(), 3, 3, false},
		{"excluded", &blob.ListOptions{Exclude: []string{"?-*"}}, nil, 3, 0, true},
		{"a glob without them", &blob.ListOptions{Glob: "[amz]"}, nil, 3, 0, true},
	} {
		got := newCollector()
		rep, err := stream.Backfill(t.Context(), s.List(c.opts), stream.SinkFunc(got.write), &stream.Options{OnObjectError: c.policy})
		if (err == nil) != c.complete && c.policy == nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if rep.Counts.Done.Objects != c.done || rep.Counts.Skipped.Objects != c.skipped || rep.Complete() != c.complete || len(got.records) != 3 {
			t.Errorf("%s: got %d done, %d skipped, complete %t, want %d, %d, %t", c.name, rep.Counts.Done.Objects, rep.Counts.Skipped.Objects, rep.Complete(), c.done, c.skipped, c.complete)
		}
	}
	_, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, nil)
	if stream.ClassOf(err) == stream.ClassCanceled || err == nil {
		t.Errorf("without a policy: got %v, want a failure", err)
	}
	for key, want := range map[string]stream.Class{"b-dangling": stream.ClassMissing, "c-self": stream.ClassOther, "d-loop/": stream.ClassOther} {
		if _, err := stream.Open(t.Context(), s, key, nil); stream.ClassOf(err) != want {
			t.Errorf("%s: got class %v of %v, want %v", key, stream.ClassOf(err), err, want)
		}
	}
}
