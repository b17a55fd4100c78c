package stream_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// What a network does to bodies until the retries are spent is transient, whatever
// the codec and whoever reads. Truncated is what the stored bytes are.
func TestNetworkFaultsAreTransient(t *testing.T) {
	data := corpus.NDJSONBytes(1, 5000)
	for _, codec := range []string{"none", "gzip", "zstd", "lz4", "bzip2", "brotli", "snappy"} {
		whole := encode(t, codec, data)
		for _, f := range []faultstore.Fault{
			{Kind: faultstore.Reset, At: 1000}, {Kind: faultstore.Cut, At: 1000}, {Kind: faultstore.Short, At: 1000},
			{Kind: faultstore.Reset}, {Kind: faultstore.Cut}, {Kind: faultstore.Short}, {Kind: faultstore.Stall, At: 1000},
			{Kind: faultstore.Drop}, {Kind: faultstore.InternalError}, {Kind: faultstore.SlowDown},
			{}, // the object itself is cut
		} {
			for _, attempts := range []int{1, 3, 1001} { // by the last one the budget is spent first
				synctest.Test(t, func(t *testing.T) {
					stored, want := whole, stream.ClassTransient
					plan := faultstore.Always(faultstore.Read, f)
					if f.Kind == faultstore.None {
						stored, want = whole[:len(whole)-3], stream.ClassTruncated
						if codec == "none" {
							return
						}
					}
					fs := faultstore.New(&faultstore.Options{Plan: plan})
					fs.Add(faultstore.Item{Key: "a.ndjson", Content: faultstore.Bytes(stored)})
					s := blob.New(fs, &blob.Options{Retry: &blob.Retry{MaxAttempts: attempts, MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond, NoHedge: true, BudgetBurst: 5}})
					defer s.Close()
					read := stream.ReadOptions{Codec: codec}
					_, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{Lanes: 1, Read: read})
					r, oerr := stream.Open(t.Context(), s, "a.ndjson", &stream.OpenOptions{Read: read})
					if oerr == nil {
						_, oerr = io.Copy(io.Discard, r)
						r.Close()
					}
					what := fmt.Sprintf("%s, %v at %d, %d attempts", codec, f.Kind, f.At, attempts)
					for _, err := range []error{err, oerr} {
						var e *stream.Error
						if !errors.As(err, &e) || e.Class != want {
							t.Errorf("%s: got class %v, want %v: %v", what, stream.ClassOf(err), want, err)
						}
					}
				})
			}
		}
	}
}
