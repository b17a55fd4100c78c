package stream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream/internal/checkpoint"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// actor acts upon objects that are done, beside the lanes. A goroutine runs while there
// is work for it. The methods of a nil actor do nothing.
type actor struct {
	job    *job
	user   context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	all    sync.WaitGroup
}

// actAtEnd is how long actions go on after a job that was stopped, or drains.
const actAtEnd = 30 * time.Second

// errActAtEnd is the cause of the end of actions by actAtEnd.
var errActAtEnd = fmt.Errorf("the job was stopped %v ago", actAtEnd)

func newActor(j *job) *actor {
	j.ledger.actAfter(j.opts.Checkpoint != nil)
	return &actor{job: j}
}

// begin acts upon what an earlier run has left.
func (a *actor) begin(ctx context.Context) {
	if a == nil {
		return
	}
	a.user = ctx
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	a.job.end.act = a.cancel
	a.start()
}

// start begins to act upon objects that are ready. It is called after each change that
// makes some so.
func (a *actor) start() {
	if a == nil {
		return
	}
	for range a.job.ledger.startActing() {
		a.all.Go(func() { a.job.guard(a.run) })
	}
}

// room returns nil if a lane may take one more object, else a channel that is closed when
// it may.
func (a *actor) room() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.job.ledger.pendingRoom()
}

// end waits until all that is ready is acted upon, or the job has failed.
func (a *actor) end() {
	err, stopped := a.job.end.err()
	switch {
	case err != nil:
		a.cancel(err)
	case stopped:
		defer time.AfterFunc(actAtEnd, func() { a.cancel(errActAtEnd) }).Stop()
	}
	a.all.Wait()
	if a.user.Err() != nil && a.job.ledger.actionsLeft() {
		a.job.end.interrupt(ctxerr.Of(a.user))
	}
}

// stop ends what still runs.
func (a *actor) stop() {
	if a != nil {
		a.cancel(nil)
		a.all.Wait()
	}
}

// run acts upon objects until none is ready or the job has failed.
func (a *actor) run() {
	for {
		o, ok := a.job.ledger.nextAction(a.ctx.Err() != nil)
		if !ok {
			return
		}
		a.act(o)
	}
}

// act acts upon one object, and notes what became of it.
func (a *actor) act(o PendingObject) {
	j, began := a.job, time.Now()
	obj := o.object()
	var pauses checkpoint.Pauses
	for {
		err := j.opts.After.Do(a.ctx, j.src.Store, obj)
		isKept := false
		if err != nil && a.ctx.Err() == nil {
			isKept, err = a.look(obj, err)
		}
		switch {
		case err == nil:
			j.ledger.acted(o, isKept)
		case a.ctx.Err() != nil:
			return // it stays pending
		case ClassOf(err) == ClassTransient && pauses.Wait(a.ctx):
			continue
		default:
			err = &Error{Source: j.src.Name, Key: obj.Key, Version: obj.Version, Class: classOf(err), Err: &stepError{"after", err}}
			if j.ledger.actionFailed(err) {
				j.fail(&kindError{errAfterFull, err})
			}
		}
		call(j.trace.After, AfterEnd{Object: obj, Elapsed: time.Since(began), Kept: isKept, Err: err})
		return
	}
}

// look looks at an object whose action ended in err. It returns nil if the object is
// gone, or if it is kept since another version is there.
func (a *actor) look(obj blob.Object, err error) (isKept bool, _ error) {
	switch now, serr := a.job.src.Store.Stat(a.ctx, obj.Key); {
	case errors.Is(serr, fs.ErrNotExist):
		return false, nil
	case serr == nil && now.Version != "" && now.Version != obj.Version:
		return true, nil
	}
	return false, err
}
