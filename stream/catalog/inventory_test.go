package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/catalog"
)

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
		opts *catalog.InventoryOptions
		want []string
	}{
		{"all current objects, in its order", nil, []string{"logs/b+c dé.gz", "other/x", "logs/a,b\n"}},
		{"keys of a store with a prefix", &catalog.InventoryOptions{Prefix: "logs/"}, []string{"b+c dé.gz", "a,b\n"}},
	} {
		src, err := catalog.Inventory(t.Context(), s, "inv/manifest.json", tc.opts)
		if err != nil {
			t.Fatal(err)
		}
		got, err := listed(t, src, blob.Mark{})
		if err != nil || !slices.Equal(keyList(got), tc.want) {
			t.Errorf("%s: got %q, %v; want %q", tc.why, keyList(got), err, tc.want)
		}
		if got, err := listed(t, src, blob.Mark{Ordinal: 1, Key: tc.want[0]}); err != nil || !slices.Equal(keyList(got), tc.want[1:]) {
			t.Errorf("%s, after the first: got %q, %v; want %q", tc.why, keyList(got), err, tc.want[1:])
		}
	}
	src, err := catalog.Inventory(t.Context(), s, "inv/manifest.json", &catalog.InventoryOptions{ETags: true})
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
	if _, err := catalog.Inventory(t.Context(), inventory(t, "Parquet"), "inv/manifest.json", nil); stream.ClassOf(err) != stream.ClassUnsupported {
		t.Errorf("parquet: got %v, want class unsupported", err)
	}
	for _, tc := range []struct {
		why    string
		file   []byte
		schema []string
	}{
		{why: "too few fields", file: []byte("b,k\nb\n")},
		{why: "a size that is none", file: []byte("k,x\n"), schema: []string{"Key", "Size"}},
		{why: "a broken escape", file: []byte("b,%zz\n")},
		{why: "cut", file: encode(t, "gzip", bytes.Repeat([]byte("b,k\n"), 100))[:20]},
		{why: "no key", schema: []string{"Size"}},
	} {
		s := store(t, map[string][]byte{"i.csv": tc.file})
		src, err := catalog.Inventory(t.Context(), s, "i.csv", &catalog.InventoryOptions{Schema: tc.schema})
		if err == nil {
			_, err = listed(t, src, blob.Mark{})
		}
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) != (tc.why == "cut") {
			t.Errorf("%s: got %v, want an error", tc.why, err)
		}
	}
}
