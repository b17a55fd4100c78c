package stream

import (
	"context"
	"errors"
	"fmt"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// sinkError is an error of the sink under ctx. Once that is over, it is the reason:
// what a service says when it is interrupted is as good as anything.
func sinkError(ctx context.Context, op string, err error) error {
	if errors.Is(err, Stop) {
		return err
	}
	over := ctx.Err() != nil
	if over && !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", ctxerr.Of(ctx), err)
	}
	return &sinkFailure{op, err, over}
}

// sinkFailure is an error of the sink, of class SinkFailed unless the context was
// over.
type sinkFailure struct {
	op   string
	err  error
	over bool
}

func (e *sinkFailure) Error() string { return fmt.Sprintf("stream: sink %s: %v", e.op, e.err) }
func (e *sinkFailure) Unwrap() error { return e.err }
