package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	gocloud "gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"

	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// smallPart lists many small objects of lines and counts the lines.
func (j *job) smallPart() part {
	return part{
		title: fmt.Sprintf("%d objects of %d KiB by %d lanes", j.small, j.bytes>>10, j.lanes),
		order: []string{"s3store", "simstore", "gocloud"},
		variants: map[string]variant{
			"s3store":  j.smallThaw(j.s3Store),
			"simstore": j.smallThaw(j.simStore),
			"gocloud":  j.smallGocloud,
		},
		ideal:  j.smallIdeal(),
		column: "objects/s",
		rate:   func(o sample.One) float64 { return float64(j.small) / o.Wall.Seconds() },
	}
}

// smallIdeal is the time of the first page, and then of the lanes that each wait
// for one object after the other.
func (j *job) smallIdeal() time.Duration {
	each := j.link.FirstByte
	if j.link.PerConn > 0 {
		each += time.Duration(float64(j.bytes) / float64(j.link.PerConn) * float64(time.Second))
	}
	turns := (j.small + j.lanes - 1) / j.lanes
	lanes := time.Duration(turns) * each
	if j.link.Total > 0 {
		lanes = max(lanes, time.Duration(float64(j.small)*float64(j.bytes)/float64(j.link.Total)*float64(time.Second)))
	}
	return j.link.FirstByte + lanes
}

func (j *job) smallThaw(open opener) variant {
	return func(ctx context.Context, p place) (sample.One, error) {
		store, err := open(ctx, p.folder)
		if err != nil {
			return sample.One{}, err
		}
		defer store.Close()
		clock := begin()
		report, err := stream.Backfill(ctx, store.List(nil), stream.Discard, &stream.Options{Lanes: j.lanes})
		one := clock.end(sample.One{Records: report.Counts.Delivered(), Bytes: report.Counts.Stored})
		if err == nil && (!report.Complete() || one.Records != j.linesOf(p)) {
			err = fmt.Errorf("%d records instead of %d", one.Records, j.linesOf(p))
		}
		return one, err
	}
}

func (j *job) smallGocloud(ctx context.Context, p place) (sample.One, error) {
	bucket, err := s3blob.OpenBucket(ctx, client(nil), faultstore.Bucket, nil)
	if err != nil {
		return sample.One{}, err
	}
	defer bucket.Close()
	clock := begin()
	keys := make(chan string, j.lanes)
	var records, size atomic.Int64
	var failed atomic.Value
	var wg sync.WaitGroup
	for range j.lanes {
		wg.Go(func() {
			for key := range keys {
				n, got, err := countLines(ctx, bucket, key)
				records.Add(n)
				size.Add(got)
				if err != nil {
					failed.Store(err)
				}
			}
		})
	}
	for it := bucket.List(&gocloud.ListOptions{Prefix: p.folder}); ; {
		o, err := it.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			failed.Store(err)
			break
		}
		keys <- o.Key
	}
	close(keys)
	wg.Wait()
	one := clock.end(sample.One{Records: records.Load(), Bytes: size.Load()})
	err, _ = failed.Load().(error)
	if n := records.Load(); err == nil && n != j.linesOf(p) {
		err = fmt.Errorf("%d records instead of %d", n, j.linesOf(p))
	}
	return one, err
}

func countLines(ctx context.Context, bucket *gocloud.Bucket, key string) (n, size int64, err error) {
	r, err := bucket.NewReader(ctx, key, nil)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	s := bufio.NewScanner(r)
	for s.Scan() {
		n++
		size += int64(len(s.Bytes())) + 1
	}
	return n, size, s.Err()
}
