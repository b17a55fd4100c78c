package gcsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob/driver"
)

// readFirst is up to which size an object is read before the request begins: a
// reader that fails then never meets the service.
const readFirst = 16 << 20

// Put writes one object by one request. Up to 16 MiB are read first; of a larger object
// one buffer is held. The service makes the object when the request has ended: one that
// breaks off writes nothing.
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
	if size <= readFirst {
		data, err := io.ReadAll(io.LimitReader(r, size+1))
		if err == nil {
			err = exact(int64(len(data)), size)
		}
		if err != nil {
			return "", refused(ctx, err)
		}
		r = bytes.NewReader(data)
	}
	upload, end := context.WithCancel(ctx)
	defer end()
	w := object.NewWriter(upload)
	w.ChunkSize = 0
	w.ContentType = "application/octet-stream"
	n, err := io.Copy(w, io.LimitReader(r, size+1))
	if err == nil {
		err = exact(n, size)
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

// exact compares what a reader has returned with the declared size.
func exact(n, size int64) error {
	switch {
	case n < size:
		return fmt.Errorf("the reader gives %d bytes less than announced: %w", size-n, io.ErrUnexpectedEOF)
	case n > size:
		return errors.New("the reader gives more than the size announced")
	}
	return nil
}

// refused returns the class of a failed write: a condition that does not hold is a
// conflict.
func refused(ctx context.Context, err error) error {
	err = classify(ctx, err)
	if errors.Is(err, driver.ErrChanged) {
		return fmt.Errorf("%w (%v)", driver.ErrConflict, err)
	}
	return err
}
