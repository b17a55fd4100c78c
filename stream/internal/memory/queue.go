package memory

import (
	"context"
	"slices"

	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// waiter is a request that waits, or is about to.
type waiter struct {
	account *Account // nil for a floor
	lane    *Lane    // whose floor it is, or that of account; nil for an account without

	bytes      int64
	guaranteed int64 // of account after the grant
	optimistic bool  // it may be granted without a guarantee
	spare      int64 // if that much is free beside it
	noWait     bool  // it waits only for what can be had back

	done chan struct{} // closed when it is granted or refused
	err  error         // why it is refused
	turn turn
}

// serveQueue grants what has become safe, first come first served among that, and
// starts over after each: one that is granted may have kept those before it waiting.
func (b *Budget) serveQueue() {
	for i := 0; i < len(b.queue); i++ {
		switch w := b.queue[i]; {
		case b.serve(w):
			b.leave(i, nil)
			i = -1
		case w.noWait && !b.reclaimable(w):
			b.leave(i, ErrBusy)
			i = -1
		}
	}
	b.refuseStuck()
}

// leave ends the wait of waiter i.
func (b *Budget) leave(i int, err error) {
	w := b.queue[i]
	b.queue = slices.Delete(b.queue, i, i+1)
	b.wanting--
	b.mark(w, -1)
	w.turn.end()
	w.err = err
	close(w.done)
}

// serve grants w if that is safe and nobody has a turn before it, or if it asks for
// no guarantee and nobody waits who has one.
func (b *Budget) serve(w *waiter) bool {
	if !b.mayPass(w) {
		return false
	}
	if b.safe(w, b.free()) {
		b.grant(w)
		b.passed(w)
		return true
	}
	guaranteed := func(w *waiter) bool { return w.account != nil && !w.optimistic }
	if !w.optimistic || w.bytes == 0 || b.free()-w.bytes < w.spare || slices.ContainsFunc(b.queue, guaranteed) {
		return false
	}
	b.grant(w)
	w.account.optimistic = true
	b.optimistic += w.account.held
	b.passed(w)
	return true
}

func (b *Budget) grant(w *waiter) {
	b.charge(w.bytes)
	if w.account == nil {
		b.enter(w.lane)
		return
	}
	w.account.endOptimism()
	w.account.held += w.bytes
	w.account.guaranteed = w.guaranteed
}

// wait serves w, waiting until that is safe or ctx ends. The lock is held when it
// is called, and released.
func (b *Budget) wait(ctx context.Context, w *waiter) error {
	if b.serveOrEvict(w) {
		b.mu.Unlock()
		return nil
	}
	if w.noWait && !b.reclaimable(w) {
		b.mu.Unlock()
		return ErrBusy
	}
	w.done = make(chan struct{})
	b.wanting++
	b.queue = append(b.queue, w)
	b.mark(w, 1)
	b.serveQueue() // something may have come free while Evict had no lock
	b.tick(w)
	b.mu.Unlock()
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch i := slices.Index(b.queue, w); {
	case i >= 0:
		b.leave(i, nil)
	case w.err == nil:
		b.used -= w.bytes
		if w.account == nil {
			b.exit(w.lane)
		} else {
			w.account.drop(w.bytes)
		}
	}
	b.serveQueue() // w may have been what others waited for
	return ctxerr.Of(ctx)
}

// serveOrEvict serves w, if need be by freeing what is kept for reuse.
func (b *Budget) serveOrEvict(w *waiter) bool {
	b.wanting++
	defer func() { b.wanting-- }()
	for !b.serve(w) {
		if !b.evict() {
			return false
		}
	}
	return true
}

// evict calls Evict without the lock, since what is freed calls ReleaseKept.
func (b *Budget) evict() bool {
	if b.evictOne == nil {
		return false
	}
	b.mu.Unlock()
	defer b.mu.Lock()
	return b.evictOne()
}
