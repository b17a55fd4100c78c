package blob_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
)

// A driver that lists out of order, twice or something else would make a job that
// resumes by key lose objects.
func TestListChecksTheDriver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		keys []string
		opts *blob.ListOptions
		ok   int // keys before the error; -1: no error
	}{
		{name: "in order", keys: []string{"a-b", "a/b", "b"}, ok: -1},
		{name: "directories first", keys: []string{"a/x/y", "a/x.conda"}, ok: 1},
		{name: "twice", keys: []string{"a", "b", "b"}, ok: 2},
		{name: "again from the start", keys: []string{"a", "b", "a", "b"}, ok: 2},
		{name: "outside of the prefix", keys: []string{"a/1", "b"}, opts: &blob.ListOptions{Prefix: "a/"}, ok: 1},
		{name: "not behind after", keys: []string{"a", "b"}, opts: &blob.ListOptions{After: "a"}, ok: 0},
		{name: "disorder among what the glob leaves out", keys: []string{"b.txt", "a.txt", "c.gz"}, opts: &blob.ListOptions{Glob: "*.gz"}, ok: 0},
	} {
		s := (&fake{list: c.keys}).store()
		got := 0
		var err error
		for _, err = range s.List(c.opts).Objects(t.Context(), blob.Mark{}) {
			if err == nil {
				got++
			}
		}
		if c.ok < 0 {
			if err != nil || got != len(c.keys) {
				t.Errorf("%s: got %d keys, %v, want all", c.name, got, err)
			}
			continue
		}
		be, ok := errors.AsType[*blob.Error](err)
		if got != c.ok || !ok || be.Op != "list" {
			t.Errorf("%s: got %d keys, %v, want %d and a list error", c.name, got, err, c.ok)
		}
	}
}

