package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// A manifest is shown and verified while a job owns it, in a file and in numbered
// objects, and against the objects that it names.
func TestManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"src/a.ndjson", "src/b.ndjson", "other/a.ndjson"} {
		if err := os.MkdirAll(filepath.Dir(in(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in(name), corpus.NDJSONBytes(1, 5000), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	state, err := blob.Open(t.Context(), "file://"+dir+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	src, err := blob.OpenSource(t.Context(), in("src"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Store.Close()
	for _, c := range []stream.Checkpoint{stream.FileCheckpoint(in("file.json")), stream.BlobCheckpoint(state, "object.json")} {
		n := 0
		_, err := stream.Backfill(t.Context(), src, stream.SinkFunc(func(context.Context, *stream.Batch) error {
			if n++; n == 3 {
				return stream.Stop
			}
			return nil
		}), &stream.Options{Lanes: 1, Checkpoint: c})
		if err != nil {
			t.Fatal(err)
		}
	}
	damaged, err := os.ReadFile(in("file.json"))
	if err != nil {
		t.Fatal(err)
	}
	damaged[len(damaged)/2] ^= 1
	if err := os.WriteFile(in("damaged.json"), damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"show a file", []string{"show", in("file.json")}, 0, "open      a.ndjson: from record "},
		{"show numbered objects", []string{"show", in("object.json")}, 0, "open      a.ndjson: from record "},
		{"a URL", []string{"show", "file://" + dir + "/object.json"}, 0, "remaining 2 of 2 objects"},
		{"as it was saved", []string{"-json", "show", in("file.json")}, 0, `"sha256": "`},
		{"whole", []string{"verify", in("file.json")}, 0, "not finished: 2 objects"},
		{"with its source", []string{"verify", in("file.json"), in("src")}, 0, "whole: "},
		{"another source", []string{"verify", in("file.json"), in("other")}, 1, "belongs to another job"},
		{"damaged", []string{"verify", in("damaged.json")}, 1, "checksum does not match"},
		{"none", []string{"verify", in("none.json")}, 1, "none.json"},
		{"a folder", []string{"show", in("src") + "/"}, 2, "this is a folder"},
		{"no verb", []string{in("file.json")}, 2, "say show or verify"},
		{"no manifest", []string{"show"}, 2, "say which manifest"},
		{"two manifests", []string{"show", "a", "b"}, 2, "name one"},
	} {
		status, stdout, stderr := call(t, append([]string{"manifest"}, tt.args...)...)
		if status != tt.status || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: got status %d, %q and %q, want %d and %q", tt.name, status, stdout, stderr, tt.status, tt.want)
		}
	}
	if err := os.WriteFile(in("src/a.ndjson"), corpus.NDJSONBytes(2, 9000), 0o666); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := call(t, "manifest", "verify", in("file.json"), in("src"))
	if status != 1 || !strings.Contains(stderr, "was replaced, and is read again from its start") {
		t.Errorf("a replaced object: got status %d, %q, want 1 and what follows", status, stderr)
	}
}
