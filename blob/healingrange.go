package blob

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// NOTE: how a healing range recovers from faults.
//
// A healingRange is a range of one version, read in order by one goroutine. At any
// time it reads one request, cur, which asks for all that is left:
//
//	├──────── delivered ────────┤ off ········· end
//	[cur, faulted ✕ [cur, for the rest ▒▒▒▒▒▒▒▒▒▒▒]
//
// A fault ends cur. After the retrier's wait another request is sent for the bytes
// from off on. Bytes that were delivered are never delivered twice.
//
// While the goroutine waits for a response or a piece of the body, hedgeTimer may find
// cur late and send a second request for the rest, the hedge:
//
//   - a response or a piece of cur drops a hedge that was sent because nothing came;
//   - the first bytes of the hedge cancel cur. The goroutine then reads the hedge as
//     cur, and skips the bytes that were delivered meanwhile.
//
// There is at most one hedge. Neither timer nor hedge outlives the range: close waits
// for both.

// healingRange reads a range of one version in order, over any number of requests.
type healingRange struct {
	pin     *pin
	ctx     context.Context
	cancel  context.CancelFunc // ends what is under way
	off     atomic.Int64       // the next byte; set by the reading goroutine only
	asked   int64              // requests ask up to here; -1: the object's end
	end     int64              // the range ends here; -1 before the first response
	cur     *request
	skip    int64 // bytes of cur that were delivered already
	retrier retrier
	since   int64 // bytes delivered since the last fault
	fault   error // of the last request, to be retried
	done    bool
	err     error // the outcome, if it is not the end

	hedgeAfter time.Duration           // after which cur is late
	hedgeTimer *time.Timer             // nil before the first wait
	armed      bool                    // hedgeTimer may run
	racing     atomic.Pointer[request] // the request that hedgeTimer watches
	hedge      atomic.Pointer[hedge]
	background sync.WaitGroup // sendHedge and the hedge
}

// newHealingRange returns a range of length bytes from offset on, -1 for all. Nothing
// is sent yet.
func newHealingRange(ctx context.Context, p *pin, offset, length int64) *healingRange {
	r := &healingRange{pin: p, asked: -1, end: -1, retrier: p.store.retrier("read", p.key)}
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.off.Store(offset)
	if length >= 0 {
		r.asked = offset + length
	}
	return r
}

// open sends requests for what is left until one is answered or none may follow.
func (r *healingRange) open() error {
	if r.retrier.failures == 0 {
		r.pin.store.retryBudget.refill()
		r.pin.store.hedgeBudget.refill()
	}
	for {
		q, err := r.send()
		if err == nil {
			r.use(q)
			return nil
		}
		if err := r.retrier.retry(r.ctx, err, false); err != nil {
			return r.fail(err)
		}
	}
}

// send sends one request for what is left, and perhaps a hedge of it.
func (r *healingRange) send() (*request, error) {
	info := Request{Offset: r.off.Load(), Asked: -1, Attempt: r.retrier.failures + 1}
	if r.asked >= 0 {
		info.Asked = r.asked - info.Offset
	}
	r.hedgeAfter = r.pin.store.latency.lateAfter()
	q, err := r.pin.send(r.ctx, info, r.pin.store.firstByteTimeout(r.retrier.stalls), r.armHedge)
	r.disarmHedge()
	r.hedgeAfter = max(r.hedgeAfter, slowFloor)
	if err == nil {
		if h := r.dropHedge(); h != nil {
			q.end(errPassed)
			q = h
		}
		return q, nil
	}
	if q := r.awaitHedge(); q != nil {
		return q, nil
	}
	return nil, err
}

// use makes q the request that is read.
func (r *healingRange) use(q *request) {
	r.cur = q
	r.skip = r.off.Load() - q.info.Offset
	if r.end < 0 {
		r.end = q.info.Offset + q.want
	}
}

// fail keeps the outcome.
func (r *healingRange) fail(err error) error {
	r.err = r.pin.fail(r.ctx, r.off.Load(), err)
	return r.err
}

// Read returns io.EOF when the whole range was delivered.
func (r *healingRange) Read(p []byte) (int, error) {
	for {
		switch {
		case r.err != nil:
			return 0, r.err
		case r.done:
			return 0, io.EOF
		case r.fault != nil:
			r.resume()
			continue
		case r.cur == nil:
			if err := r.open(); err != nil {
				return 0, err
			}
		}
		dst := p
		if r.skip > 0 {
			dst = dst[:min(int64(len(dst)), r.skip)]
		}
		r.armHedge(r.cur)
		n, err := r.cur.Read(dst)
		r.disarmHedge()
		if r.skip > 0 {
			r.skip -= int64(n)
			n = 0
		}
		r.delivered(n)
		switch {
		case err == io.EOF:
			r.done = true
			r.endHedge()
		case err != nil:
			// What came before it is delivered first.
			r.cur, r.fault = nil, err
		default:
			r.hedgeIfSlow()
			r.dropPausedHedge()
		}
		if n > 0 {
			return n, nil
		}
	}
}

// delivered counts n bytes.
func (r *healingRange) delivered(n int) {
	if n == 0 {
		return
	}
	r.off.Add(int64(n))
	if r.since += int64(n); r.since >= progress {
		r.retrier.reset()
	}
}

// dropPausedHedge drops a hedge that was sent since nothing came: now something did.
func (r *healingRange) dropPausedHedge() {
	if h := r.hedge.Load(); h == nil || !h.paused {
		return
	}
	if q := r.dropHedge(); q != nil {
		r.cur.end(errPassed)
		r.use(q)
	}
}

// endHedge ends the hedge, whether or not it has answered.
func (r *healingRange) endHedge() {
	if q := r.dropHedge(); q != nil {
		q.end(errPassed)
	}
}

// resume continues with the hedge, or waits until another request is due.
func (r *healingRange) resume() {
	err := r.fault
	r.fault = nil
	if q := r.awaitHedge(); q != nil {
		r.use(q)
		return
	}
	r.since = 0
	if err := r.retrier.retry(r.ctx, err, true); err != nil {
		r.fail(err)
	}
}

// close ends what is under way and waits for it.
func (r *healingRange) close() {
	r.disarmHedge()
	r.endHedge()
	if r.cur != nil {
		r.cur.end(errClosed)
	}
	r.background.Wait()
	r.cancel()
}
