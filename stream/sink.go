package stream

import (
	"context"

	"github.com/thaw-go/thaw/blob"
)

// Sink receives records. Open is called once for each lane, before the lane's
// first batch, one call at a time.
type Sink interface {
	Open(ctx context.Context, lane int) (Writer, error)
}

// Writer takes the batches of one lane. Its methods are called by one goroutine
// at a time; Writers of different lanes work side by side.
type Writer interface {
	// Write takes one batch. Batches of one object arrive in order, and one
	// object is finished before the next begins; an object that fails in its
	// middle has no batch with Last set. The batch is valid until Write
	// returns. An error ends the job; [Stop] ends it cleanly.
	Write(ctx context.Context, b *Batch) error

	// Flush makes all batches written so far durable. Only then does the
	// manifest move past them.
	Flush(ctx context.Context) error

	// Close is called once, last, whatever happened before. It is not a Flush.
	Close() error
}

// SinkFunc is a Sink whose nil result means that the batch is durable. Several
// lanes call it at once.
type SinkFunc func(ctx context.Context, b *Batch) error

// Open implements [Sink].
func (f SinkFunc) Open(context.Context, int) (Writer, error) { return funcWriter{f}, nil }

type funcWriter struct{ write SinkFunc }

func (w funcWriter) Write(ctx context.Context, b *Batch) error { return w.write(ctx, b) }
func (w funcWriter) Flush(context.Context) error               { return nil }
func (w funcWriter) Close() error                              { return nil }
func (w funcWriter) durable() bool                             { return true }

// Discard is a Sink that drops everything.
var Discard Sink = SinkFunc(func(context.Context, *Batch) error { return nil })

// durable is implemented by Writers whose Write leaves nothing to flush.
type durable interface{ durable() bool }

// objectwise is implemented by Writers that can make whole objects durable only:
// the manifest does not move within one.
type objectwise interface{ objectwise() bool }

// abandoner is implemented by Writers that hold something open for an object. It is
// told when the object has failed, before another lane may read it anew.
type abandoner interface{ abandon() error }

// PerObject is a Sink that opens one Writer for each object and closes it behind
// the object's last batch: it is flushed, then closed. A Writer that is closed
// without having seen a batch with Last set holds an incomplete object and should
// drop it. A resumed job begins objects that were not finished from their start.
func PerObject(open func(ctx context.Context, obj blob.Object) (Writer, error)) Sink {
	return perObject{open}
}

type perObject struct {
	open func(context.Context, blob.Object) (Writer, error)
}

func (s perObject) Open(context.Context, int) (Writer, error) {
	return &objectWriter{open: s.open}, nil
}

type objectWriter struct {
	open    func(context.Context, blob.Object) (Writer, error)
	of      *object
	current Writer
}

func (w *objectWriter) objectwise() bool { return true }

func (w *objectWriter) abandon() error { return w.Close() }

func (w *objectWriter) Write(ctx context.Context, b *Batch) error {
	if b.lane != nil {
		b.lane.whole = true // also where another Writer stands around this one
	}
	if w.current != nil && w.of != b.object {
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
		w.current, w.of = c, b.object
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

// Flush has nothing to do: whole objects are flushed by Write.
func (w *objectWriter) Flush(context.Context) error { return nil }

func (w *objectWriter) Close() error {
	c := w.current
	w.current, w.of = nil, nil
	if c == nil {
		return nil
	}
	return c.Close()
}
