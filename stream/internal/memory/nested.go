package memory

import (
	"context"

	"github.com/thaw-go/thaw/internal/goid"
)

// laneKey finds, in the context that a sink is called with, the lane that calls it.
type laneKey struct{ b *Budget }

// Context returns ctx for the user's code on the lane: [Budget.LaneOf] finds the
// lane in it.
func (l *Lane) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, laneKey{l.b}, l)
}

// LaneOf returns the lane of b in whose sink a call with ctx is made, nil for none:
// ctx is that of the sink, or the goroutine is the lane's.
func (b *Budget) LaneOf(ctx context.Context) *Lane {
	if l, _ := ctx.Value(laneKey{b}).(*Lane); l != nil {
		l.contextUsed.Store(true)
		return l
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := uint64(0)
	for l := range b.lanes {
		if l.goroutine == 0 {
			continue
		}
		if id == 0 {
			id = goid.ID()
		}
		if l.goroutine == id {
			return l
		}
	}
	return nil
}

// Bind says that the calling goroutine is the lane's.
func (l *Lane) Bind() {
	l.b.mu.Lock()
	l.goroutine = goid.ID()
	l.b.mu.Unlock()
}

// SetIdle says whether the lane has nothing to do until another one has done
// something, or until the source has listed something.
func (l *Lane) SetIdle(idle bool, source *Lane) {
	l.b.mu.Lock()
	l.idle, l.source = idle, source
	l.b.refuseStuck()
	l.b.mu.Unlock()
}

// Source returns what stands for the source of a job: it holds no memory, and its
// Context shows whether the source reads with the same Budget.
func (b *Budget) Source() *Lane { return &Lane{b: b} }

// ContextUsed reports whether something was read with the lane's Context.
func (l *Lane) ContextUsed() bool { return l.contextUsed.Load() }

// AddInner counts a job in the lane's sink, by 1 or -1. l may be nil.
func (l *Lane) AddInner(by int) {
	if l == nil {
		return
	}
	l.b.mu.Lock()
	l.inner += by
	l.b.refuseStuck()
	l.b.mu.Unlock()
}

// inSink reports whether w is asked for in a sink of a lane of this budget.
func (w *waiter) inSink() bool { return w.lane != nil && w.lane.Outer != nil }

// mark counts a wait, by 1 or -1, for all that cannot go on meanwhile: the lane
// itself, and the one in whose sink it is.
func (b *Budget) mark(w *waiter, by int) {
	if w.lane == nil {
		return
	}
	if w.inSink() {
		b.nested += by
	}
	if w.account != nil {
		w.lane.waits += by
	}
	if o := w.lane.Outer; o != nil && !w.lane.Independent {
		o.inner += by // that of a whole job is marked by the job
	}
}

// goesOn reports whether a lane may return memory by itself, as far as can
// be known: what programs do with their Readers cannot.
func (l *Lane) goesOn() bool {
	switch {
	case l.waits > 0:
		return false
	case !l.Independent && l.Outer != nil && !l.Outer.left:
		return l.Outer.goesOn()
	case l.inner > 0:
		return l.inSink != nil && !l.inSink()
	}
	return !l.idle && (l.source == nil || l.source.goesOn())
}

// refuseStuck refuses requests in sinks that nobody can serve: all who hold memory
// wait, for them or for each other.
func (b *Budget) refuseStuck() {
	for b.nested > 0 {
		for l := range b.lanes {
			if l.goesOn() {
				return
			}
		}
		last := -1
		for i, w := range b.queue {
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
		b.leave(last, ErrBusy)
	}
}
