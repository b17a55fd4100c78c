package blob

import (
	"sync"
	"time"
)

// hedge is the second request of a span, sent on a goroutine of its own.
type hedge struct {
	of     *request      // what it may overtake
	paused bool          // sent since nothing came: what comes after all drops it
	done   chan struct{} // closed when it has given bytes or failed

	mu       sync.Mutex
	q        *request // nil before it is sent
	answered bool     // q has given bytes
	dropped  bool
}

// watch lets the timer run for one wait of the span's goroutine.
func (s *span) watch(q *request) {
	if !s.pin.store.retry.hedge || s.hedge.Load() != nil {
		return
	}
	s.racing.Store(q)
	s.watching = true
	s.aside.Add(1)
	if s.late == nil {
		s.late = time.AfterFunc(s.patience, s.double)
	} else {
		s.late.Reset(s.patience)
	}
}

// unwatch ends the wait. A hedge that is under way stays.
func (s *span) unwatch() {
	if !s.watching {
		return
	}
	s.watching = false
	s.racing.Store(nil)
	if s.late.Stop() {
		s.aside.Done()
	}
}

// double sends a hedge of what is late. It is the timer's. The span's goroutine
// clears racing before it looks for a hedge: either it finds this one, or this one
// finds that it comes too late.
func (s *span) double() {
	defer s.aside.Done()
	of := s.racing.Load()
	if of == nil || !s.pin.store.hedges.take() {
		return
	}
	h := &hedge{of: of, paused: true, done: make(chan struct{})}
	if !s.hedge.CompareAndSwap(nil, h) {
		return
	}
	if s.racing.Load() != of {
		s.hedge.CompareAndSwap(h, nil)
		close(h.done)
		return
	}
	s.run(h)
}

// compare sends a hedge when cur is far behind the bodies of others.
func (s *span) compare() {
	q, store := s.cur, s.pin.store
	if !store.retry.hedge || q.waited < slowFloor || s.end-s.off.Load() < progress || s.hedge.Load() != nil {
		return
	}
	if !store.pace.overtaken(q.start, q.want) || !store.hedges.take() {
		return
	}
	h := &hedge{of: q, done: make(chan struct{})}
	s.hedge.Store(h)
	s.aside.Go(func() { s.run(h) })
}

// run sends the hedge.
func (s *span) run(h *hedge) {
	defer close(h.done)
	info := Request{Offset: s.off.Load(), Asked: -1, Attempt: h.of.info.Attempt, Hedged: true}
	if s.asked >= 0 {
		info.Asked = s.asked - info.Offset
	}
	if info.Asked == 0 {
		return
	}
	q, err := s.pin.send(s.ctx, info, s.pin.store.patience(0), h.begin)
	if err != nil {
		return
	}
	if !q.foretaste() || !h.answer() {
		q.end(errPassed)
	}
}

// begin makes q the request that drop ends.
func (h *hedge) begin(q *request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.q = q
	if h.dropped {
		q.cancel(errPassed)
	}
}

// answer cancels what the hedge has overtaken, unless the hedge itself was dropped.
func (h *hedge) answer() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dropped {
		return false
	}
	h.answered = true
	h.of.cancel(errPassed)
	return true
}

// drop ends the hedge, if there is one that has not answered. If it has, cur is
// canceled: drop gives the response, to be read or ended.
func (s *span) drop() *request {
	h := s.hedge.Swap(nil)
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

// overtake waits for the hedge's first bytes; nil means that there are none.
func (s *span) overtake() *request {
	h := s.hedge.Load()
	if h == nil {
		return nil
	}
	<-h.done
	s.hedge.Store(nil)
	if !h.answered {
		return nil
	}
	return h.q
}
