package catalog_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/catalog"
)

// A quarantine names an object once for each of its bad records. As a list of keys it
// has each object once, also beside a mark.
func TestKeyFileOfAQuarantine(t *testing.T) {
	t.Parallel()
	bad := []byte("{]\n{]\n{]\n1\n{]\n")
	s := store(t, map[string][]byte{"o/a": bad, "o/b": bad, "o/c": []byte("1\n"), "o/d": bad})
	var file bytes.Buffer
	_, err := stream.Backfill(t.Context(), s.List(&blob.ListOptions{Prefix: "o/"}), stream.Discard, &stream.Options{
		Read: stream.ReadOptions{Frame: "json"}, OnRecordError: stream.Quarantine(&file), OnObjectError: stream.Quarantine(&file),
	})
	if lines := bytes.Count(file.Bytes(), []byte("\n")); err != nil || lines <= 3 {
		t.Fatalf("got %v, a quarantine of %d lines; want some for each of 3 objects", err, lines)
	}
	put(t, s, "q", file.Bytes())
	src, err := catalog.KeyFile(t.Context(), s, "q", nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := listed(t, src, blob.Mark{})
	got := keyList(all)
	if err != nil || !slices.Equal(slices.Sorted(slices.Values(got)), []string{"o/a", "o/b", "o/d"}) {
		t.Errorf("got %q, %v; want each object once", got, err)
	}
	rest, err := listed(t, src, blob.Mark{Ordinal: 1, Key: got[0]})
	if err != nil || !slices.Equal(keyList(rest), got[1:]) {
		t.Errorf("after the first of %q: got %q, %v", got, keyList(rest), err)
	}
}

// What is a repetition, and how far back it is looked for.
func TestKeyFileRepeats(t *testing.T) {
	t.Parallel()
	const most = 4096 // objects in between, one less
	for _, tt := range []struct {
		reason  string
		between int // other objects between the first line and the second
		second  string
		want    int // objects in all
	}{
		{"the next line", 0, `{"key":"a","version":"v","record":2}`, 1},
		{"another version is another object", 0, `{"key":"a","version":"w"}`, 2},
		{"so is none", 0, `{"key":"a"}`, 2},
		{"where key ends and version begins counts", 0, `{"key":"av","version":""}`, 2},
		{"a plain line means what it says", 0, `a`, 2},
		{"the last one that is remembered", most - 1, `{"key":"a","version":"v"}`, most},
		{"the first one that is not", most, `{"key":"a","version":"v"}`, most + 2},
	} {
		var file bytes.Buffer
		fmt.Fprintln(&file, `{"key":"a","version":"v","record":1}`)
		for i := range tt.between {
			fmt.Fprintf(&file, "{\"key\":\"b-%d\"}\n", i)
		}
		fmt.Fprintln(&file, tt.second)
		s := store(t, map[string][]byte{"q": file.Bytes()})
		src, err := catalog.KeyFile(t.Context(), s, "q", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := listed(t, src, blob.Mark{}); err != nil || len(got) != tt.want {
			t.Errorf("%s: got %d objects, %v; want %d", tt.reason, len(got), err, tt.want)
		}
	}
}
