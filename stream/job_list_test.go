package stream_test

import (
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

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
		if err != nil || !rep.Complete() || rep.Counts.Delivered() != tc.records || rep.Counts.Indexes != tc.indexes {
			t.Errorf("%s: got %v, complete %v, %d records, %d indexes; want %d and %d", tc.src.Name, err, rep.Complete(),
				rep.Counts.Delivered(), rep.Counts.Indexes, tc.records, tc.indexes)
		}
	}
}
