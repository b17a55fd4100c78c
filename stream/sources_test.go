package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// listed is what a source yields behind a mark.
func listed(t *testing.T, src blob.Source, after blob.Mark) (objects []blob.Object, err error) {
	t.Helper()
	for obj, err := range src.Objects(t.Context(), after) {
		if err != nil {
			return objects, err
		}
		objects = append(objects, obj)
	}
	return objects, nil
}

func keyList(objects []blob.Object) (keys []string) {
	for _, o := range objects {
		keys = append(keys, o.Key)
	}
	return keys
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why, file string
		want      []string
		bad       string // what the error says behind want
	}{
		{why: "keys, one by one", file: "b\na\n\nb\n", want: []string{"b", "a", "b"}},
		{why: "carriage returns, no last line feed", file: "a\r\nb", want: []string{"a", "b"}},
		{why: "byte order mark", file: "\xef\xbb\xbfa\n", want: []string{"a"}},
		{why: "keys are taken as they are", file: " a b \n%41\n\"q\"\n", want: []string{" a b ", "%41", `"q"`}},
		{why: "JSON objects", file: `{"key":"{a}\n","size":3,"version":"v"}` + "\n" + `{"key":"b","more":1}`, want: []string{"{a}\n", "b"}},
		{why: "empty", file: "", want: nil},
		{why: "no JSON", file: "a\n{b\n", want: []string{"a"}, bad: "line 2"},
		{why: "no key", file: `{"size":1}`, bad: `no "key"`},
		{why: "negative size", file: `{"key":"a","size":-1}`, bad: "size -1"},
		{why: "two values", file: `{"key":"a"}{"key":"b"}`, bad: "after top-level value"},
		{why: "damage behind a value", file: `{"key":"a"}}`, bad: "after top-level value"},
	} {
		for _, codec := range []string{"none", "gzip"} {
			t.Run(tc.why+"/"+codec, func(t *testing.T) {
				t.Parallel()
				s := store(t, map[string][]byte{"keys": encode(t, codec, []byte(tc.file))})
				src, err := stream.KeyFile(t.Context(), s, s, "keys", nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := listed(t, src, blob.Mark{})
				if !slices.Equal(keyList(got), tc.want) || (err != nil) != (tc.bad != "") || err != nil && !strings.Contains(err.Error(), tc.bad) {
					t.Errorf("got %q, %v; want %q, an error that says %q", keyList(got), err, tc.want, tc.bad)
				}
			})
		}
	}
}

// A source of keys begins behind any mark, and says so when there is no such place.
func TestKeyFileMark(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"keys": []byte("a\nb\n\nc\n")})
	src, err := stream.KeyFile(t.Context(), s, s, "keys", nil)
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
			t.Errorf("behind %+v: got %q, %v; want %q, failure %v", tc.mark, keyList(got), err, tc.want, tc.fail)
		}
	}
}

