package stream_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/catalog"
)

// A record has one id, whatever way leads to its object.
func TestOneIDForEveryWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "lo gs")
	if err := os.MkdirAll(filepath.Join(folder, "20%26"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"20%26/a#b": "one\n", "20%26/other": "one\n", "keys": "20%26/a#b\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	open := func(f func(string) (*blob.Store, error), at string) *blob.Store {
		s, err := f(at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	byURL := func(at string) (*blob.Store, error) { return blob.Open(t.Context(), at, nil) }
	source := func(at string, opts *blob.ListOptions) blob.Source {
		src, err := blob.OpenSource(t.Context(), at, sourceOptions(opts))
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		t.Cleanup(func() { src.Store.Close() })
		return src
	}
	root := folderStore(t, folder)
	file, err := catalog.KeyFile(t.Context(), root, "keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	wrapped := open(func(at string) (*blob.Store, error) {
		return blob.Open(t.Context(), "file://"+filepath.ToSlash(at)+"/", &blob.OpenOptions{
			Wrap: func(d driver.Driver) driver.Driver { return simstore.New(d, simstore.Link{}) },
		})
	}, folder)
	ids := map[string]int{}
	note := func(way, key, id string) {
		if ids[id]++; len(ids) > 1 {
			t.Errorf("%s: the record of %q has the id %s, which no other way gives", way, key, id)
			delete(ids, id)
		}
	}
	for way, src := range map[string]blob.Source{
		"a listing":               root.List(&blob.ListOptions{Glob: "**/a*"}),
		"a prefix":                root.List(&blob.ListOptions{Prefix: "20%26/a"}),
		"a glob":                  root.List(&blob.ListOptions{Glob: "**/a#b"}),
		"one key":                 blob.Keys(root, "20%26/a#b"),
		"a shard":                 blob.Shard(blob.Keys(root, "20%26/a#b"), 0, 1),
		"a key file":              file,
		"a folder in it":          folderStore(t, filepath.Join(folder, "20%26")).List(&blob.ListOptions{Glob: "a*"}),
		"a folder above it":       folderStore(t, dir).List(&blob.ListOptions{Glob: "**/a*"}),
		"a wrapped store":         wrapped.List(&blob.ListOptions{Glob: "**/a*"}),
		"a URL":                   open(byURL, "file://"+dir+"/lo%20gs/").List(&blob.ListOptions{Glob: "**/a*"}),
		"a URL spelled otherwise": open(byURL, "file://localhost"+dir+"/./x/../lo%20%67s/?prefix=20%2526/").List(&blob.ListOptions{Prefix: "a"}),
		"a URL of the object":     source("file://"+dir+"/lo%20gs/20%2526/a%23b", nil),
		"a URL with a glob":       source("file://"+dir+"/*/*/a*", nil),
		"a path":                  source(folder+"/20%26/a#b", nil),
		"a path with a glob":      source(folder+"/**", &blob.ListOptions{Prefix: "20%26/a"}),
	} {
		n := 0
		_, err := stream.Backfill(t.Context(), src, stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
			for rec := range b.All() {
				note(way, b.Object().Key, rec.ID())
				n++
			}
			return nil
		}), &stream.Options{Lanes: 1})
		if err != nil || n != 1 {
			t.Errorf("%s: got %d records, %v; want 1", way, n, err)
		}
		for obj, err := range src.Objects(t.Context(), blob.Mark{}) {
			if err != nil {
				t.Fatal(err)
			}
			for rec, err := range stream.Records(t.Context(), src.Store, obj.Key, nil) {
				if err != nil {
					t.Fatal(err)
				}
				note(way+", by Records", obj.Key, rec.ID())
			}
		}
	}
	// Other objects have other ids.
	d := memstore.New()
	all := map[string]string{}
	for name, s := range map[string]*blob.Store{
		"one store": blob.New(d, &blob.Options{Name: "mem://a"}), "another": blob.New(d, &blob.Options{Name: "mem://b"}),
		"one with a location": blob.New(d, &blob.Options{Name: "mem://a", Location: "mem://c"}),
	} {
		for _, key := range []string{"x", "y", "x/y", "y/x"} {
			put(t, s, key, []byte("one\n"))
			for rec := range stream.Records(t.Context(), s, key, nil) {
				if at := all[rec.ID()]; at != "" {
					t.Errorf("%s %s has the id of %s", name, key, at)
				}
				all[rec.ID()] = name + " " + key
			}
		}
	}
}

// sourceOptions are options of a Source; nil for nil.
func sourceOptions(o *blob.ListOptions) *blob.SourceOptions {
	if o == nil {
		return nil
	}
	return &blob.SourceOptions{List: *o}
}
