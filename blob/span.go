package blob

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// NOTE: how a span heals.
//
// A span is a stretch of one version, read in order by one goroutine. At any time
// it reads one request, cur, which is for all that is left:
//
//	├────────── given ──────────┤ off ········· end
//	[cur, faulted ✕ [cur, for the rest ▒▒▒▒▒▒▒▒▒▒▒]
//
// A fault ends cur. After the healer's wait another request is sent for the bytes
// from off on; what was given stays given.
//
// While the goroutine waits for a response or a piece of the body, a timer may find
// cur late, and sends a second request for the rest, the hedge:
//
//   - a response or a piece of cur drops a hedge that was sent for want of one;
//   - the first bytes of the hedge cancel cur. The goroutine then takes the hedge
//     for cur, and passes over the bytes that were given meanwhile (skip).
//
// There is at most one hedge. Neither timer nor hedge outlives the span: close
// waits for both.

// span reads a stretch of one version in order, over any number of requests.
type span struct {
	pin    *pin
	ctx    context.Context
	cancel context.CancelFunc // ends what is under way; close calls it
	off    atomic.Int64       // the next byte; set by the span's goroutine only
	asked  int64              // requests ask up to here; -1: to the object's end
	end    int64              // the stretch ends here; -1 before the first response
	cur    *request
	skip   int64 // bytes of cur that were given already
	healer healer
	since  int64 // bytes given since the last fault
	fault  error // of the last request, to be healed
	done   bool
	err    error // the outcome, if it is not the end

	patience time.Duration           // after which cur is late
	late     *time.Timer             // nil before the first wait
	watching bool                    // late may run
	racing   atomic.Pointer[request] // what it watches
	hedge    atomic.Pointer[hedge]
	aside    sync.WaitGroup // the timer's run and the hedge
}

// newSpan is a stretch of length bytes from offset on, -1 for all. Nothing is sent
// yet.
func newSpan(ctx context.Context, p *pin, offset, length int64) *span {
	s := &span{pin: p, asked: -1, end: -1, healer: p.store.healer("read", p.key)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.off.Store(offset)
	if length >= 0 {
		s.asked = offset + length
	}
	return s
}

// open sends a request for what is left until one is answered.
func (s *span) open() error {
	if s.healer.failures == 0 {
		s.pin.store.retries.earn()
		s.pin.store.hedges.earn()
	}
	for {
		q, err := s.send()
		if err == nil {
			s.take(q)
			return nil
		}
		if err := s.healer.heal(s.ctx, err, false); err != nil {
			return s.fail(err)
		}
	}
}

// send sends one request for what is left, and maybe a hedge of it.
func (s *span) send() (*request, error) {
	info := Request{Offset: s.off.Load(), Asked: -1, Attempt: s.healer.failures + 1}
	if s.asked >= 0 {
		info.Asked = s.asked - info.Offset
	}
	s.patience = s.pin.store.pace.late()
	q, err := s.pin.send(s.ctx, info, s.pin.store.patience(s.healer.stalls), s.watch)
	s.unwatch()
	s.patience = max(s.patience, slowFloor)
	if err == nil {
		if h := s.drop(); h != nil {
			q.end(errPassed)
			q = h
		}
		return q, nil
	}
	if q := s.overtake(); q != nil {
		return q, nil
	}
	return nil, err
}

// take makes q the request that is read.
func (s *span) take(q *request) {
	s.cur = q
	s.skip = s.off.Load() - q.info.Offset
	if s.end < 0 {
		s.end = q.info.Offset + q.want
	}
}

// fail keeps the outcome.
func (s *span) fail(err error) error {
	s.err = s.pin.fail(s.ctx, s.off.Load(), err)
	return s.err
}

// Read gives io.EOF when the whole stretch was given.
func (s *span) Read(p []byte) (int, error) {
	for {
		switch {
		case s.err != nil:
			return 0, s.err
		case s.done:
			return 0, io.EOF
		case s.fault != nil:
			s.recover()
			continue
		case s.cur == nil:
			if err := s.open(); err != nil {
				return 0, err
			}
		}
		dst := p
		if s.skip > 0 {
			dst = dst[:min(int64(len(dst)), s.skip)]
		}
		s.watch(s.cur)
		n, err := s.cur.Read(dst)
		s.unwatch()
		if s.skip > 0 {
			s.skip -= int64(n)
			n = 0
		}
		s.given(n)
		switch {
		case err == io.EOF:
			s.done = true
			s.forget()
		case err != nil:
			// What came before it is given first.
			s.cur, s.fault = nil, err
		default:
			s.compare()
			s.settle()
		}
		if n > 0 {
			return n, nil
		}
	}
}

// given counts n bytes.
func (s *span) given(n int) {
	if n == 0 {
		return
	}
	s.off.Add(int64(n))
	if s.since += int64(n); s.since >= progress {
		s.healer.succeeded()
	}
}

// settle drops a hedge that was sent for want of the bytes that came now.
func (s *span) settle() {
	if h := s.hedge.Load(); h == nil || !h.paused {
		return
	}
	if q := s.drop(); q != nil {
		s.cur.end(errPassed)
		s.take(q)
	}
}

// forget ends the hedge, whatever it has.
func (s *span) forget() {
	if q := s.drop(); q != nil {
		q.end(errPassed)
	}
}

// recover goes on with the hedge, or makes another request due.
func (s *span) recover() {
	err := s.fault
	s.fault = nil
	if q := s.overtake(); q != nil {
		s.take(q)
		return
	}
	s.since = 0
	if err := s.healer.heal(s.ctx, err, true); err != nil {
		s.fail(err)
	}
}

// close ends what is under way and waits for it.
func (s *span) close() {
	s.unwatch()
	s.forget()
	if s.cur != nil {
		s.cur.end(errClosed)
	}
	s.aside.Wait()
	s.cancel()
}
