package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// What the job itself writes into the place that it reads is no data, in the first
// run or a later one; what only has a similar name is.
func TestOwnObjectsAreNoData(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason     string
		checkpoint func(t *testing.T, dir string) stream.Checkpoint
		writes     func(dir string) []string
		more       []string // written there before
		left       []string // likewise, and the job's own
		own        int64    // of the second run's listing
	}{
		{"a manifest in a file, with its lock", func(_ *testing.T, dir string) stream.Checkpoint {
			return stream.FileCheckpoint(filepath.Join(dir, "zz.json"))
		}, nil, []string{"zz.json.bak", "sub/zz.json"}, nil, 2},
		{"what a killed run left over", func(_ *testing.T, dir string) stream.Checkpoint {
			return stream.FileCheckpoint(filepath.Join(dir, "zz.json"))
		}, nil, []string{"zz.json.tmp.old"}, []string{"zz.json.tmp"}, 2},
		{"by way of a link to the folder", func(t *testing.T, dir string) stream.Checkpoint {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(dir, link); err != nil {
				t.Skip(err)
			}
			return stream.FileCheckpoint(filepath.Join(link, "zz.json"))
		}, nil, nil, nil, 2},
		{"in a folder below", func(_ *testing.T, dir string) stream.Checkpoint {
			return stream.FileCheckpoint(filepath.Join(dir, "sub", "zz.json"))
		}, nil, []string{"zz.json"}, nil, 2},
		{"a manifest in a store", func(t *testing.T, dir string) stream.Checkpoint {
			s := folderStore(t, dir)
			return stream.BlobCheckpoint(s, "zz")
		}, nil, []string{"zz", "zz.old", "zz.0001", "zz.00000000x"}, nil, 2},
		{"a quarantine and an output", func(*testing.T, string) stream.Checkpoint { return &memCheckpoint{} },
			func(dir string) []string { return []string{filepath.Join(dir, "zz.q"), "file://" + dir + "/zz.out"} }, []string{"zz.q2"}, []string{"zz.q", "zz.out"}, 2},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			dir := t.TempDir()
			want := []string{"zzz.log"}
			for i := range 100 { // more than the lister runs ahead
				want = append(want, fmt.Sprintf("b%03d.log", i))
			}
			if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
				t.Fatal(err)
			}
			for _, name := range slices.Concat(tt.more, tt.left, want) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("one\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want = append(want, tt.more...)
			slices.Sort(want)
			s := folderStore(t, dir)
			opts := &stream.Options{Lanes: 1, Checkpoint: tt.checkpoint(t, dir), Read: stream.ReadOptions{Frame: "lines"}}
			if tt.writes != nil {
				opts.Writes = tt.writes(dir)
			}
			if _, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
				return errors.New("broken")
			}), opts); err == nil {
				t.Fatal("got nil, want the sink's error")
			}
			c := newCollector()
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write), opts)
			if err != nil || !rep.Complete() {
				t.Errorf("got %v, complete %v; want nil, true", err, rep.Complete())
			}
			if got := slices.Sorted(maps.Keys(c.records)); !slices.Equal(got, want) {
				t.Errorf("got %q read, want %q", got, want)
			}
			all := rep.Earlier
			if all.Own+rep.Counts.Own < tt.own || !bytes.Contains([]byte(rep.String()), []byte("itself writes")) && rep.Counts.Own > 0 {
				t.Errorf("got %d+%d objects of its own, want %d, and a note", all.Own, rep.Counts.Own, tt.own)
			}
			named, err := stream.Backfill(t.Context(), blob.Keys(s, "b000.log"), stream.Discard, &stream.Options{Writes: []string{filepath.Join(dir, "b000.log")}})
			if err != nil || named.Counts.Done.Objects != 1 {
				t.Errorf("got %v, %d done of a key that is named, want it read", err, named.Counts.Done.Objects)
			}
		})
	}
}
