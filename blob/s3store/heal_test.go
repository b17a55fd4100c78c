package s3store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// quick is how a store heals where a server on loopback fails: waits are scaled
// down, and no hedge hides a fault.
var quick = &blob.Retry{MinBackoff: time.Millisecond, MaxBackoff: 4 * time.Millisecond, Stall: 150 * time.Millisecond, NoHedge: true}

// Every fault of a body at every kind of place, over HTTP, is healed to the exact
// bytes or is an error with key and offset behind exact bytes; no body and no
// goroutine is left.
func TestFaultMatrix(t *testing.T) {
	const rangeSize, size = 256 << 10, 3*(256<<10) + 1000
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i>>8 ^ i*7)
	}
	heals := map[faultstore.Kind]bool{
		faultstore.Slow: true, faultstore.Drop: true, faultstore.InternalError: true, faultstore.SlowDown: true,
		faultstore.Reset: true, faultstore.Cut: true, faultstore.Short: true, faultstore.Stall: true,
		faultstore.WholeBody: true, faultstore.Shifted: true,
	}
	for _, kind := range faultstore.Kinds(faultstore.Read) {
		for _, at := range []int64{0, 1, rangeSize / 2, rangeSize - 1, rangeSize, rangeSize + 1, 2 * rangeSize, size - 2, size - 1} {
			t.Run(fmt.Sprintf("%s at %d", kind, at), func(t *testing.T) {
				t.Parallel()
				struck := false
				served, d := serve(t, &faultstore.Options{Plan: func(c faultstore.Call) faultstore.Fault {
					// The store holds a mutex over this.
					if c.Op != faultstore.Read || struck || at < c.Offset || at >= c.Offset+c.Length {
						return faultstore.Fault{}
					}
					struck = true
					f := faultstore.Fault{Kind: kind, At: at - c.Offset}
					if kind == faultstore.Shifted {
						f.At = 4
					}
					return f
				}})
				version := served.Add(faultstore.Item{Key: "k", Content: faultstore.Bytes(data)})
				store := blob.New(d, &blob.Options{Retry: quick})
				r, err := store.NewReader(t.Context(), "k", &blob.ReaderOptions{Object: &blob.Object{Version: version, Size: -1}, RangeSize: rangeSize})
				var got []byte
				if err == nil {
					got, err = io.ReadAll(r)
					r.Close()
				}
				if !bytes.HasPrefix(data, got) || err == nil && len(got) != size {
					t.Fatalf("got %d bytes, %v; want the exact ones", len(got), err)
				}
				if be, ok := errors.AsType[*blob.Error](err); err != nil && (!ok || be.Key != "k" || be.Offset > int64(len(got))) {
					t.Errorf("got %v behind %d bytes, want an error with key and offset", err, len(got))
				}
				if heals[kind] && err != nil {
					t.Errorf("got %v, want the fault healed", err)
				}
				// The server sees a closed connection a moment after the client.
				for range 500 {
					if served.Counts().Open == 0 {
						return
					}
					runtime.Gosched()
					time.Sleep(time.Millisecond)
				}
				t.Errorf("%d bodies are left open", served.Counts().Open)
			})
		}
	}
}

// A backfill over a server that fails and stalls all the time, with objects in an
// archive tier, delivers every record once.
func TestBackfillHeals(t *testing.T) {
	t.Parallel()
	served, d := serve(t, &faultstore.Options{
		Thaw: 50 * time.Millisecond, Page: 7,
		Plan: faultstore.Random(1, faultstore.Rates{
			faultstore.InternalError: 0.05, faultstore.SlowDown: 0.02, faultstore.Drop: 0.02, faultstore.Reset: 0.05,
			faultstore.Cut: 0.03, faultstore.Stall: 0.002, faultstore.BrokenPage: 0.1,
		}),
	})
	const objects, records = 40, 2000
	for i := range objects {
		var b bytes.Buffer
		for n := range records {
			fmt.Fprintf(&b, "{\"object\":%d,\"record\":%d}\n", i, n)
		}
		item := faultstore.Item{Key: fmt.Sprintf("%03d.ndjson", i), Content: faultstore.Bytes(b.Bytes())}
		if i%4 == 0 {
			item.StorageClass, item.Archived = "GLACIER", true
		}
		served.Add(item)
	}
	seen := make(chan string, objects*records+1)
	rep, err := stream.Backfill(t.Context(), blob.New(d, &blob.Options{Retry: &blob.Retry{
		MinBackoff: time.Millisecond, MaxBackoff: 4 * time.Millisecond, Stall: time.Second, MaxAttempts: 11, BudgetBurst: 100_000,
	}}).List(nil), stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		for rec := range b.All() {
			seen <- string(rec.Data)
		}
		return nil
	}), &stream.Options{
		Lanes: 8, Read: stream.ReadOptions{RangeSize: 16 << 10},
		Restore: &stream.RestoreOptions{Poll: 20 * time.Millisecond, MaxPoll: 50 * time.Millisecond, MaxDeferred: 3},
	})
	if err != nil || !rep.Complete() {
		t.Fatalf("got %v, complete %v", err, rep.Complete())
	}
	close(seen)
	unique := map[string]bool{}
	n := 0
	for line := range seen {
		unique[line] = true
		n++
	}
	if n != objects*records || len(unique) != n {
		t.Errorf("got %d records, %d different; want %d", n, len(unique), objects*records)
	}
	if struck := served.Counts(); struck.Struck() < 20 {
		t.Errorf("only %d faults struck", struck.Struck())
	}
}
