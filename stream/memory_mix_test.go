package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// Lanes that share little memory work side by side as far as it reaches, and few
// bytes are decoded again. A sink that takes 10 ms a batch is the work: decoding
// takes no virtual time.
func TestLanesAtWorkInTightMemory(t *testing.T) {
	few := corpus.NDJSONBytes(1, 3000)
	record := func(n int) []byte {
		return slices.Concat(few, bytes.Repeat([]byte("x"), n), []byte("\n"), few, few)
	}
	plain := slices.Concat(few, few)
	for _, tc := range []struct {
		why           string
		memory        int64
		lanes         int
		first, others []byte  // of three objects
		atWork        float64 // lanes in the sink, on average, at least
		again         int64   // bytes decoded again, at most
	}{
		{"a record that all have room for", 32 << 20, 6, zstdWindow(20, record(512<<10)), zstdWindow(20, record(512<<10)), 3, 8 << 20},
		{"windows that leave room for records", 64 << 20, 8, xzOf(t, 8<<20, record(512<<10)), xzOf(t, 8<<20, record(512<<10)), 2.5, 0},
		{"few large records", 64 << 20, 8, zstdWindow(20, record(5<<20)), zstdWindow(20, plain), 5, 16 << 20},
		{"a wait for a record needs no suspension", 48 << 20, 8, encode(t, "gzip", record(5<<20)), encode(t, "gzip", record(5<<20)), 6, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			objects := map[string][]byte{}
			for i := range 24 {
				objects[fmt.Sprintf("%02d.ndjson", i)] = tc.others
				if i%3 == 0 {
					objects[fmt.Sprintf("%02d.ndjson", i)] = tc.first
				}
			}
			rep, err := stream.Backfill(t.Context(), store(t, objects).List(nil), stream.SinkFunc(func(context.Context, *stream.Batch) error {
				time.Sleep(10 * time.Millisecond)
				return nil
			}), &stream.Options{Lanes: tc.lanes, Memory: tc.memory})
			if err != nil {
				t.Fatalf("%s: %v", tc.why, err)
			}
			atWork := float64(rep.Stages.Sink) / float64(rep.Wall)
			if atWork < tc.atWork || rep.Counts.Redecoded > tc.again {
				t.Errorf("%s: got %.2f lanes at work and %d bytes decoded again, want %.2f and %d",
					tc.why, atWork, rep.Counts.Redecoded, tc.atWork, tc.again)
			}
		})
	}
}
