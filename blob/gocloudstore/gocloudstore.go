package gocloudstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	gocloud "gocloud.dev/blob"

	"github.com/thaw-go/thaw/blob/driver"
)

// Options configures [New]. Nil means the zero value.
type Options struct {
	// PageSize is how many objects a page of a listing holds at most. 0 means
	// 1,000. A fileblob bucket is listed in one page whatever it is.
	PageSize int
}

// Driver is a bucket of gocloud.dev. Make one with [New]. It is safe for concurrent
// use.
type Driver struct {
	bucket   *gocloud.Bucket
	isFile   bool // fileblob: its pages cannot be trusted
	pageSize int
}

// New returns a Driver of a bucket; blob.New makes a Store of it. Name the Store by
// blob.Options.Name, since a bucket does not state its URL: else it is "gocloud". New
// sends no request. The bucket stays the caller's to close: closing the Driver does
// not touch it.
func New(bucket *gocloud.Bucket, opts *Options) *Driver {
	d := &Driver{bucket: bucket, pageSize: pageSize}
	if opts != nil && opts.PageSize > 0 {
		d.pageSize = opts.PageSize
	}
	// Of the drivers of gocloud.dev, fileblob alone has an os.FileInfo for a bucket.
	var info os.FileInfo
	if bucket.As(&info) {
		d.isFile, d.pageSize = true, filePageSize
	}
	return d
}

// Name returns "gocloud".
func (d *Driver) Name() string { return "gocloud" }

// Location returns nothing, since it is not known.
func (d *Driver) Location() string { return "" }

// Traits reports that Put checks Absent, and that files can be written to in place.
func (d *Driver) Traits() driver.Traits { return driver.Traits{PutAbsent: true, Mutable: d.isFile} }

func (d *Driver) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return driver.Object{}, err
	}
	a, err := d.bucket.Attributes(ctx, key)
	if err != nil {
		return driver.Object{}, classify(ctx, err)
	}
	return driver.Object{
		Key:             key,
		Size:            a.Size,
		Version:         versionOf(a.Size, a.ModTime).String(),
		ModTime:         a.ModTime,
		ContentType:     a.ContentType,
		ContentEncoding: a.ContentEncoding,
	}, nil
}

func (d *Driver) ReadRange(ctx context.Context, key string, offset, length int64, want string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	r, err := d.bucket.NewRangeReader(ctx, key, offset, length, nil)
	if err != nil {
		return d.beyond(ctx, key, offset, want, err)
	}
	obj := driver.Object{Key: key, Size: r.Size(), ModTime: r.ModTime(), ContentType: r.ContentType()}
	if obj.Version, err = served(want, versionOf(r.Size(), r.ModTime())); err != nil {
		r.Close()
		return driver.Range{}, err
	}
	return driver.Range{Body: &body{ctx: ctx, r: r}, Offset: offset, Object: obj}, nil
}

// beyond answers a failed request. Services refuse a range that begins at the end or
// after it, an empty object's start included; that is an empty body here.
func (d *Driver) beyond(ctx context.Context, key string, offset int64, want string, err error) (driver.Range, error) {
	cause := classify(ctx, err)
	if !isOther(cause) {
		return driver.Range{}, cause
	}
	obj, statErr := d.Stat(ctx, key)
	if statErr != nil || offset < obj.Size {
		return driver.Range{}, cause
	}
	if obj.Version, err = served(want, versionOf(obj.Size, obj.ModTime)); err != nil {
		return driver.Range{}, err
	}
	return driver.Range{Body: io.NopCloser(eof{}), Offset: offset, Object: obj}, nil
}

// eof is an empty body.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// body classifies what a reader fails with, and ends with its context: buckets in
// memory do not look at it.
type body struct {
	ctx context.Context
	r   *gocloud.Reader
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		err = classify(b.ctx, err)
	}
	return n, err
}

func (b *body) Close() error { return b.r.Close() }

func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if cond.Version != "" {
		return "", fmt.Errorf("put if version: %w", driver.ErrUnsupported)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := d.write(ctx, key, r, size, cond.Absent); err != nil {
		return "", err
	}
	obj, err := d.Stat(ctx, key)
	if err != nil {
		return "", fmt.Errorf("version after a write that succeeded: %w", err)
	}
	return obj.Version, nil
}

// write writes exactly size bytes to the bucket, or cancels the upload.
func (d *Driver) write(ctx context.Context, key string, r io.Reader, size int64, absent bool) error {
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	w, err := d.bucket.NewWriter(ctx, key, &gocloud.WriterOptions{
		ContentType: "application/octet-stream",
		IfNotExist:  absent,
	})
	if err != nil {
		return classify(ctx, err)
	}
	n, err := io.Copy(w, r)
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes instead of %d", n, size)
	}
	if err != nil {
		cause := classify(ctx, err)
		abort()
		w.Close()
		return cause
	}
	if err := w.Close(); err != nil {
		if absent && isConflict(err) {
			return fmt.Errorf("%w (%v)", driver.ErrConflict, err)
		}
		return classify(ctx, err)
	}
	return nil
}

// Delete deletes one object. With a version it looks before: the bucket cannot.
func (d *Driver) Delete(ctx context.Context, key, version string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if version != "" {
		switch obj, err := d.Stat(ctx, key); {
		case err != nil:
			return err
		case obj.Version != version:
			return fmt.Errorf("version is %s: %w", obj.Version, driver.ErrChanged)
		}
	}
	return classify(ctx, d.bucket.Delete(ctx, key))
}

// isOther reports whether an error has no class yet.
func isOther(err error) bool {
	for _, class := range classes {
		if errors.Is(err, class) {
			return false
		}
	}
	return true
}
