package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/s3store"
	"github.com/thaw-go/thaw/blob/simstore"
	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// serverURL names, for the processes that measure, the server without faults or
// the one with them.
func serverURL(faults bool) string {
	if faults {
		return "THAW_BENCH_FAULTY"
	}
	return "THAW_BENCH_CLEAN"
}

const (
	line  = 64      // bytes of a record
	lines = 1 << 14 // records until their numbers begin again
)

// objectStore makes the objects: numbered lines.
func (j *job) objectStore(faults bool) *faultstore.Store {
	var o faultstore.Options
	if faults {
		o.Plan = faultstore.Random(j.seed, faultstore.Rates{
			faultstore.InternalError: j.fail / 5,
			faultstore.SlowDown:      j.fail / 5,
			faultstore.Drop:          j.fail / 5,
			faultstore.Reset:         j.fail / 5,
			faultstore.Cut:           j.fail / 5,
			faultstore.Stall:         j.stall,
		})
	}
	s := faultstore.New(&o)
	block := make([]byte, 0, line*lines)
	for i := range lines {
		block = fmt.Appendf(block, "%08d %54s\n", i, "a record that tells its number, and little else")
	}
	for i := range j.objects {
		s.Add(faultstore.Item{Key: fmt.Sprintf("%04d.txt", i), Content: faultstore.Repeated{Block: block, Total: j.bytes}})
	}
	return s
}

// opener opens the store with faults or without; count tells how many requests
// were struck, where this process knows.
type opener func(ctx context.Context, faults bool) (store *blob.Store, count func() int64, err error)

func (j *job) simStore(_ context.Context, faults bool) (*blob.Store, func() int64, error) {
	s := j.objectStore(faults)
	count := func() int64 {
		c := s.Counts()
		return int64(c.Struck())
	}
	return blob.New(simstore.New(s, j.link), &blob.Options{Name: "sim:", Retry: &blob.Retry{Stall: j.wait}}), count, nil
}

func (j *job) s3Store(ctx context.Context, faults bool) (*blob.Store, func() int64, error) {
	os.Setenv("AWS_ACCESS_KEY_ID", "a") // the server does not look
	os.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	q := url.Values{"endpoint": {os.Getenv(serverURL(faults))}, "region": {"us-east-1"}, "use_path_style": {"true"}}
	store, err := blob.Open(ctx, "s3://"+faultstore.Bucket+"?"+q.Encode(), &blob.OpenOptions{Retry: &blob.Retry{Stall: j.wait}})
	return store, func() int64 { return 0 }, err
}

// backfill reads everything, checks every record and that none is missing.
func (j *job) backfill(ctx context.Context, store *blob.Store) (one sample.One, err error) {
	var wrong atomic.Int64
	sink := stream.SinkFunc(func(_ context.Context, b *stream.Batch) error {
		for rec := range b.All() {
			if !isLine(rec.Data, rec.Index%lines) {
				wrong.Add(1)
			}
		}
		return nil
	})
	start, cpu := time.Now(), sample.CPU()
	report, err := stream.Backfill(ctx, store.List(nil), sink, &stream.Options{Lanes: j.lanes})
	one = sample.One{
		Wall: time.Since(start), CPU: sample.CPU() - cpu, Records: report.Counts.Delivered(), Bytes: report.Counts.Stored,
	}
	want := int64(j.objects) * (j.bytes / line)
	switch {
	case err != nil:
	case wrong.Load() > 0:
		err = fmt.Errorf("%d records are not what was made", wrong.Load())
	case !report.Complete() || one.Records != want:
		err = fmt.Errorf("complete %v with %d records of %d", report.Complete(), one.Records, want)
	}
	return one, err
}

// isLine tells whether data begins with the number.
func isLine(data []byte, number int64) bool {
	if len(data) != line-1 {
		return false
	}
	n := int64(0)
	for _, c := range data[:8] {
		n = 10*n + int64(c-'0')
	}
	return n == number
}
