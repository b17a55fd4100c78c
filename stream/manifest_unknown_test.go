package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// What a later version adds to a manifest, to it and to its entries, is read and
// written again as it is. Names that the JSON of this version has are none of it,
// whatever their case.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	m := stream.Manifest{
		Job: stream.JobID{Source: "mem:"}, Runs: 1, Ordinal: 1, Key: "a",
		Open:    []stream.ManifestEntry{{Ordinal: 1, Key: "a", Size: 3, Unknown: map[string]json.RawMessage{"later": []byte(`{"deep":[1,null,"<"]}`)}}},
		Pending: []stream.PendingObject{{Ordinal: 1, Key: "\xff", Size: 3, Version: "v", Unknown: map[string]json.RawMessage{"later": []byte(`[{}]`)}}},
		Unknown: map[string]json.RawMessage{
			"": []byte(`""`), "number": []byte(`12345678901234567890.10`), "object": []byte(`{"b":1,"a":[]}`), "null": []byte(`null`),
		},
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := stream.ParseManifest(data)
	if err != nil {
		t.Fatalf("got %v of\n%s", err, data)
	}
	for _, tt := range []struct{ got, want map[string]json.RawMessage }{{again.Unknown, m.Unknown}, {again.Open[0].Unknown, m.Open[0].Unknown}, {again.Pending[0].Unknown, m.Pending[0].Unknown}} {
		if len(tt.got) != len(tt.want) {
			t.Errorf("got %d fields %s, want %d", len(tt.got), tt.got, len(tt.want))
		}
		for name, want := range tt.want {
			var a, b any
			if err := errors.Join(json.Unmarshal(tt.got[name], &a), json.Unmarshal(want, &b)); err != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("%q: got %s, %v, want %s", name, tt.got[name], err, want)
			}
		}
	}
	if got := again.Pending[0].Key; got != "\xff" {
		t.Errorf("got the pending key %q, want the byte that it is", got)
	}
	if got := string(again.Unknown["number"]); got != "12345678901234567890.10" {
		t.Errorf("got the number %s, want every digit", got)
	}
	twice, err := again.Encode()
	if err != nil || !bytes.Equal(twice, data) {
		t.Errorf("got %v and\n%s\nafter another round, want\n%s", err, twice, data)
	}
	var known stream.Manifest
	if err := json.Unmarshal([]byte(`{"KEY":"k","sha256":"x","SHA256":"y","key_base64":null}`), &known); err != nil || known.Unknown != nil {
		t.Errorf("got %s, %v, want nothing unknown", known.Unknown, err)
	}
}

// A manifest is read without taking it over, wherever a job keeps it.
func TestReadManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := filestore.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder, mem := blob.New(files, nil), blob.New(memstore.New(), nil)
	defer folder.Close()
	text := store(t, map[string][]byte{"a": []byte("one\ntwo\n")})
	for _, tt := range []struct {
		name       string
		store      *blob.Store
		key        string
		checkpoint stream.Checkpoint
	}{
		{"one object", mem, "m.json", stream.BlobCheckpoint(mem, "m.json")},
		{"numbered objects", folder, "b.json", stream.BlobCheckpoint(folder, "b.json")},
		{"a file", folder, "f.json", stream.FileCheckpoint(filepath.Join(dir, "f.json"))},
	} {
		if m, err := stream.ReadManifest(t.Context(), tt.store, tt.key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, %v before the job, want fs.ErrNotExist", tt.name, m, err)
		}
		if _, err := tt.checkpoint.Load(t.Context()); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if m, err := stream.ReadManifest(t.Context(), tt.store, tt.key); tt.name != "a file" && (err != nil || m.Runs != 0) {
			t.Errorf("%s: got %+v, %v while a run has not saved, want one of no run", tt.name, m, err)
		}
		if err := tt.checkpoint.Close(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := stream.Backfill(t.Context(), text.List(nil), stream.Discard, &stream.Options{Checkpoint: tt.checkpoint}); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
		}
		m, err := stream.ReadManifest(t.Context(), tt.store, tt.key)
		if err != nil || m.Runs != 3 || !m.Ended || m.Counts.Done.Objects != 1 {
			t.Errorf("%s: got %+v, %v, want one of 3 runs that has ended", tt.name, m, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "data"), []byte(strings.Repeat("no manifest\n", 9)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.ReadManifest(t.Context(), folder, "data"); !errors.Is(err, stream.ErrManifest) {
		t.Errorf("got %v of what is no manifest, want ErrManifest", err)
	}
}

// A job that continues a manifest saves what it does not know again: of the manifest
// always, of an entry until its object moves.
func TestUnknownFieldsSurviveJobs(t *testing.T) {
	t.Parallel()
	text := store(t, map[string][]byte{"a": []byte("one\ntwo\n"), "b": []byte("three\n")})
	name := text.List(nil).Name
	later := map[string]json.RawMessage{"later": []byte(`true`)}
	m := stream.Manifest{
		Job: stream.JobID{Source: name}, Runs: 1, Ordinal: 2, Key: "b", Unknown: later,
		Open: []stream.ManifestEntry{{Ordinal: 1, Key: "a", Size: 8, Unknown: later}, {Ordinal: 2, Key: "b", Size: 6, Unknown: later}},
	}
	m.Counts.Listed = stream.Tally{Objects: 2, Size: 14}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	cp := &memCheckpoint{saves: [][]byte{data}}
	if _, err := stream.Backfill(t.Context(), text.List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
		return stream.Stop
	}), &stream.Options{Lanes: 1, Checkpoint: cp}); err != nil {
		t.Fatal(err)
	}
	got, err := stream.ParseManifest(cp.saves[len(cp.saves)-1])
	if err != nil || got.Runs != 2 || len(got.Open) != 2 || string(got.Unknown["later"]) != "true" || string(got.Open[1].Unknown["later"]) != "true" {
		t.Errorf("got %v and\n%s\nwant both open, and the fields of the manifest and of b", err, cp.saves[len(cp.saves)-1])
	}
}
