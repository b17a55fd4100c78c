package stream

import (
	"context"
	"errors"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// failIn is fail for work under ctx: once that is over, its end is what failed,
// whatever was met meanwhile.
func (o *opened) failIn(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return o.fail(err)
	}
	return o.failure(ClassCanceled, ctxerr.Of(ctx))
}

// fail makes an error of the object.
func (o *opened) fail(err error) error {
	var already *Error
	if errors.As(err, &already) {
		return err
	}
	if isOfData(classOf(err)) {
		if changed := o.source.changed(); changed != nil {
			err = changed
		}
	}
	e := o.failure(classOf(err), err)
	var be *blob.Error
	if errors.As(err, &be) && be.Offset > e.Offset {
		e.Offset = be.Offset
	}
	return e
}

func (o *opened) failure(class Class, err error) *Error {
	return &Error{
		Source: o.object.source, Key: o.object.info.Key, Version: o.object.info.Version,
		Offset: o.storedOffset(), Decoded: o.decoded, Class: class, Err: err,
	}
}
