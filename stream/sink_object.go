package stream

import (
	"context"

	"github.com/thaw-go/thaw/blob"
)

// PerObject is a Sink that opens one Writer for each object and closes it after
// the object's last batch: it is flushed, then closed. A Writer that is closed
// without having seen a batch with EndsObject holds an incomplete object and should
// drop it. An object that is retried or was not finished by an earlier run begins
// from its start, with a new Writer. Several lanes call open at once.
func PerObject(open func(ctx context.Context, obj blob.Object) (Writer, error)) Sink {
	return perObject{open}
}

type perObject struct {
	open func(context.Context, blob.Object) (Writer, error)
}

func (s perObject) Open(context.Context, int) (Writer, error) {
	return &objectWriter{open: s.open}, nil
}

// objectWriter has the Writer of the object that was begun and not ended.
type objectWriter struct {
	open    func(context.Context, blob.Object) (Writer, error)
	current Writer
}

var _ ObjectWriter = (*objectWriter)(nil)

func (w *objectWriter) Write(ctx context.Context, b *Batch) error {
	if err := b.HoldObject(); err != nil { // a Writer around this one may hide what it is
		return err
	}
	if b.StartsObject() {
		// The object before failed in its middle.
		if err := w.Close(); err != nil {
			return err
		}
	}
	if w.current == nil {
		c, err := w.open(ctx, b.Object())
		if err != nil {
			return err
		}
		w.current = c
	}
	if err := w.current.Write(ctx, b); err != nil {
		return err
	}
	if !b.EndsObject() {
		return nil
	}
	if err := w.current.Flush(ctx); err != nil {
		return err
	}
	return w.Close()
}

// Flush has nothing to do: Write flushes whole objects.
func (w *objectWriter) Flush(context.Context) error { return nil }

func (w *objectWriter) AbandonObject() error { return w.Close() }

func (w *objectWriter) Close() error {
	c := w.current
	w.current = nil
	if c == nil {
		return nil
	}
	return c.Close()
}
