package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/listing"
)

// list makes tasks: first of the objects that an earlier run left unfinished, then of
// what the source lists after the mark.
func (j *job) list(ctx context.Context) {
	defer j.tasks.done()
	open, mark := j.ledger.unfinished()
	for _, e := range open {
		t := &task{ordinal: e.Ordinal, obj: e.object(), from: e.savepoint(), entry: entry{leftBefore: e.LeftOut}, chosen: j.chosen.of(e.Ordinal)}
		t.repeats = repeats{RedecodeNoPoint, e.Decoded}
		j.ledger.resume(t)
		j.mayReturn()
		if !j.send(ctx, t) {
			return
		}
	}
	if j.opts.Follow == nil {
		j.listOnce(ctx, mark, mark.Ordinal)
		return
	}
	j.follow(ctx)
}

// listOnce makes tasks of what the source lists after a mark. ordinal is how many objects
// were taken before. It returns false if the listing did not come to its end.
func (j *job) listOnce(ctx context.Context, after blob.Mark, ordinal int64) bool {
	for obj, err := range j.src.Objects(ctx, after) {
		if err == nil && j.opts.Follow != nil && obj.ModTime.IsZero() {
			err = fmt.Errorf("%w: the listing does not say when %q was modified, so that it cannot be followed", blob.ErrUnsupported, obj.Key)
		}
		if err != nil {
			if ctx.Err() == nil {
				j.disorder(err)
				j.fail(listError(j.src.Name, err))
			}
			return false
		}
		if ctx.Err() != nil {
			return false // the source may yield without looking at it
		}
		if j.opts.Follow != nil && j.ledger.knows(obj) {
			continue
		}
		ordinal++
		t := &task{ordinal: ordinal, obj: obj, chosen: j.chosen.of(ordinal)}
		if j.restoring != nil && !j.restoring.admit(ctx) {
			return false
		}
		hold := j.restoring != nil && archived(obj)
		out, isData := j.isData(obj)
		j.ledger.list(t, out)
		if !isData {
			continue
		}
		j.mayReturn()
		if hold {
			j.restoring.hold(t)
		} else if !j.send(ctx, t) {
			return false
		}
	}
	if ctx.Err() != nil {
		return false
	}
	j.ledger.endListing()
	if j.restoring != nil {
		j.restoring.notify()
	}
	return true
}

// mayReturn counts a task that may become one again: tasks end when the lister and all
// that it made have. Where nothing is restored, no lane hands a task back, and the
// lister alone counts.
func (j *job) mayReturn() {
	if j.restoring != nil {
		j.tasks.makers.Add(1)
	}
}

// send hands a task to a lane, and starts one if there are too few.
func (j *job) send(ctx context.Context, t *task) bool {
	if !j.tasks.send(ctx, t) {
		return false
	}
	j.crew.grow()
	return true
}

// isData reports whether an object of the source is data, and counts what it is
// otherwise. One that an earlier run has begun is data, whatever reading it has shown
// since.
func (j *job) isData(obj blob.Object) (out Counts, is bool) {
	switch listing.KindOf(j.src, obj) {
	case listing.Index:
		return Counts{Indexes: 1}, false
	case listing.Marker:
		return Counts{Markers: 1}, false
	}
	if !j.src.Named && j.isOwn(obj) {
		return Counts{Own: 1}, false
	}
	return Counts{}, true
}

// disorder rewinds the ledger if err says that the listing was out of order.
func (j *job) disorder(err error) {
	var at *blob.Error
	if errors.Is(err, blob.ErrOrder) && errors.As(err, &at) {
		j.ledger.rewind(at.Key)
	}
}

// listError is an error of the source, with the key that is out of order.
func listError(source string, err error) error {
	e := &Error{Source: source, Class: classOf(err), Err: err}
	if _, ok := err.(*blob.Error); !ok {
		e.Err = &stepError{"list", err}
	}
	var at *blob.Error
	if errors.Is(err, blob.ErrOrder) && errors.As(err, &at) {
		e.Key = at.Key
	}
	return e
}

// waitingFor returns the stage of a lane that has no object, until changed is closed.
func (j *job) waitingFor() (s meter.Stage, changed <-chan struct{}) {
	if j.restoring == nil {
		return meter.List, nil
	}
	held, full, changed := j.restoring.state()
	switch {
	case !j.ledger.listed() && !full:
		return meter.List, changed
	case held > 0:
		return meter.Restore, changed
	}
	return meter.Idle, changed
}