func TestListOptions(t *testing.T) {
	t.Parallel()
	s := blob.New(memstore.New(), nil)
	for _, key := range []string{
		"01/a.gz", "01/a.txt", "01/x/b.gz", "01/x/y/c.gz", "010/d.gz", "02/é.gz", "02/", "q?.gz", "[x].gz", "\xff.gz", ".h/i.gz",
	} {
		put(t, s, key, nil)
	}
	for _, c := range []struct {
		opts blob.ListOptions
		want string
	}{
		{blob.ListOptions{Prefix: "01"}, "01/a.gz 01/a.txt 01/x/b.gz 01/x/y/c.gz 010/d.gz"},
		{blob.ListOptions{Prefix: "01/x/"}, "01/x/b.gz 01/x/y/c.gz"},
		{blob.ListOptions{Glob: "01/**/*.gz"}, "01/a.gz 01/x/b.gz 01/x/y/c.gz"},
		{blob.ListOptions{Glob: "01/*.gz"}, "01/a.gz"},
		{blob.ListOptions{Glob: "01/*/*.gz"}, "01/x/b.gz"},
		{blob.ListOptions{Glob: "01*/*.gz"}, "01/a.gz 010/d.gz"},
		{blob.ListOptions{Glob: "**"}, ".h/i.gz 01/a.gz 01/a.txt 01/x/b.gz 01/x/y/c.gz 010/d.gz 02/ 02/é.gz [x].gz q?.gz \xff.gz"},
		{blob.ListOptions{Glob: "0[2-9]/?.gz"}, "02/é.gz"},
		{blob.ListOptions{Glob: "0[^1]/*.gz"}, "02/é.gz"},
		{blob.ListOptions{Glob: "01/a.{gz,txt}"}, "01/a.gz 01/a.txt"},
		{blob.ListOptions{Glob: "{01/x,02}/*.gz"}, "01/x/b.gz 02/é.gz"},
		{blob.ListOptions{Glob: `q\?.gz`}, "q?.gz"},
		{blob.ListOptions{Glob: `\[x\].gz`}, "[x].gz"},
		{blob.ListOptions{Glob: "01/a.gz"}, "01/a.gz"},
		{blob.ListOptions{Glob: "nothing"}, ""},
		{blob.ListOptions{Prefix: "01/x", Glob: "01/**"}, "01/x/b.gz 01/x/y/c.gz"},
		{blob.ListOptions{Prefix: "0", Glob: "01/**/c.gz"}, "01/x/y/c.gz"},
		{blob.ListOptions{Prefix: "02", Glob: "01/**"}, ""},
		{blob.ListOptions{After: "02/"}, "02/é.gz [x].gz q?.gz \xff.gz"},
		{blob.ListOptions{Glob: "**/*.gz", After: "01/x/b.gz"}, "01/x/y/c.gz 010/d.gz 02/é.gz [x].gz q?.gz \xff.gz"},
	} {
		if got := strings.Join(keys(t, s.List(&c.opts)), " "); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.opts, got, c.want)
		}
	}
	for _, glob := range []string{"[", "{a", "a[]", `a\`} {
		var err error
		for _, err = range s.List(&blob.ListOptions{Glob: glob}).Objects(t.Context(), blob.Mark{}) {
		}
		if err == nil || !strings.Contains(err.Error(), "glob") {
			t.Errorf("%q: got %v, want an error about the glob", glob, err)
		}
	}
}

// The store is asked for no more than the literal beginning of a glob.
func TestListAsksForTheHead(t *testing.T) {
	t.Parallel()
	s := blob.New(&fake{list: []string{"a/b/1.gz", "a/c"}}, nil)
	var err error
	for _, err = range s.List(&blob.ListOptions{Glob: "a/b/*.gz"}).Objects(t.Context(), blob.Mark{}) {
	}
	if err == nil || !strings.Contains(err.Error(), `prefix "a/b/"`) {
		t.Errorf("got %v, want the driver's a/c refused as outside of a/b/", err)
	}
}

// A listing goes on behind every mark.
func TestListResumes(t *testing.T) {
	t.Parallel()
	s := blob.New(memstore.New(), nil)
	var want []string
	for i := range 10 {
		key := fmt.Sprintf("k%d", i)
		put(t, s, key, nil)
		want = append(want, key)
	}
	src := s.List(nil)
	for i, key := range want {
		for _, ordinal := range []int64{int64(i + 1), -1} {
			var got []string
			for obj, err := range src.Objects(t.Context(), blob.Mark{Ordinal: ordinal, Key: key}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, obj.Key)
			}
			if !slices.Equal(got, want[i+1:]) {
				t.Errorf("after %s: got %q, want %q", key, got, want[i+1:])
			}
		}
	}
}

// Keys of a store with a prefix are without it, both ways.
func TestStorePrefix(t *testing.T) {
	t.Parallel()
	mem := memstore.New()
	all := blob.New(mem, nil)
	s := blob.New(mem, &blob.Options{Name: "mem:p", Prefix: "p/"})
	for _, key := range []string{"p/", "p", "p/a", "p/b/c", "q"} {
		put(t, all, key, nil)
	}
	put(t, s, "d", []byte("data"))
	if got, want := fmt.Sprint(keys(t, s.List(nil))), "[a b/c d]"; got != want {
		t.Errorf("got %s, want %s: the folder's own marker is none of its objects", got, want)
	}
	if got, want := fmt.Sprint(keys(t, s.List(&blob.ListOptions{Glob: "b/*"}))), "[b/c]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(keys(t, s.List(&blob.ListOptions{After: "a"}))), "[b/c d]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	obj, err := s.Stat(t.Context(), "d")
	if err != nil || obj.Key != "d" || obj.Size != 4 {
		t.Errorf("got %+v, %v, want d of 4 bytes", obj, err)
	}
	r, err := s.NewReader(t.Context(), "d", nil)
	if err != nil || r.Object().Key != "d" {
		t.Fatalf("got %v, want a reader of d", err)
	}
	r.Close()
	if err := s.Delete(t.Context(), "d", nil); err != nil {
		t.Error(err)
	}
	if got, want := fmt.Sprint(keys(t, all.List(nil))), "[p p/ p/a p/b/c q]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestListCancel(t *testing.T) {
	t.Parallel()
	s := (&fake{list: []string{"a", "b", "c"}}).store()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	var err error
	for _, err = range s.List(nil).Objects(ctx, blob.Mark{}) {
		if err == nil {
			seen++
		}
		cancel()
	}
	if seen != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("got %d objects, %v, want 1 and %v", seen, err, context.Canceled)
	}
}
