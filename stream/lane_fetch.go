package stream

import (
	"context"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
)

// laneFetch puts a lane into stage fetch around waits for stored bytes. A local
// store answers in about the time of a copy, so that the permit is lent only; while
// another store is waited for, others work.
type laneFetch struct {
	lane  *lane
	local bool
	left  meter.Stage
}

func (f *laneFetch) beginWait() {
	if f.local {
		f.left, _ = f.lane.enterLending(meter.Fetch)
		return
	}
	f.left = f.lane.meter.Stage()
	f.lane.enterReleasing(meter.Fetch)
}

// endWait enters the stage that the wait interrupted. While an object is opened that is
// fetch itself, up to whatever comes next.
func (f *laneFetch) endWait(ctx context.Context) error {
	switch f.left {
	case meter.Fetch:
		return nil
	case meter.Plan: // needs no permit
		f.lane.enter(f.left)
		return nil
	}
	return f.lane.enterHolding(ctx, f.left)
}

// reading has the Pool drop what rd fetched ahead when others need the memory.
func (f *laneFetch) reading(rd *blob.Reader) { f.lane.pool.readers.set(&f.lane.meter, rd) }

// requestHook returns the hook for the requests of a lane, nil if nobody observes them.
func requestHook(lane int, hook func(Request)) func(blob.Request) {
	if hook == nil {
		return nil
	}
	return func(req blob.Request) { hook(Request{Lane: lane, Request: req}) }
}
