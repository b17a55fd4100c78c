package stream

import (
	"context"

	"github.com/thaw-go/thaw/internal/goid"
)

// laneKey finds, in the context that a sink is called with, the floor of the lane
// that calls it.
type laneKey struct{ b *budget }

// inLane is ctx for the user's code on a lane.
func (f *floor) inLane(ctx context.Context) context.Context {
	return context.WithValue(ctx, laneKey{f.b}, f)
}

// laneOf is the floor of the lane of b in whose sink a call with ctx is made, nil
// for none: ctx is that of the sink, or the goroutine is the lane's.
func (b *budget) laneOf(ctx context.Context) *floor {
	if f, _ := ctx.Value(laneKey{b}).(*floor); f != nil {
		f.hosts.Store(true)
		return f
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := uint64(0)
	for f := range b.floors {
		if f.goroutine == 0 {
			continue
		}
		if id == 0 {
			id = goid.ID()
		}
		if f.goroutine == id {
			return f
		}
	}
	return nil
}

// run notes that the calling goroutine is the lane's.
func (f *floor) run() {
	f.b.mu.Lock()
	f.goroutine = goid.ID()
	f.b.mu.Unlock()
}

// rest notes whether the lane has nothing to do until another one has done
// something, or until the source has listed something.
func (f *floor) rest(idle bool, source *floor) {
	f.b.mu.Lock()
	f.idle, f.source = idle, source
	f.b.refuseStuck()
	f.b.mu.Unlock()
}

// host counts a job in the lane's sink, by 1 or -1. f may be nil.
func (f *floor) host(by int) {
	if f == nil {
		return
	}
	f.b.mu.Lock()
	f.inner += by
	f.b.refuseStuck()
	f.b.mu.Unlock()
}

// inSink reports whether w is asked for in a sink of a lane of this budget.
func (w *need) inSink() bool { return w.f != nil && w.f.outer != nil }

// mark counts a wait, by 1 or -1, for all that cannot go on meanwhile: the lane
// itself, and the one in whose sink it is.
func (b *budget) mark(w *need, by int) {
	if w.f == nil {
		return
	}
	if w.inSink() {
		b.nested += by
	}
	if w.c != nil {
		w.f.waits += by
	}
	if o := w.f.outer; o != nil && !w.f.alone {
		o.inner += by // that of a whole job is marked by the job
	}
}

// goesOn reports whether a floor's lane may return memory by itself, as far as can
// be known: what programs do with their Readers cannot.
func (f *floor) goesOn() bool {
	switch {
	case f.waits > 0:
		return false
	case !f.alone && f.outer != nil && !f.outer.left:
		return f.outer.goesOn()
	case f.inner > 0:
		return f.inSink != nil && !f.inSink()
	}
	return !f.idle && (f.source == nil || f.source.goesOn())
}

// refuseStuck refuses needs in sinks that nobody can serve: all who hold memory
// wait, for them or for each other.
func (b *budget) refuseStuck() {
	for b.nested > 0 {
		for f := range b.floors {
			if f.goesOn() {
				return
			}
		}
		last := -1
		for i, w := range b.waiting {
			if b.reclaimable(w) {
				return
			}
			if w.inSink() {
				last = i
			}
		}
		if last < 0 {
			return
		}
		b.leave(last, ErrPoolBusy)
	}
}
