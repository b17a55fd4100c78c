package sinks_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/sinks"
	"github.com/thaw-go/thaw/stream/streamtest"
)

// rowsOf are the rows of lines.
func rowsOf(data []byte) (rows []streamtest.Row, err error) {
	for line := range bytes.Lines(data) {
		r, err := streamtest.ParseRow(line)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// check makes the suite's records that are no rows ones that are refused.
var check = &sinks.LineOptions{Check: true}

func TestNDJSONConforms(t *testing.T) {
	streamtest.RunSink(t, func(t *testing.T) streamtest.Place {
		var to bytes.Buffer
		return streamtest.Place{
			Open:    func() stream.Sink { return sinks.NDJSON(&to, check) },
			Rows:    func() ([]streamtest.Row, error) { return rowsOf(to.Bytes()) },
			Refuses: true,
		}
	})
}

func TestFilesConform(t *testing.T) {
	streamtest.RunSink(t, func(t *testing.T) streamtest.Place {
		dir := t.TempDir()
		t.Cleanup(func() {
			if _, err := os.Stat(filepath.Join(dir, ".thaw-drafts")); err == nil {
				t.Error("drafts are left after the job")
			}
		})
		return streamtest.Place{
			Open: func() stream.Sink { return sinks.Files(dir, check) },
			Rows: func() (rows []streamtest.Row, err error) {
				for _, data := range files(t, dir) {
					r, err := rowsOf(data)
					if err != nil {
						return nil, err
					}
					rows = append(rows, r...)
				}
				return rows, nil
			},
			Refuses: true, Whole: true,
		}
	})
}

// files are the files in dir by the keys of their objects. Any other file fails t.
func files(t *testing.T, dir string) map[string][]byte {
	all := map[string][]byte{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if path == ".thaw-drafts" {
				return fs.SkipDir
			}
			return err
		}
		key, err := sinks.Key(path)
		if err != nil {
			return err
		}
		all[key], err = fs.ReadFile(root, path)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return all
}

func TestObjectsConform(t *testing.T) {
	streamtest.RunSink(t, func(t *testing.T) streamtest.Place {
		store := blob.New(memstore.New(), nil)
		return streamtest.Place{
			Open: func() stream.Sink { return sinks.Objects(store, check) },
			Rows: func() (rows []streamtest.Row, err error) {
				for _, data := range objects(t, store) {
					r, err := rowsOf(data)
					if err != nil {
						return nil, err
					}
					rows = append(rows, r...)
				}
				return rows, nil
			},
			Refuses: true, Whole: true,
		}
	})
}

// objects are those of a store by the keys of what they were made of.
func objects(t *testing.T, store *blob.Store) map[string][]byte {
	all := map[string][]byte{}
	for obj, err := range store.List(nil).Objects(context.Background(), blob.Mark{}) {
		if err != nil {
			t.Fatal(err)
		}
		key, err := sinks.Key(obj.Key)
		if err != nil {
			t.Error(err)
		}
		all[key] = read(t, store, obj.Key)
	}
	return all
}

var hostile = []string{
	"a", "A", "a/b", "a/b/c", "a//b", "a/", "/a", "//", "/etc/passwd", "..", ".", "../a", "a/../../b", "\x00", "a\x00b", "con", "CON", "con.txt", "nul",
	"lpt1/x", "a\\b", "c:\\x", "a.ndjson", "a.ndjson/b", "a.ndjson/b.ndjson", "%", "%41", "a%", "a%/b", "é", "e\u0301", "\xff", " a ", "a.", "a./b", ".thaw-drafts", ".thaw-drafts/0",
	strings.Repeat("long", 100), strings.Repeat("long", 100) + "x", strings.Repeat(".", 500), strings.Repeat("É", 200) + "/" + strings.Repeat("con", 80),
	strings.Repeat("a", 197) + "/b", strings.Repeat("a", 199) + ".ndjson/b", strings.Repeat("a", 198) + "con",
}

// Every key has a file of its own, inside the folder, and the way back.
func TestNames(t *testing.T) {
	source := map[string][]byte{}
	seen := map[string]string{}
	for _, key := range hostile {
		name := sinks.Name(key)
		if back, err := sinks.Key(name); err != nil || back != key {
			t.Errorf("%q is named %q, which is %q, %v", key, name, back, err)
		}
		if !fs.ValidPath(name) || !filepath.IsLocal(name) || strings.ToLower(name) != name {
			t.Errorf("%q is named %q", key, name)
		}
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q have one name", key, other)
		}
		seen[name] = key
		for element := range strings.SplitSeq(name, "/") {
			if len(element) > 210 || element[0] == '.' {
				t.Errorf("%q is named %q", key, name)
			}
		}
		source[key] = []byte("record of " + string(sinks.Name(key)) + "\n")
	}
	above := t.TempDir()
	dir := filepath.Join(above, "x", "out")
	run(t, source, sinks.Files(dir, nil), nil)
	same(t, files(t, dir), source)
	if left, err := filepath.Glob(filepath.Join(above, "*", "*")); err != nil || len(left) != 1 {
		t.Errorf("got %q, %v, want the folder alone", left, err)
	}
	to := blob.New(memstore.New(), nil)
	run(t, source, sinks.Objects(to, nil), nil)
	same(t, objects(t, to), source)
}

func TestKeyRefuses(t *testing.T) {
	for _, name := range []string{"", "a", "a.ndjsonx", "A.ndjson", "%4C.ndjson", "%6.ndjson", "%61.ndjson", "%zz.ndjson", "%+1.ndjson", "../a.ndjson", "/a.ndjson", "a%.ndjson", "a%/b.ndjson", ".ndjson", "con.ndjson"} {
		if key, err := sinks.Key(name); err == nil {
			t.Errorf("%q is the name of %q", name, key)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, key := range hostile {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		name := sinks.Name(key)
		if back, err := sinks.Key(name); err != nil || back != key || !fs.ValidPath(name) {
			t.Errorf("%q is named %q, which is %q, %v", key, name, back, err)
		}
		if key, err := sinks.Key(key); err == nil && sinks.Name(key) == "" {
			t.Error("no name")
		}
	})
}

func same(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	for key, data := range want {
		if !bytes.Equal(got[key], data) {
			t.Errorf("%q: got %d bytes %.60q, want %d bytes %.60q", key, len(got[key]), got[key], len(data), data)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d objects, want %d", len(got), len(want))
	}
}

// run reads the objects of source into sink by several lanes.
func run(t *testing.T, source map[string][]byte, sink stream.Sink, opts *stream.Options) *stream.Report {
	t.Helper()
	rep, err := backfill(t, source, sink, opts)
	if err != nil || !rep.Complete() {
		t.Fatalf("not complete: %v", err)
	}
	return rep
}

func backfill(t *testing.T, source map[string][]byte, sink stream.Sink, opts *stream.Options) (*stream.Report, error) {
	t.Helper()
	store := blob.New(memstore.New(), nil)
	for key, data := range source {
		if _, err := store.Put(t.Context(), key, bytes.NewReader(data), int64(len(data)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if opts == nil {
		opts = &stream.Options{Lanes: 3}
	}
	if opts.Read.Frame == "" {
		opts.Read.Frame = "lines"
	}
	opts.Read.Codec = "none"
	return stream.Backfill(t.Context(), store.List(nil), sink, opts)
}

func read(t *testing.T, store *blob.Store, key string) []byte {
	t.Helper()
	r, err := store.NewReader(t.Context(), key, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(b.Bytes())
}
