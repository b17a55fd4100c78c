package gcsstore

import (
	"context"
	"strconv"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob/driver"
)

// Options configures [New]. Nil means the zero value.
type Options struct {
	// PageSize is how many objects a page of a listing holds at most. 0 means
	// 1,000, which is also the most that the service gives.
	PageSize int
}

// pageSize is what the service gives at most.
const pageSize = 1000

// Driver is one bucket. Make one with [New].
type Driver struct {
	bucket   *storage.BucketHandle
	pageSize int
	client   *storage.Client // nil when it belongs to the caller
}

// New is a bucket as a driver. The bucket's client stays the caller's to close and
// to tune: unless it is told otherwise, it sends all ranges over one HTTP/2
// connection. It must read over the XML API, its default: with
// storage.WithJSONReads it refuses to ask for stored bytes. Its retries are switched
// off, since package blob does them.
func New(bucket *storage.BucketHandle, opts *Options) *Driver {
	d := &Driver{bucket: bucket.Retryer(storage.WithPolicy(storage.RetryNever)), pageSize: pageSize}
	if opts != nil && opts.PageSize > 0 {
		d.pageSize = min(opts.PageSize, pageSize)
	}
	return d
}

// Traits tells that Put honours both conditions.
func (d *Driver) Traits() driver.Traits { return driver.Traits{PutAbsent: true, PutVersion: true} }

// Close closes the client that an opened URL made. One that was given to [New]
// stays open.
func (d *Driver) Close() error {
	if d.client == nil {
		return nil
	}
	return d.client.Close()
}

// Stat describes one object.
func (d *Driver) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return driver.Object{}, err
	}
	a, err := d.bucket.Object(key).Attrs(ctx)
	if err != nil {
		return driver.Object{}, classify(ctx, err)
	}
	return describe(a), nil
}

// describe tells what the service says of an object. Every storage class reads at
// once, ARCHIVE and COLDLINE included.
func describe(a *storage.ObjectAttrs) driver.Object {
	return driver.Object{
		Key:             a.Name,
		Size:            a.Size,
		Version:         version(a.Generation),
		ModTime:         a.Updated,
		ContentType:     a.ContentType,
		ContentEncoding: a.ContentEncoding,
		StorageClass:    a.StorageClass,
	}
}

// version spells a generation; 0 and less are none.
func version(generation int64) string {
	if generation <= 0 {
		return ""
	}
	return strconv.FormatInt(generation, 10)
}

// generation is the inverse of version. What is no generation was never served.
func generation(version string) (int64, bool) {
	g, err := strconv.ParseInt(version, 10, 64)
	return g, err == nil && g > 0
}

// Delete removes one object.
func (d *Driver) Delete(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return classify(ctx, d.bucket.Object(key).Delete(ctx))
}
