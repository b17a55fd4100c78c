package faultstore_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// slow is the link of the tests in virtual time.
var slow = simstore.Link{FirstByte: 30 * time.Millisecond, PerConn: 85e6, Total: 250e6}

// far is a store behind the link, without faults.
func far(s *faultstore.Store) *blob.Store { return blob.New(simstore.New(s, slow), nil) }

// A job of small objects takes what the waits of its lanes take, and a request for
// each object.
func TestSmallObjectsOverALink(t *testing.T) {
	t.Parallel()
	const objects, size, lanes = 2000, 64 << 10, 32
	synctest.Test(t, func(t *testing.T) {
		s := faultstore.New(nil)
		data := faultstore.Bytes(bytes.Repeat([]byte("a line of thirty-two bytes, cut.\n"), size/33))
		for i := range objects {
			s.Add(faultstore.Item{Key: fmt.Sprintf("%06d.txt", i), Content: data})
		}
		store := far(s)
		defer store.Close()
		start := time.Now()
		report, err := stream.Backfill(t.Context(), store.List(nil), stream.Discard, &stream.Options{Lanes: lanes})
		took := time.Since(start)
		if err != nil || !report.Complete() || report.Counts.Delivered() != objects*(size/33) {
			t.Fatalf("got %v, complete %v, %d records", err, report.Complete(), report.Counts.Delivered())
		}
		// In virtual time the lanes go in step: their bodies come at once, and the
		// total rate bounds each turn.
		body := time.Duration(int64(len(data)) * int64(time.Second) / slow.PerConn)
		body = max(body, time.Duration(lanes*int64(len(data))*int64(time.Second)/slow.Total))
		ideal := (slow.FirstByte + body) * (objects + lanes - 1) / lanes
		if most := ideal * 10 / 9; took > most {
			t.Errorf("got %v, want %v at most, %v being what the link allows", took, most, ideal)
		}
		c := s.Counts()
		if c.Calls[faultstore.Read] != objects || c.Calls[faultstore.Stat] != 0 || c.Calls[faultstore.List] != objects/1000 {
			t.Errorf("got calls %v (list, stat, read, …), want %d pages and a read for each of %d objects", c.Calls, objects/1000, objects)
		}
	})
}

// The first decoded byte is there soon after the first byte.
func TestFirstDecodedByteOverALink(t *testing.T) {
	t.Parallel()
	for _, codec := range []string{"none", "gzip", "zstd", "lz4"} {
		t.Run(codec, func(t *testing.T) {
			t.Parallel()
			data, err := corpus.Encode(codec, corpus.NDJSONBytes(1, 5000))
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				s := faultstore.New(nil)
				s.Add(faultstore.Item{Key: "k.ndjson", Content: faultstore.Bytes(data)})
				store := far(s)
				defer store.Close()
				start := time.Now()
				r, err := stream.Open(t.Context(), store, "k.ndjson", nil)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				_, err = io.ReadFull(r, make([]byte, 1))
				if got, most := time.Since(start), slow.FirstByte*13/10; err != nil || got > most {
					t.Errorf("got %v after %v, want a byte within %v", err, got, most)
				}
			})
		})
	}
}
