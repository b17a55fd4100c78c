package drivertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
)

// awkward are keys that layers below like to escape, clean, fold or misplace.
var awkward = []string{
	"100%", "a%20b", "a%2Fb", "%", "what?", "no#1", `say "hi"`, "a b", " lead", "trail ", "a+b", "a&b=c", "semi;colon",
	"back\\slash", "star*", "[x]", "{a,b}", "~tilde", "'quote'", "<tag>", "pipe|", "tab\there", "%41", "%00", "a:b", "@", ".hidden", "..dots", "dots..", "a..b",
	"caf\u00e9", "cafe\u0301", // NFC and NFD
	"\u65e5\u672c\u8a9e", "\U0001f600", "UPPER", "upper", "x.tmp",
	"t-", "t.", "t/t/t", "d", "dir1/file", "dir/a", "dir/b", "dir-file", "dir.file", "dir0",
	"a-b", "a/b", "a0b", "a!b", "a/c/d", "a-/x", "a.b/c",
}

// tiedKeys are keys of which one is the folder of the other.
var tiedKeys = []string{"x", "x/y", "x/y/z", "x-y", "x/y-"}

// anyElement are keys with path elements that would be cleaned away.
var anyElement = []string{"a//b", "a/./b", "a/../b", "../c", "./d", "e//"}

// oddKeys are keys that most services refuse.
var oddKeys = []string{"line\nfeed", "return\r", "//f", ".", ".."}

// anyBytes are keys that are not UTF-8.
var anyBytes = []string{"\xff", "a\xfe/b", "a\xc3", "a\xed\xa0\x80"}

var listCases = []testCase{
	{
		name: "ListEmpty",
		rule: "an empty store lists nothing, without error",
		run: func(s *store) {
			if got := s.list("", ""); len(got) != 0 {
				s.Errorf("got %q, want none", got)
			}
		},
	},
	{
		name: "ListExact",
		rule: "a listing holds every key once, as it was written, in ascending byte order of whole keys",
		run:  func(s *store) { s.wantListed(awkward) },
	},
	{
		name:  "ListKeyAndFolder",
		rule:  "a key may be the beginning of another one, with a slash or without",
		needs: []Ability{KeyAndFolder},
		run:   func(s *store) { s.wantListed(tiedKeys) },
	},
	{
		name:  "ListSideNames",
		rule:  "names that other programs give to side files are keys like others",
		needs: []Ability{SideNames},
		run:   func(s *store) { s.wantListed([]string{"x", "x.attrs", "x.tmp", ".x.attrs", "x.meta"}) },
	},
	{
		name:  "ListMarkers",
		rule:  "keys that end in a slash are objects like others, empty or not",
		needs: []Ability{Markers},
		run:   func(s *store) { s.wantListed([]string{"m/", "m/n/", "m/n/o", "p/q", "/"}) },
	},
	{
		name:  "ListAnyElement",
		rule:  "no path element is cleaned",
		needs: []Ability{AnyElement},
		run:   func(s *store) { s.wantListed(anyElement) },
	},
	{
		name:  "ListOddKeys",
		rule:  "a key may hold line breaks, and may be dots alone",
		needs: []Ability{OddKeys},
		run:   func(s *store) { s.wantListed(oddKeys) },
	},
	{
		name:  "ListAnyBytes",
		rule:  "a key is bytes, whether or not they are UTF-8",
		needs: []Ability{AnyBytes},
		run:   func(s *store) { s.wantListed(anyBytes) },
	},
	{
		name: "ListPrefixAndAfter",
		rule: "prefix is matched as bytes, after is exclusive and need not be a key; together both hold",
		run: func(s *store) {
			keys := s.keys(awkward)
			for _, key := range keys {
				s.put(key, nil)
			}
			slices.Sort(keys)
			marks := []string{"", "a", "a/", "a-", "a/b", "a/bb", "dir", "dir/", "dir-", "dir/a", "t", "t/", "t/t", "t/t/", "caf", "no/such/", "/", "\x00", "zzz", "\xff"}
			for _, prefix := range marks {
				for _, after := range marks {
					var want []string
					for _, key := range keys {
						if strings.HasPrefix(key, prefix) && key > after {
							want = append(want, key)
						}
					}
					if got := s.list(prefix, after); !slices.Equal(got, want) {
						s.Errorf("List(%q, %q): got %q, want %q", prefix, after, got, want)
					}
				}
			}
		},
	},
	{
		name: "ListManyPages",
		rule: "what services cut into pages of 1,000 comes whole and in order",
		run: func(s *store) {
			var want []string
			for i := range 760 {
				want = append(want, fmt.Sprintf("a/%04d", i), fmt.Sprintf("a-%04d", i))
			}
			s.putAll(want)
			slices.Sort(want)
			if got := s.list("", ""); !slices.Equal(got, want) {
				s.Errorf("got %d keys, want %d: %s", len(got), len(want), firstDifference(got, want))
			}
			if got := s.list("", want[1000]); !slices.Equal(got, want[1001:]) {
				s.Errorf("after %q: got %d keys, want %d: %s", want[1000], len(got), len(want)-1001, firstDifference(got, want[1001:]))
			}
			if got := s.list("a/07", "a/0755"); !slices.Equal(got, []string{"a/0756", "a/0757", "a/0758", "a/0759"}) {
				s.Errorf("got %q, want the last four", got)
			}
		},
	},
	{
		name: "ListWholePage",
		rule: "a listing that ends with a page of 1,000 is whole, and so is one of a key more",
		run: func(s *store) {
			var want []string
			for i := range 1000 {
				want = append(want, fmt.Sprintf("p/%04d", i))
			}
			s.putAll(want)
			if got := s.list("", ""); !slices.Equal(got, want) {
				s.Errorf("got %d keys, want 1000: %s", len(got), firstDifference(got, want))
			}
			want = append(want, "p/last")
			s.put("p/last", nil)
			if got := s.list("", ""); !slices.Equal(got, want) {
				s.Errorf("got %d keys, want 1001: %s", len(got), firstDifference(got, want))
			}
			if got := s.list("p/", want[999]); !slices.Equal(got, want[1000:]) {
				s.Errorf("after the first 1,000: got %q, want %q", got, want[1000:])
			}
		},
	},
	{
		name: "ListFolders",
		rule: "a driver that walks folders passes over those that enter refuses, and asks about no other than those below the prefix",
		run: func(s *store) {
			d, ok := s.Driver.(driver.FolderLister)
			if !ok {
				s.Skip("the driver does not walk folders")
			}
			keys := []string{"a/1", "a/b/2", "a/b/c/3", "d/4", "d-5", "e/b/6", "f"}
			for _, key := range keys {
				s.put(key, nil)
			}
			slices.Sort(keys)
			for _, refused := range []string{"", "a/", "a/b/", "e/", "d/", "none/"} {
				for _, prefix := range []string{"", "a", "a/", "a/b/", "e/b/6"} {
					for _, after := range []string{"", "a/b/2", "d-5"} {
						var want, got []string
						for _, key := range keys {
							if strings.HasPrefix(key, prefix) && key > after && (refused == "" || !strings.HasPrefix(key, refused) || strings.HasPrefix(prefix, refused)) {
								want = append(want, key)
							}
						}
						enter := func(folder string) bool {
							if !strings.HasSuffix(folder, "/") || !strings.HasPrefix(folder, prefix) && !strings.HasPrefix(prefix, folder) {
								s.Errorf("prefix %q: asked about the folder %q", prefix, folder)
							}
							return folder != refused
						}
						for obj, err := range d.ListFolders(s.Context(), prefix, after, enter) {
							if err != nil {
								s.Fatal(err)
							}
							got = append(got, obj.Key)
						}
						if !slices.Equal(got, want) {
							s.Errorf("prefix %q, after %q, without %q: got %q, want %q", prefix, after, refused, got, want)
						}
					}
				}
			}
		},
	},
	{
		name: "ListStopsEarly",
		rule: "the caller may stop at any object, and list again",
		run: func(s *store) {
			for i := range 5 {
				s.put(fmt.Sprintf("k/%d", i), nil)
			}
			for stop := range 5 {
				seen := 0
				for _, err := range s.List(s.Context(), "", "") {
					if err != nil {
						s.Fatal(err)
					}
					if seen++; seen > stop {
						break
					}
				}
			}
			if got := s.list("", ""); len(got) != 5 {
				s.Errorf("got %q, want 5 keys", got)
			}
		},
	},
	{
		name: "ListDescribes",
		rule: "a listing states size, and the version that a read of the object serves where it states any",
		run: func(s *store) {
			s.put("k", pattern(123))
			for obj, err := range s.List(s.Context(), "", "") {
				if err != nil {
					s.Fatal(err)
				}
				if obj.Size != 123 {
					s.Errorf("got size %d, want 123", obj.Size)
				}
				if _, _, err := s.read(s.Context(), "k", 0, -1, obj.Version); err != nil {
					s.Errorf("read of listed version %q: %v", obj.Version, err)
				}
			}
		},
	},
}

