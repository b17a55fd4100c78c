package stream

import (
	"context"
	"errors"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// failIn implements objectReader.
func (o *decodedReader) failIn(ctx context.Context, err error) error {
	return o.failAt(ctx, o.storedOffset(), err)
}

// fail implements objectReader.
func (o *decodedReader) fail(err error) error {
	return o.failAt(context.Background(), o.storedOffset(), err)
}

// failIn implements objectReader.
func (x *indexedReader) failIn(ctx context.Context, err error) error {
	return x.failAt(ctx, x.ranges.read, err)
}

// fail implements objectReader.
func (x *indexedReader) fail(err error) error {
	return x.failAt(context.Background(), x.ranges.read, err)
}

// failAt makes err an error of the object at a stored offset. Once ctx is over, its
// end is what failed, whatever was met meanwhile.
func (o *objectState) failAt(ctx context.Context, stored int64, err error) error {
	if ctx.Err() != nil {
		return o.failure(stored, ClassCanceled, ctxerr.Of(ctx))
	}
	var already *Error
	if errors.As(err, &already) {
		return err
	}
	if isOfData(classOf(err)) {
		if changed := o.stored.changed(); changed != nil {
			err = changed
		}
	}
	e := o.failure(stored, classOf(err), err)
	e.place.stage = o.stageOf(err)
	var be *blob.Error
	if errors.As(err, &be) && be.Offset > e.Offset {
		e.Offset = be.Offset
	}
	return e
}

// stageOf is the stage of an error of the object by its cause.
func (o *objectState) stageOf(err error) string {
	if _, ok := errors.AsType[*blob.Error](err); ok || errors.Is(err, blob.ErrChanged) {
		if o.stored.pinned {
			return meter.Fetch.String()
		}
		return "open"
	}
	return meter.Decode.String()
}

func (o *objectState) failure(stored int64, class Class, err error) *Error {
	return &Error{
		Source: o.object.source, Key: o.object.info.Key, Version: o.object.info.Version,
		Offset: stored, Decoded: o.decoded, Class: class, Err: err,
	}
}
