package gcsstore

import (
	"context"
	"fmt"
	"strconv"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob/driver"
)

// Options configures [New]. Nil means the zero value.
type Options struct {
	// PageSize is how many objects a page of a listing holds at most. 0 means
	// 1,000, the most that the service returns.
	PageSize int
}

// pageSize is the largest page of the service.
const pageSize = 1000

// Driver is a bucket. Make one with [New]. It is safe for concurrent use.
type Driver struct {
	bucket   *storage.BucketHandle
	pageSize int
	client   *storage.Client // nil when it belongs to the caller
}

// New returns a Driver of a bucket; blob.New makes a Store of it. It sends no request.
// The client of the bucket stays the caller's to close: closing the Driver does not
// touch it. Its retries are off for the Driver's calls.
//
// The client must read over the XML API, its default: with storage.WithJSONReads it
// refuses to ask for stored bytes. By default it sends all ranges over one HTTP/2
// connection; blob.Open makes a client that does not.
func New(bucket *storage.BucketHandle, opts *Options) *Driver {
	d := &Driver{bucket: bucket.Retryer(storage.WithPolicy(storage.RetryNever)), pageSize: pageSize}
	if opts != nil && opts.PageSize > 0 {
		d.pageSize = min(opts.PageSize, pageSize)
	}
	return d
}

// Name returns "gs://" and the bucket.
func (d *Driver) Name() string { return "gs://" + d.bucket.BucketName() }

// Location returns "gs://" and the bucket.
func (d *Driver) Location() string { return d.Name() }

// Traits reports that Put checks both conditions.
func (d *Driver) Traits() driver.Traits {
	return driver.Traits{PutAbsent: true, PutVersion: true, DeleteVersion: true}
}

// Close closes the client of a Driver that blob.Open made. After New it does nothing.
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

// describe returns the object of the service's attributes. Every storage class reads at
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

// version returns the text of a generation; 0 and less are none.
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

// pinned returns the handle of one object, or only of a version of it. It looks at the
// version, too: not every service that speaks this protocol heeds the condition.
func (d *Driver) pinned(ctx context.Context, key, version string) (*storage.ObjectHandle, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	obj := d.bucket.Object(key)
	if version == "" {
		return obj, nil
	}
	g, ok := generation(version)
	if !ok {
		return nil, fmt.Errorf("version %q is no generation: %w", version, driver.ErrChanged)
	}
	switch now, err := d.Stat(ctx, key); {
	case err != nil:
		return nil, err
	case now.Version != version:
		return nil, fmt.Errorf("version is %s: %w", now.Version, driver.ErrChanged)
	}
	return obj.If(storage.Conditions{GenerationMatch: g}), nil
}

// Delete removes one object, or only the given generation of it.
func (d *Driver) Delete(ctx context.Context, key, version string) error {
	obj, err := d.pinned(ctx, key, version)
	if err != nil {
		return err
	}
	return classify(ctx, obj.Delete(ctx))
}