// wantListed writes objects and expects exactly them, with their content.
func (s *store) wantListed(keys []string) {
	s.Helper()
	keys = s.keys(keys)
	for _, key := range keys {
		s.put(key, []byte(key))
	}
	slices.Sort(keys)
	if got := s.list("", ""); !slices.Equal(got, keys) {
		s.Errorf("got  %q,\nwant %q: %s", got, keys, firstDifference(got, keys))
	}
	for _, key := range keys {
		data, obj, err := s.read(s.Context(), key, 0, -1, "")
		if err != nil || string(data) != key || obj.Size != int64(len(key)) {
			s.Errorf("read of %q: got %q of %d bytes, %v, want the key itself", key, data, obj.Size, err)
		}
		if stat, err := s.Stat(s.Context(), key); err != nil || stat.Size != int64(len(key)) {
			s.Errorf("stat of %q: got size %d, %v, want %d", key, stat.Size, err, len(key))
		}
	}
	if d, ok := s.Driver.(driver.Deleter); ok {
		for _, key := range keys {
			if err := d.Delete(s.Context(), key, ""); err != nil {
				s.Errorf("delete of %q: %v", key, err)
			}
		}
		if got := s.list("", ""); len(got) != 0 {
			s.Errorf("after deleting all: got %q, want none", got)
		}
	}
}

// firstDifference returns where two lists differ.
func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%q is missing", want[i])
		case i >= len(want):
			return fmt.Sprintf("%q is too much", got[i])
		case got[i] != want[i]:
			return fmt.Sprintf("key %d is %q, want %q", i, got[i], want[i])
		}
	}
	return "equal"
}
