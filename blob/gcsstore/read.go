package gcsstore

import (
	"context"
	"fmt"
	"net/http"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// ReadRange opens a part of an object, as stored. The generation wanted is a
// precondition of the request, and is compared with the one that the response
// carries. (A generation in the place of a precondition would make a replaced object
// a missing one.)
func (d *Driver) ReadRange(ctx context.Context, key string, offset, length int64, want string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	object := d.bucket.Object(key).ReadCompressed(true)
	if want != "" {
		g, ok := generation(want)
		if !ok {
			return driver.Range{}, fmt.Errorf("version %q is no generation: %w", want, driver.ErrChanged)
		}
		object = object.If(storage.Conditions{GenerationMatch: g})
	}
	one := newExchange(ctx)
	r, err := object.NewRangeReader(one.ctx, offset, length, storage.WithDisableReaderChecksum())
	if err != nil {
		one.end(nil)
		if status(err) == http.StatusRequestedRangeNotSatisfiable {
			return d.refusedRange(ctx, key, offset, want)
		}
		return driver.Range{}, unusable(classify(ctx, err))
	}
	one.answered.Store(true)
	body := &body{r: r, one: one}
	part, err := d.answer(ctx, key, r, want)
	if err != nil {
		body.Close()
		return driver.Range{}, err
	}
	due, err := part.Due(offset, length)
	if err != nil {
		body.Close()
		return driver.Range{}, err
	}
	return driver.Range{
		Body:   httpstore.NewBody(ctx, body, due, func(err error) error { return classify(ctx, err) }),
		Offset: offset,
		Object: driver.Object{
			Key:             key,
			Size:            part.Size,
			Version:         version(r.Attrs.Generation),
			ModTime:         r.Attrs.LastModified,
			ContentType:     r.Attrs.ContentType,
			ContentEncoding: r.Attrs.ContentEncoding,
		},
	}, nil
}

// answer checks the version of a response and returns which part of the object it is.
func (d *Driver) answer(ctx context.Context, key string, r *storage.Reader, want string) (httpstore.Served, error) {
	if r.Attrs.Decompressed {
		return httpstore.Served{}, fmt.Errorf("the service decompresses the object on the way: %w", driver.ErrUnsupported)
	}
	if err := httpstore.SameVersion(want, version(r.Attrs.Generation)); err != nil {
		return httpstore.Served{}, err
	}
	s := httpstore.Served{From: r.Attrs.StartOffset, Count: r.Remain(), Size: r.Attrs.Size}
	if s.Count <= 0 {
		s.Count = -1 // the reader says 0 for a response without Content-Length
	}
	if s.Size >= 0 {
		return s, nil
	}
	obj, err := d.Stat(ctx, key)
	if err != nil {
		return httpstore.Served{}, err
	}
	s.Size = obj.Size
	return s, httpstore.SameVersion(version(r.Attrs.Generation), obj.Version)
}

// unusable makes a response that could not be understood transient: the client library
// has no type for it.
func unusable(err error) error {
	if httpstore.Known(err) || status(err) != 0 {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrTransient, err)
}

// refusedRange answers a range that the service has refused.
func (d *Driver) refusedRange(ctx context.Context, key string, offset int64, want string) (driver.Range, error) {
	obj, err := d.Stat(ctx, key)
	if err != nil {
		return driver.Range{}, err
	}
	return httpstore.Refused(ctx, obj, offset, want)
}

// body is the body of one response.
type body struct {
	r   *storage.Reader
	one *exchange
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if resumed, mixed := b.one.broken(); resumed {
		if mixed {
			n = 0
		}
		return n, errBroken
	}
	return n, err
}

func (b *body) Close() error {
	defer b.one.end(nil)
	return b.r.Close()
}
