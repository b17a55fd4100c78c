package catalog_test

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/catalog"
)

func TestKeyFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why, file string
		want      []string
		bad       bool // an error comes after want
	}{
		{why: "keys, one by one", file: "b\na\n\nb\n", want: []string{"b", "a", "b"}},
		{why: "carriage returns, no last line feed", file: "a\r\nb", want: []string{"a", "b"}},
		{why: "byte order mark", file: "\xef\xbb\xbfa\n", want: []string{"a"}},
		{why: "keys are taken as they are", file: " a b \n%41\n\"q\"\n", want: []string{" a b ", "%41", `"q"`}},
		{why: "JSON objects", file: `{"key":"{a}\n","size_bytes":3,"version":"v"}` + "\n" + `{"key":"b","more":1}`, want: []string{"{a}\n", "b"}},
		{why: "empty", file: "", want: nil},
		{why: "no JSON", file: "a\n{b\n", want: []string{"a"}, bad: true},
		{why: "no key", file: `{"size_bytes":1}`, bad: true},
		{why: "negative size", file: `{"key":"a","size_bytes":-1}`, bad: true},
		{why: "two values", file: `{"key":"a"}{"key":"b"}`, bad: true},
		{why: "damage after a value", file: `{"key":"a"}}`, bad: true},
	} {
		for _, codec := range []string{"none", "gzip"} {
			t.Run(tc.why+"/"+codec, func(t *testing.T) {
				t.Parallel()
				s := store(t, map[string][]byte{"keys": encode(t, codec, []byte(tc.file))})
				src, err := catalog.KeyFile(t.Context(), s, "keys", nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := listed(t, src, blob.Mark{})
				if !slices.Equal(keyList(got), tc.want) || (err != nil) != tc.bad {
					t.Errorf("got %q, %v; want %q, an error: %t", keyList(got), err, tc.want, tc.bad)
				}
			})
		}
	}
}

// A source of keys begins after any mark, and says so when there is no such place.
func TestKeyFileMark(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"keys": []byte("a\nb\n\nc\n")})
	src, err := catalog.KeyFile(t.Context(), s, "keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		mark blob.Mark
		want string
		fail bool
	}{
		{blob.Mark{}, "a b c", false},
		{blob.Mark{Ordinal: 1, Key: "a"}, "b c", false},
		{blob.Mark{Ordinal: 3, Key: "c"}, "", false},
		{blob.Mark{Ordinal: 4, Key: "d"}, "", true},
		{blob.Mark{Ordinal: -1, Key: "b"}, "c", false},
		{blob.Mark{Ordinal: -1, Key: "x"}, "", true},
	} {
		got, err := listed(t, src, tc.mark)
		if strings.Join(keyList(got), " ") != tc.want || (err != nil) != tc.fail {
			t.Errorf("after %+v: got %q, %v; want %q, failure %v", tc.mark, keyList(got), err, tc.want, tc.fail)
		}
	}
}

// A list that was replaced is another job's, and is not read half old, half new.
func TestKeyFileReplaced(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"keys": []byte("a\n")})
	before, err := catalog.KeyFile(t.Context(), s, "keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "keys", []byte("b\n"))
	after, err := catalog.KeyFile(t.Context(), s, "keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	if before.Name == after.Name {
		t.Errorf("both are named %q", before.Name)
	}
	if got, err := listed(t, before, blob.Mark{}); stream.ClassOf(err) != stream.ClassChanged {
		t.Errorf("got %q, %v; want an error of class changed", keyList(got), err)
	}
}

// A list is read while the job that reads its objects holds all of its pool.
func TestKeyFileBesideItsJob(t *testing.T) {
	t.Parallel()
	objects := map[string][]byte{"keys": []byte("a\nb\n"), "a": []byte("x\n"), "b": []byte("y\n")}
	for _, memory := range []int64{8 << 20, 32 << 20, 64 << 20} {
		s := store(t, objects)
		pool := stream.NewPool(&stream.PoolOptions{Memory: memory, Workers: 2})
		src, err := catalog.KeyFile(t.Context(), s, "keys", nil)
		if err != nil {
			t.Fatal(err)
		}
		rep, err := stream.Backfill(t.Context(), src, stream.Discard, &stream.Options{Lanes: 100, Read: stream.ReadOptions{Pool: pool}})
		if err != nil || rep.Counts.Delivered() != 2 {
			t.Errorf("%d MiB: got %v, %d records; want 2", memory>>20, err, rep.Counts.Delivered())
		}
	}
}