// A list that was replaced is another job's, and is not read half old, half new.
func TestKeyFileReplaced(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"keys": []byte("a\n")})
	before, err := stream.KeyFile(t.Context(), s, s, "keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "keys", []byte("b\n"))
	after, err := stream.KeyFile(t.Context(), s, s, "keys", nil)
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

const inventorySchema = "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, ETag, StorageClass"

// inventory stages an inventory of two files.
func inventory(t *testing.T, format string) *blob.Store {
	row := func(key, latest, marker, size, class string) string {
		return fmt.Sprintf("%q,%q,%q,%q,%q,%q,%q,%q,%q\n", "bucket", key, "", latest, marker, size, "2026-11-01T10:00:00.000Z", "e-"+size, class)
	}
	return store(t, map[string][]byte{
		"inv/manifest.json": []byte(`{"sourceBucket":"bucket","fileFormat":"` + format + `","fileSchema":"` + inventorySchema +
			`","files":[{"key":"data/1.csv.gz","size":1},{"key":"data/2.csv.gz","size":2}]}`),
		"data/1.csv.gz": encode(t, "gzip", []byte(row("logs/b%2Bc+d%C3%A9.gz", "true", "false", "3", "STANDARD")+
			row("logs/old", "false", "false", "4", "STANDARD")+row("logs/gone", "true", "true", "", ""))),
		"data/2.csv.gz": encode(t, "gzip", []byte(row("other/x", "true", "false", "5", "STANDARD")+
			row("logs/a%2Cb%0A", "true", "false", "6", "DEEP_ARCHIVE"))),
	})
}

func TestInventory(t *testing.T) {
	t.Parallel()
	s := inventory(t, "CSV")
	for _, tc := range []struct {
		why  string
		opts *stream.InventoryOptions
		want []string
	}{
		{"all current objects, in its order", nil, []string{"logs/b+c dé.gz", "other/x", "logs/a,b\n"}},
		{"keys of a store with a prefix", &stream.InventoryOptions{Prefix: "logs/"}, []string{"b+c dé.gz", "a,b\n"}},
	} {
		src, err := stream.Inventory(t.Context(), s, s, "inv/manifest.json", tc.opts)
		if err != nil {
			t.Fatal(err)
		}
		got, err := listed(t, src, blob.Mark{})
		if err != nil || !slices.Equal(keyList(got), tc.want) {
			t.Errorf("%s: got %q, %v; want %q", tc.why, keyList(got), err, tc.want)
		}
		if got, err := listed(t, src, blob.Mark{Ordinal: 1, Key: tc.want[0]}); err != nil || !slices.Equal(keyList(got), tc.want[1:]) {
			t.Errorf("%s, behind the first: got %q, %v; want %q", tc.why, keyList(got), err, tc.want[1:])
		}
	}
	src, err := stream.Inventory(t.Context(), s, s, "inv/manifest.json", &stream.InventoryOptions{ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := listed(t, src, blob.Mark{})
	if err != nil || len(got) != 3 {
		t.Fatalf("got %d objects, %v", len(got), err)
	}
	if o := got[2]; o.Size != 6 || o.Version != "e-6" || o.StorageClass != "DEEP_ARCHIVE" || o.Archive.String() != "archived" || o.ModTime.Day() != 1 {
		t.Errorf("got %+v, want what its row says", o)
	}
}

func TestInventoryFaults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	if _, err := stream.Inventory(ctx, nil, inventory(t, "Parquet"), "inv/manifest.json", nil); stream.ClassOf(err) != stream.ClassUnsupported {
		t.Errorf("parquet: got %v, want class unsupported", err)
	}
	for _, tc := range []struct {
		why    string
		file   []byte
		schema []string
		bad    string
	}{
		{why: "too few fields", file: []byte("b,k\nb\n"), bad: "line 2: 1 fields, want 2"},
		{why: "a size that is none", file: []byte("k,x\n"), schema: []string{"Key", "Size"}, bad: `size "x"`},
		{why: "a broken escape", file: []byte("b,%zz\n"), bad: "line 1"},
		{why: "cut", file: encode(t, "gzip", bytes.Repeat([]byte("b,k\n"), 100))[:20], bad: "truncated"},
		{why: "no key", schema: []string{"Size"}, bad: "no column Key"},
	} {
		s := store(t, map[string][]byte{"i.csv": tc.file})
		src, err := stream.Inventory(ctx, s, s, "i.csv", &stream.InventoryOptions{Schema: tc.schema})
		if err == nil {
			_, err = listed(t, src, blob.Mark{})
		}
		if err == nil || !strings.Contains(err.Error(), tc.bad) {
			t.Errorf("%s: got %v, want an error that says %q", tc.why, err, tc.bad)
		}
	}
}

// An index beside an object is no data of a listing, and no gap in what was read; a
// source that names it wants it.
func TestIndexesAreNoData(t *testing.T) {
	t.Parallel()
	s := store(t, map[string][]byte{"a.log": []byte("x\n"), "a.log.thawidx": []byte("index\n")})
	for _, tc := range []struct {
		src              blob.Source
		records, indexes int64
	}{{s.List(nil), 1, 1}, {blob.Keys(s, "a.log", "a.log.thawidx"), 2, 0}} {
		rep, err := stream.Backfill(t.Context(), tc.src, stream.Discard, nil)
		if err != nil || !rep.Complete() || rep.Counts.Records() != tc.records || rep.Counts.Indexes != tc.indexes {
			t.Errorf("%s: got %v, complete %v, %d records, %d indexes; want %d and %d", tc.src.Name, err, rep.Complete(),
				rep.Counts.Records(), rep.Counts.Indexes, tc.records, tc.indexes)
		}
	}
}

// A list is read while the job that reads its objects holds all of its pool.
func TestKeyFileBesideItsJob(t *testing.T) {
	t.Parallel()
	objects := map[string][]byte{"keys": []byte("a\nb\n"), "a": []byte("x\n"), "b": []byte("y\n")}
	for _, memory := range []int64{8 << 20, 32 << 20, 64 << 20} {
		s := store(t, objects)
		pool := stream.NewPool(&stream.PoolOptions{Memory: memory, Workers: 2})
		src, err := stream.KeyFile(t.Context(), s, s, "keys", &stream.ReadOptions{Pool: pool})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := stream.Backfill(t.Context(), src, stream.Discard, &stream.Options{Lanes: 100, Read: stream.ReadOptions{Pool: pool}})
		if err != nil || rep.Counts.Records() != 2 {
			t.Errorf("%d MiB: got %v, %d records; want 2", memory>>20, err, rep.Counts.Records())
		}
	}
}
