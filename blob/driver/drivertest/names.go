package drivertest

import (
	"bytes"
	"errors"
	"io/fs"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
)

// globKeys are keys with characters that mean something in globs, each beside keys that it
// would match as a glob.
var globKeys = []string{
	"x[1].log", "x1.log", "y?.log", "y1.log", "z{a,b}.log", "za.log", "zb.log", "w*.log", "w1.log",
	"d[1]/f", "d1/f", "e*/f", "e1/f", "**/f", "v[^a]", "vb", "u[a-c]", "ub",
}

// nameCases are about what package blob makes of a name on this store.
var nameCases = []testCase{
	{
		name: "NameOfAGlob",
		rule: "a key is looked up as it is before it is taken for a glob",
		run: func(s *store) {
			keys := s.keys(globKeys)
			for _, key := range keys {
				s.put(key, []byte(key))
			}
			for _, key := range append(keys, "none[1]", "none*/f") {
				var got []string
				for obj := range s.named(key) {
					got = append(got, s.content(obj))
				}
				if want := slices.Contains(keys, key); want && !slices.Equal(got, []string{key}) || !want && len(got) > 0 {
					s.Errorf("%q: got the objects %q", key, got)
				}
			}
		},
	},
	{
		name: "NameInAURL",
		rule: "every key that the store takes survives the way through a URL",
		run: func(s *store) {
			keys := append(s.keys(awkward), "plain")
			for need, more := range map[Ability][]string{AnyElement: anyElement, AnyBytes: anyBytes, OddKeys: oddKeys} {
				if s.harness.missing(need) == "" {
					keys = append(keys, s.keys(more)...)
				}
			}
			keys = slices.DeleteFunc(keys, func(key string) bool { return strings.HasSuffix(key, "/") })
			for _, key := range keys {
				s.put(key, []byte(key))
			}
			for _, key := range keys {
				for obj := range s.named(key) {
					if s.content(obj) != key {
						s.Errorf("%q: got the object %q", key, obj.key)
					}
				}
			}
		},
	},
	{
		name:  "NameOfAMarker",
		rule:  "a marker names a folder, which may be empty, and is not listed within it",
		needs: []Ability{Markers},
		run: func(s *store) {
			s.put("m/", nil)
			s.put("m/f", []byte("m/f"))
			s.put("empty/", nil)
			for key, want := range map[string][]string{"m": {"f"}, "m/": {"f"}, "empty": nil, "empty/": nil} {
				var got []string
				for obj := range s.named(key) {
					got = append(got, obj.key)
				}
				if !slices.Equal(got, want) {
					s.Errorf("%q: got %q, want %q", key, got, want)
				}
			}
		},
	},
	{
		name: "NameIsEmpty",
		rule: "the empty key is fs.ErrInvalid for every call",
		run: func(s *store) {
			all := blob.New(s.Driver, nil)
			_, stat := all.Stat(s.Context(), "")
			_, read := all.NewReader(s.Context(), "", nil)
			_, at := all.NewReaderAt(s.Context(), "", nil)
			_, put := all.Put(s.Context(), "", bytes.NewReader(nil), 0, nil)
			errs := map[string]error{"Stat": stat, "NewReader": read, "NewReaderAt": at, "Put": put}
			if _, ok := s.Driver.(driver.Deleter); ok {
				errs["Delete"] = all.Delete(s.Context(), "", nil)
			}
			if _, ok := s.Driver.(driver.Restorer); ok {
				errs["Restore"] = all.Restore(s.Context(), "", blob.RestoreRequest{})
			}
			for call, err := range errs {
				if !errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrNotExist) {
					s.Errorf("%s: got %v, want %v", call, err, fs.ErrInvalid)
				}
			}
		},
	},
}

// object is an object of a store that a URL has opened.
type object struct {
	store *blob.Store
	key   string
}

// named yields the objects that a key names in a URL of the suite's scheme. An error
// fails the test.
func (s *store) named(key string) iter.Seq[object] {
	s.Helper()
	u := url.URL{Scheme: scheme, Host: register(s.Driver, s.T), Path: "/" + key}
	return func(yield func(object) bool) {
		src, err := blob.OpenSource(s.Context(), u.String(), nil)
		if err != nil {
			s.Errorf("%q: %v", key, err)
			return
		}
		for obj, err := range src.Objects(s.Context(), blob.Mark{}) {
			if err != nil {
				s.Errorf("%q: %v", key, err)
				return
			}
			if !yield(object{src.Store, obj.Key}) {
				return
			}
		}
	}
}

// content reads an object whole.
func (s *store) content(o object) string {
	s.Helper()
	r, err := o.store.NewReader(s.Context(), o.key, nil)
	if err != nil {
		s.Errorf("read of %q: %v", o.key, err)
		return ""
	}
	defer r.Close()
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		s.Errorf("read of %q: %v", o.key, err)
	}
	return b.String()
}