// A key file says which keys it means, or is refused: JSON in which bytes are lost
// does not.
func TestKeyFileKeepsBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, line, key string
		refused           bool
	}{
		{"a plain line is the key, whatever its bytes", "caf\xe9", "caf\xe9", false},
		{"bytes in base64", `{"key_base64":"Y2Fm6Q=="}`, "caf\xe9", false},
		{"text in base64 is the same key", `{"key_base64":"YQ=="}`, "a", false},
		{"a replacement character that is meant", `{"key":"caf` + "\ufffd" + `"}`, "caf\ufffd", false},
		{"a replacement character that is escaped", `{"key":"caf\uFFFD"}`, "caf\ufffd", false},
		{"a pair of surrogates is one character", `{"key":"\ud83d\ude00"}`, "\U0001f600", false},
		{"bytes within JSON text", `{"key":"caf` + "\xe9" + `"}`, "", true},
		{"half a pair of surrogates", `{"key":"caf\ud800"}`, "", true},
		{"two keys", `{"key":"a","key_base64":"Yg=="}`, "", true},
		{"no base64", `{"key_base64":"%"}`, "", true},
		{"an empty key in base64", `{"key_base64":""}`, "", true},
	} {
		s := store(t, map[string][]byte{"keys.txt": []byte(tt.line + "\n")})
		src, err := catalog.KeyFile(t.Context(), s, "keys.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		for obj, err := range src.Objects(t.Context(), blob.Mark{}) {
			if (err != nil) != tt.refused || obj.Key != tt.key {
				t.Errorf("%s: got %q, %v; want %q, refused %v", tt.reason, obj.Key, err, tt.key, tt.refused)
			}
		}
	}
}

// Options that a list decides itself are refused, and so is a list that is missing.
func TestListOptions(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"keys": nil})
	for _, tc := range []struct {
		why  string
		key  string
		read stream.ReadOptions
		want error
	}{
		{"the format is known", "keys", stream.ReadOptions{Frame: "csv"}, fs.ErrInvalid},
		{"the memory is the list's own", "keys", stream.ReadOptions{Pool: stream.NewPool(nil)}, fs.ErrInvalid},
		{"the list is looked up at once", "none", stream.ReadOptions{}, fs.ErrNotExist},
	} {
		if _, err := catalog.KeyFile(t.Context(), s, tc.key, &catalog.KeyFileOptions{Read: tc.read}); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v for a key file, want %v", tc.why, err, tc.want)
		}
		if _, err := catalog.Inventory(t.Context(), s, tc.key, &catalog.InventoryOptions{Read: tc.read}); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v for an inventory, want %v", tc.why, err, tc.want)
		}
	}
}

// The objects lie in the store of the list unless another one is named.
func TestObjectsElsewhere(t *testing.T) {
	t.Parallel()
	lists := store(t, map[string][]byte{"keys": []byte("a\n"), "i.csv": []byte("b,a\n")})
	objects := store(t, map[string][]byte{"a": []byte("x\n")})
	for _, want := range []*blob.Store{nil, objects} {
		keys, err := catalog.KeyFile(t.Context(), lists, "keys", &catalog.KeyFileOptions{Objects: want})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := catalog.Inventory(t.Context(), lists, "i.csv", &catalog.InventoryOptions{Objects: want})
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []blob.Source{keys, rows} {
			if got, err := listed(t, src, blob.Mark{}); src.Store != cmp.Or(want, lists) || err != nil || len(got) != 1 {
				t.Errorf("%s: got %d objects of %p, %v, want one of %p", src.Name, len(got), src.Store, err, cmp.Or(want, lists))
			}
		}
	}
}
