package sinks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/sinks"
)

// A job whose output lies in what it lists does not read it, drafts included, neither in the
// same run nor in a later one, whatever links lead there.
func TestOutputInsideSource(t *testing.T) {
	for _, tc := range []struct {
		name string
		sink func(t *testing.T, dir string) stream.Sink
	}{
		{"files", func(_ *testing.T, dir string) stream.Sink { return sinks.Files(filepath.Join(dir, "out"), nil) }},
		{"files, by a link", func(t *testing.T, dir string) stream.Sink {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(dir, link); err != nil {
				t.Skip(err)
			}
			return sinks.Files(filepath.Join(link, "out"), nil)
		}},
		{"objects", func(t *testing.T, dir string) stream.Sink {
			if err := os.MkdirAll(filepath.Join(dir, "out"), 0o777); err != nil {
				t.Fatal(err)
			}
			return sinks.Objects(folderOf(t, filepath.Join(dir, "out")), nil)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			const n = 300 // more than the lister runs ahead
			for i := range n {
				// Names before and after those of the output.
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%c%03d.ndjson", "az"[i%2], i)), []byte("{}\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.MkdirAll(filepath.Join(dir, "out-of-it"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "out-of-it", "x.ndjson"), []byte("{}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			for run := range 3 {
				rep, err := stream.Backfill(t.Context(), folderOf(t, dir).List(nil), tc.sink(t, dir), &stream.Options{Lanes: 2})
				if err != nil || !rep.Complete() || rep.Counts.Done.Objects != n+1 || rep.Counts.Delivered() != n+1 {
					t.Fatalf("run %d: got %d objects, %d records, %v; want %d of each", run, rep.Counts.Done.Objects, rep.Counts.Delivered(), err, n+1)
				}
			}
		})
	}
}

func folderOf(t *testing.T, dir string) *blob.Store {
	t.Helper()
	d, err := filestore.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return blob.New(d, nil)
}
