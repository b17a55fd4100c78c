package blob

import (
	"sync"
	"time"
)

// hedge is the second request of a healingRange, sent on another goroutine.
type hedge struct {
	of     *request      // what it may overtake
	paused bool          // sent since nothing came: the next bytes of cur drop it
	done   chan struct{} // closed when it has bytes or has failed

	mu       sync.Mutex
	q        *request // nil before it is sent
	answered bool     // q has bytes
	dropped  bool
}

// armHedge lets the timer run for one wait of the reading goroutine, for q.
func (r *healingRange) armHedge(q *request) {
	if !r.pin.store.policy.hedge || r.hedge.Load() != nil {
		return
	}
	r.racing.Store(q)
	r.armed = true
	r.background.Add(1)
	if r.hedgeTimer == nil {
		r.hedgeTimer = time.AfterFunc(r.hedgeAfter, r.sendHedge)
	} else {
		r.hedgeTimer.Reset(r.hedgeAfter)
	}
}

// disarmHedge ends the wait. A hedge that is under way stays.
func (r *healingRange) disarmHedge() {
	if !r.armed {
		return
	}
	r.armed = false
	r.racing.Store(nil)
	if r.hedgeTimer.Stop() {
		r.background.Done()
	}
}

// sendHedge sends a hedge of a late request. The timer calls it. The reading goroutine
// clears racing before it looks for a hedge: either it finds this one, or this one
// finds that it comes too late.
func (r *healingRange) sendHedge() {
	defer r.background.Done()
	of := r.racing.Load()
	if of == nil || !r.pin.store.hedgeBudget.take() {
		return
	}
	h := &hedge{of: of, paused: true, done: make(chan struct{})}
	if !r.hedge.CompareAndSwap(nil, h) {
		return
	}
	if r.racing.Load() != of {
		r.hedge.CompareAndSwap(h, nil)
		close(h.done)
		return
	}
	r.runHedge(h)
}

// hedgeIfSlow sends a hedge if the bodies of others have overtaken cur.
func (r *healingRange) hedgeIfSlow() {
	q, store := r.cur, r.pin.store
	if !store.policy.hedge || q.waited < slowFloor || r.end-r.off.Load() < progress || r.hedge.Load() != nil {
		return
	}
	if !store.latency.overtaken(q.start, q.want) || !store.hedgeBudget.take() {
		return
	}
	h := &hedge{of: q, done: make(chan struct{})}
	r.hedge.Store(h)
	r.background.Go(func() { r.runHedge(h) })
}

// runHedge sends the hedge and waits for its first bytes.
func (r *healingRange) runHedge(h *hedge) {
	defer close(h.done)
	info := Request{Offset: r.off.Load(), Asked: -1, Attempt: h.of.info.Attempt, Hedged: true}
	if r.asked >= 0 {
		info.Asked = r.asked - info.Offset
	}
	if info.Asked == 0 {
		return
	}
	q, err := r.pin.send(r.ctx, info, r.pin.store.firstByteTimeout(0), h.sent)
	if err != nil {
		return
	}
	if !q.prefetch() || !h.overtake() {
		q.end(errPassed)
	}
}

// sent makes q the request that dropHedge cancels.
func (h *hedge) sent(q *request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.q = q
	if h.dropped {
		q.cancel(errPassed)
	}
}

// overtake cancels what the hedge has overtaken, unless the hedge was dropped. It
// reports whether it did.
func (h *hedge) overtake() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dropped {
		return false
	}
	h.answered = true
	h.of.cancel(errPassed)
	return true
}

// dropHedge cancels the hedge, if there is one that has not answered. If it has, cur is
// canceled, and dropHedge returns the response, to be read or ended.
func (r *healingRange) dropHedge() *request {
	h := r.hedge.Swap(nil)
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answered {
		return h.q
	}
	h.dropped = true
	if h.q != nil {
		h.q.cancel(errPassed)
	}
	return nil
}

// awaitHedge waits for the hedge's first bytes. It returns nil if there are none.
func (r *healingRange) awaitHedge() *request {
	h := r.hedge.Load()
	if h == nil {
		return nil
	}
	<-h.done
	r.hedge.Store(nil)
	if !h.answered {
		return nil
	}
	return h.q
}
