package gcsstore

import (
	"context"
	"errors"
	"fmt"
	"io"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob/driver"
)

// Put writes one object in one request and holds no more of it than a buffer. The
// service makes the object when the request has ended: one that is broken off
// writes nothing.
func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	object := d.bucket.Object(key)
	switch {
	case cond.Absent:
		object = object.If(storage.Conditions{DoesNotExist: true})
	case cond.Version != "":
		g, ok := generation(cond.Version)
		if !ok {
			return "", fmt.Errorf("version %q is no generation: %w", cond.Version, driver.ErrConflict)
		}
		object = object.If(storage.Conditions{GenerationMatch: g})
	}
	upload, end := context.WithCancel(ctx)
	defer end()
	w := object.NewWriter(upload)
	w.ChunkSize = 0
	w.ContentType = "application/octet-stream"
	n, err := io.Copy(w, io.LimitReader(r, size+1))
	if err == nil && n < size {
		err = fmt.Errorf("the reader gives %d bytes less than announced: %w", size-n, io.ErrUnexpectedEOF)
	} else if err == nil && n > size {
		err = errors.New("the reader gives more than the size announced")
	}
	if err != nil {
		// The end of the context alone is a race: Close may end the body of the
		// request first, and a short object is written.
		w.CloseWithError(err) //lint:ignore SA1019 see above
		end()
		w.Close()
		return "", refused(ctx, err)
	}
	if err := w.Close(); err != nil {
		return "", refused(ctx, err)
	}
	return version(w.Attrs().Generation), nil
}

// refused gives a failed write its class: a condition that does not hold is a
// conflict.
func refused(ctx context.Context, err error) error {
	err = classify(ctx, err)
	if errors.Is(err, driver.ErrChanged) {
		return fmt.Errorf("%w (%v)", driver.ErrConflict, err)
	}
	return err
}
