package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
	"gocloud.dev/blob/s3blob"

	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// firstPart waits for the first decoded byte of a zstd object.
func (j *job) firstPart() part {
	return part{
		title: "The first decoded byte",
		order: []string{"s3store", "simstore", "gocloud"},
		variants: map[string]variant{
			"s3store":  j.firstThaw(j.s3Store),
			"simstore": j.firstThaw(j.simStore),
			"gocloud":  firstGocloud,
		},
		ideal:  j.link.FirstByte,
		column: "ms",
		digits: 2,
		rate:   func(o sample.One) float64 { return 1e3 * o.Wall.Seconds() },
	}
}

// opens is how often the object is opened in one measurement; the first time,
// when connections and code are cold, does not count.
const opens = 11

// median opens again and again and gives the median of the waits.
func median(open func() (io.Reader, func(), error)) (sample.One, error) {
	var waits []time.Duration
	clock := begin()
	for range opens {
		start := time.Now()
		r, done, err := open()
		if err != nil {
			return sample.One{}, err
		}
		_, err = io.ReadFull(r, make([]byte, 1))
		waits = append(waits, time.Since(start))
		done()
		if err != nil {
			return sample.One{}, err
		}
	}
	waits = waits[1:]
	slices.Sort(waits)
	one := clock.end(sample.One{})
	one.Wall = waits[len(waits)/2]
	return one, nil
}

func (j *job) firstThaw(open opener) variant {
	return func(ctx context.Context, _ place) (sample.One, error) {
		store, err := open(ctx, "")
		if err != nil {
			return sample.One{}, err
		}
		defer store.Close()
		return median(func() (io.Reader, func(), error) {
			r, err := stream.Open(ctx, store, firstKey, nil)
			if err != nil {
				return nil, nil, err
			}
			return r, func() { r.Close() }, nil
		})
	}
}

func firstGocloud(ctx context.Context, _ place) (sample.One, error) {
	bucket, err := s3blob.OpenBucket(ctx, client(nil), faultstore.Bucket, nil)
	if err != nil {
		return sample.One{}, err
	}
	defer bucket.Close()
	return median(func() (io.Reader, func(), error) {
		r, err := bucket.NewReader(ctx, firstKey, nil)
		if err != nil {
			return nil, nil, err
		}
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			r.Close()
			return nil, nil, err
		}
		return z, func() { z.Close(); r.Close() }, nil
	})
}
