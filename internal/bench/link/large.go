package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"gocloud.dev/blob/s3blob"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/bench/sample"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// largePart reads one object from its first byte to its last.
func (j *job) largePart() part {
	tuned := fmt.Sprintf("manager-%d", j.ranges)
	return part{
		title: fmt.Sprintf("One object of %d MiB", j.size>>20),
		order: []string{"s3store", "simstore", "gocloud", "manager", tuned},
		variants: map[string]variant{
			"s3store":  j.largeThaw(j.s3Store),
			"simstore": j.largeThaw(j.simStore),
			"gocloud":  largeGocloud,
			"manager": func(ctx context.Context, p place) (sample.One, error) {
				return largeManager(ctx, p, nil)
			},
			tuned: func(ctx context.Context, p place) (sample.One, error) {
				return largeManager(ctx, p, func(o *transfermanager.Options) {
					o.Concurrency = j.ranges
					o.GetObjectBufferSize = int64(j.ranges) * 8 << 20
				})
			},
		},
		ideal:  j.largeIdeal(),
		column: "MB/s",
		rate:   func(o sample.One) float64 { return float64(o.Bytes) / o.Wall.Seconds() / 1e6 },
	}
}

func (j *job) largeIdeal() time.Duration {
	if j.link.Total == 0 {
		return j.link.FirstByte
	}
	return j.link.FirstByte + time.Duration(float64(j.size)/float64(j.link.Total)*float64(time.Second))
}

func (j *job) largeThaw(open opener) variant {
	var store *blob.Store // that of the pass before, which knows the link
	return func(ctx context.Context, p place) (sample.One, error) {
		if store == nil {
			var err error
			if store, err = open(ctx, ""); err != nil {
				return sample.One{}, err
			}
		}
		clock := begin()
		r, err := store.NewReader(ctx, p.largeKey, &blob.ReaderOptions{Object: &blob.Object{Size: p.size}})
		if err != nil {
			return sample.One{}, err
		}
		defer r.Close()
		n, err := drain(r, p.size)
		return clock.end(sample.One{Bytes: n}), err
	}
}

func largeGocloud(ctx context.Context, p place) (sample.One, error) {
	bucket, err := s3blob.OpenBucket(ctx, client(nil), faultstore.Bucket, nil)
	if err != nil {
		return sample.One{}, err
	}
	defer bucket.Close()
	clock := begin()
	r, err := bucket.NewReader(ctx, p.largeKey, nil)
	if err != nil {
		return sample.One{}, err
	}
	defer r.Close()
	n, err := drain(r, p.size)
	return clock.end(sample.One{Bytes: n}), err
}

// largeManager reads by the transfer manager. tune nil leaves it and the
// connections as they come.
func largeManager(ctx context.Context, p place, tune func(*transfermanager.Options)) (sample.One, error) {
	var transport http.RoundTripper
	if tune != nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 256
		t.ReadBufferSize = 64 << 10
		transport = t
	}
	m := transfermanager.New(client(transport), func(o *transfermanager.Options) {
		o.GetObjectType = types.GetObjectRanges
		o.DisableChecksumValidation = true
		if tune != nil {
			tune(o)
		}
	})
	clock := begin()
	out, err := m.GetObject(ctx, &transfermanager.GetObjectInput{Bucket: aws.String(faultstore.Bucket), Key: aws.String(p.largeKey)})
	if err != nil {
		return sample.One{}, err
	}
	if c, ok := out.Body.(io.Closer); ok {
		defer c.Close()
	}
	n, err := drain(out.Body, p.size)
	return clock.end(sample.One{Bytes: n}), err
}
