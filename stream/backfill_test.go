package stream_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// Every record of every object arrives once, in order, whatever the codec and
// the number of lanes.
func TestBackfillDeliversAll(t *testing.T) {
	objects := map[string][]byte{}
	want := map[string][]string{}
	for i, name := range []string{"none", "gzip", "zstd", "lz4", "snappy", "s2"} {
		for k := range 3 {
			data := corpus.NDJSONBytes(uint64(i*10+k), 3000)
			key := fmt.Sprintf("%s/%d.ndjson", name, k)
			objects[key] = encode(t, name, data)
			want[key] = lines(data)
		}
	}
	objects["empty.ndjson"] = nil
	objects["folder/"] = nil
	objects["blank.ndjson"] = []byte("\n \n")
	s := store(t, objects)
	for _, lanes := range []int{1, 2, 7} {
		for _, workers := range []int{1, 2} {
			t.Run(fmt.Sprintf("lanes=%d/workers=%d", lanes, workers), func(t *testing.T) {
				c := newCollector()
				rep, err := stream.Backfill(t.Context(), s.List(nil), stream.SinkFunc(c.write),
					&stream.Options{Lanes: lanes, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				for key, w := range want {
					if !slices.Equal(c.records[key], w) {
						t.Errorf("%s: got %d records, want %d, or in another order", key, len(c.records[key]), len(w))
					}
				}
				if !rep.Complete() {
					t.Errorf("report is not complete:\n%s", rep)
				}
				n := rep.Counts
				if n.Listed.Objects != 21 || n.Done.Objects != 20 || n.Markers != 1 || n.Empty != 1 || n.NoRecords != 1 {
					t.Errorf("counts are %+v", n)
				}
				if n.Delivered() != 18*3000 || n.Done.Delivered != 18*3000 {
					t.Errorf("got %d records, want %d", n.Delivered(), 18*3000)
				}
				for key := range objects {
					if key != "folder/" && c.last[key] != 1 {
						t.Errorf("%s: %d last batches, want 1", key, c.last[key])
					}
				}
				if got, want := rep.Stages.Sum(), rep.Wall*time.Duration(rep.Lanes); got != want {
					t.Errorf("stages add up to %v, want %v", got, want)
				}
			})
		}
	}
}
