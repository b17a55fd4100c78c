package stream_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/stream"
)

// One large object, whose lines are counted by a sink that does nothing.
func BenchmarkBackfillLarge(b *testing.B) {
	part := corpus.NDJSONBytes(1, 20_000)
	data := bytes.Repeat(part, 64<<20/len(part))
	for _, codec := range []string{"none", "gzip", "zstd"} {
		stored := encode(b, codec, data)
		b.Run(codec, func(b *testing.B) {
			s := store(b, map[string][]byte{"a.ndjson": stored})
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := stream.Backfill(b.Context(), s.List(nil), stream.Discard, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Many small objects: what an object costs.
func BenchmarkBackfillSmall(b *testing.B) {
	stored := encode(b, "gzip", corpus.NDJSONBytes(1, 10))
	objects := map[string][]byte{}
	for i := range 500 {
		objects[fmt.Sprintf("%03d.ndjson.gz", i)] = stored
	}
	s := store(b, objects)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stream.Backfill(b.Context(), s.List(nil), stream.Discard, nil); err != nil {
			b.Fatal(err)
		}
	}
}
