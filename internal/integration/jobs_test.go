package integration_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// awkwardKeys are such as services and their clients like to rewrite.
var awkwardKeys = []string{
	"in/a b+c%20d&e=f", "in/100%", "in/what?#no", "in/caf\u00e9", "in/cafe\u0301", "in/\u65e5\u672c\u8a9e", "in/[x]{y}*", "in/~'quote'\"",
}

// testJobs reads whole prefixes of an empty store, as programs do.
func testJobs(t *testing.T, store *blob.Store) {
	t.Run("backfill", func(t *testing.T) { testBackfill(t, store) })
	t.Run("replaced", func(t *testing.T) { testReplaced(t, store) })
	t.Run("missing", func(t *testing.T) { testMissing(t, store) })
}

// testBackfill reads more objects than a page of a listing has, then again with
// the manifest in the store: nothing is left to read.
func testBackfill(t *testing.T, store *blob.Store) {
	var want []string
	keys := slices.Clone(awkwardKeys)
	for i := range 1001 {
		keys = append(keys, fmt.Sprintf("in/%04d.ndjson.gz", i))
	}
	putAll(t, store, keys, func(key string) []byte {
		return compress(t, fmt.Appendf(nil, "{\"key\":%q,\"n\":1}\n{\"key\":%q,\"n\":2}\n", key, key))
	})
	for _, key := range keys {
		want = append(want, fmt.Sprintf("{\"key\":%q,\"n\":1}", key), fmt.Sprintf("{\"key\":%q,\"n\":2}", key))
	}
	putAll(t, store, []string{"in/empty", "outside"}, func(string) []byte { return nil })
	slices.Sort(want)

	for run, fresh := range []bool{true, false} {
		var mu sync.Mutex
		var got []string
		report, err := stream.Backfill(t.Context(), store.List(&blob.ListOptions{Glob: "in/**"}),
			stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				for rec := range b.All() {
					got = append(got, string(rec.Data))
				}
				return nil
			}),
			&stream.Options{Lanes: 16, Checkpoint: stream.BlobCheckpoint(store, "state/manifest.json")})
		if err != nil || !report.Complete() {
			t.Fatalf("run %d: %v\n%v", run, err, report)
		}
		slices.Sort(got)
		if fresh && !slices.Equal(got, want) || !fresh && len(got) != 0 {
			t.Errorf("run %d: got %d records, want %d", run, len(got), len(want))
		}
	}
}

// testReplaced reads an object that is replaced between two ranges.
func testReplaced(t *testing.T, store *blob.Store) {
	const size = 1 << 20
	put(t, store, "replaced", bytes.Repeat([]byte("a"), size))
	r, err := store.NewReader(t.Context(), "replaced", &blob.ReaderOptions{RangeSize: 128 << 10, ReadAhead: 128 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.CopyN(io.Discard, r, 1000); err != nil {
		t.Fatal(err)
	}
	put(t, store, "replaced", bytes.Repeat([]byte("b"), size))
	rest, err := io.ReadAll(r)
	if !errors.Is(err, blob.ErrChanged) || bytes.Contains(rest, []byte("b")) {
		t.Errorf("got %d bytes and %v, want bytes of the old version and %v", len(rest), err, blob.ErrChanged)
	}
}

// testMissing asks for what is not there in every way.
func testMissing(t *testing.T, store *blob.Store) {
	if _, err := store.Stat(t.Context(), "no/such"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat: got %v, want %v", err, fs.ErrNotExist)
	}
	for _, err := range stream.Records(t.Context(), store, "no/such", nil) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("records: got %v, want %v", err, fs.ErrNotExist)
		}
	}
	for obj, err := range store.List(&blob.ListOptions{Prefix: "no/such"}).Objects(t.Context(), blob.Mark{}) {
		t.Errorf("list: got %q, %v, want nothing", obj.Key, err)
	}
}

// wantDenied expects every call to be refused.
func wantDenied(t *testing.T, store *blob.Store) {
	t.Helper()
	_, statErr := store.Stat(t.Context(), "k")
	_, putErr := store.Put(t.Context(), "k", strings.NewReader("x"), 1, nil)
	var readErr, listErr error
	if r, err := store.NewReader(t.Context(), "k", nil); err != nil {
		readErr = err
	} else {
		_, readErr = io.ReadAll(r)
		r.Close()
	}
	for _, err := range store.List(nil).Objects(t.Context(), blob.Mark{}) {
		listErr = err
	}
	for call, err := range map[string]error{"stat": statErr, "put": putErr, "read": readErr, "list": listErr} {
		if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), secretKey) {
			t.Errorf("%s: got %v, want %v", call, err, fs.ErrPermission)
		}
	}
}

// wantDecoded expects the records "one" and "two" of an object that is stored
// compressed, whoever decompresses on the way.
func wantDecoded(t *testing.T, store *blob.Store, key string) {
	t.Helper()
	var got []string
	for rec, err := range stream.Records(t.Context(), store, key, nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(rec.Data))
	}
	if !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("got %q, want one and two", got)
	}
}

func put(t *testing.T, store *blob.Store, key string, data []byte) {
	t.Helper()
	if _, err := store.Put(t.Context(), key, bytes.NewReader(data), int64(len(data)), nil); err != nil {
		t.Fatal(err)
	}
}

// putAll writes many objects, several at once.
func putAll(t *testing.T, store *blob.Store, keys []string, content func(key string) []byte) {
	t.Helper()
	var wg sync.WaitGroup
	for part := range slices.Chunk(keys, len(keys)/8+1) {
		wg.Go(func() {
			for _, key := range part {
				data := content(key)
				if _, err := store.Put(t.Context(), key, bytes.NewReader(data), int64(len(data)), nil); err != nil {
					t.Errorf("put of %q: %v", key, err)
				}
			}
		})
	}
	wg.Wait()
}

func compress(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	return b.Bytes()
}
