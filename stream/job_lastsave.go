package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream/internal/checkpoint"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// The last save decides whether the job ends well. It is tried again as a Store heals
// by default, within two minutes in all; where the user's context ends, within 30
// seconds from then on.
const (
	lastAll      = 2 * time.Minute
	lastCanceled = 30 * time.Second
)

// errLastSave is the cause of the last save's end by its own limit.
var errLastSave = fmt.Errorf("%w: it took longer than %v", blob.ErrTransient, lastAll)

// saveLast saves the manifest at the job's end, with what is durable, also when ctx
// is over.
func (j *job) saveLast(ctx context.Context) error {
	sctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	limit := time.AfterFunc(lastAll, func() { cancel(errLastSave) })
	defer limit.Stop()
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(lastCanceled, func() { cancel(context.Cause(ctx)) })
	})()
	err := j.saveSurely(sctx, true)
	if cause := context.Cause(sctx); err != nil && !errors.Is(err, ErrOwner) && cause != nil {
		if ctx.Err() != nil {
			cause = ctxerr.Of(ctx)
		}
		return fmt.Errorf("stream: checkpoint: %w", cause)
	}
	return err
}

// saveSurely is save, which is tried again after an error that is transient.
func (j *job) saveSurely(ctx context.Context, last bool) error {
	var pauses checkpoint.Pauses
	for {
		err := j.save(ctx, last)
		if err == nil || ctx.Err() != nil || ClassOf(err) != ClassTransient || !pauses.Wait(ctx) {
			return err
		}
	}
}
