package gocloudstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	gocloud "gocloud.dev/blob"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
)

// store is a bucket as a driver.
type store struct {
	bucket   *gocloud.Bucket
	isFile   bool // fileblob: its pages cannot be trusted
	pageSize int
}

// New makes a driver of a bucket. It is safe for concurrent use. Closing it, as
// closing a [blob.Store] over it does, closes the bucket.
func New(bucket *gocloud.Bucket) driver.Driver {
	// Of gocloud.dev's drivers only fileblob gives an os.FileInfo for a bucket.
	var info os.FileInfo
	if bucket.As(&info) {
		return &store{bucket: bucket, isFile: true, pageSize: filePageSize}
	}
	return &store{bucket: bucket, pageSize: pageSize}
}

// Open makes a store of a bucket. name is how errors and manifests name it: its
// URL without credentials. Empty means "gocloud".
func Open(bucket *gocloud.Bucket, name string) *blob.Store {
	if name == "" {
		name = "gocloud"
	}
	return blob.New(New(bucket), &blob.Options{Name: name})
}

// Traits tells that Put honours Absent, and that files can be written to in place.
func (s *store) Traits() driver.Traits { return driver.Traits{PutAbsent: true, Mutable: s.isFile} }

// Close closes the bucket.
func (s *store) Close() error { return s.bucket.Close() }

func (s *store) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return driver.Object{}, err
	}
	a, err := s.bucket.Attributes(ctx, key)
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

func (s *store) ReadRange(ctx context.Context, key string, offset, length int64, want string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	r, err := s.bucket.NewRangeReader(ctx, key, offset, length, nil)
	if err != nil {
		return s.beyond(ctx, key, offset, want, err)
	}
	obj := driver.Object{Key: key, Size: r.Size(), ModTime: r.ModTime(), ContentType: r.ContentType()}
	if obj.Version, err = served(want, versionOf(r.Size(), r.ModTime())); err != nil {
		r.Close()
		return driver.Range{}, err
	}
	return driver.Range{Body: &body{ctx: ctx, r: r}, Offset: offset, Object: obj}, nil
}

// beyond answers a failed request. Services refuse a range that begins at the end
// or behind it, an empty object's start included; that is an empty body here.
func (s *store) beyond(ctx context.Context, key string, offset int64, want string, err error) (driver.Range, error) {
	cause := classify(ctx, err)
	if !isOther(cause) {
		return driver.Range{}, cause
	}
	obj, statErr := s.Stat(ctx, key)
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

func (s *store) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if cond.Version != "" {
		return "", fmt.Errorf("put if version: %w", driver.ErrUnsupported)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := s.write(ctx, key, r, size, cond.Absent); err != nil {
		return "", err
	}
	obj, err := s.Stat(ctx, key)
	if err != nil {
		return "", fmt.Errorf("version after a write that succeeded: %w", err)
	}
	return obj.Version, nil
}

// write gives the bucket exactly size bytes, or ends the upload before it counts.
func (s *store) write(ctx context.Context, key string, r io.Reader, size int64, absent bool) error {
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	w, err := s.bucket.NewWriter(ctx, key, &gocloud.WriterOptions{
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

func (s *store) Delete(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return classify(ctx, s.bucket.Delete(ctx, key))
}

// isOther tells whether an error has no class yet.
func isOther(err error) bool {
	for _, class := range classes {
		if errors.Is(err, class) {
			return false
		}
	}
	return true
}
