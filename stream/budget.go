package stream

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// budget shares Memory among lanes.
//
//	total = floors + ahead + retained + kept + what claims hold + free
//
// Three ways lead to memory. A lane's floor is acquired when the lane starts and
// is enough for ordinary objects. Read-ahead and retained batches only try, and
// leave a reserve untouched. A window or a spill buffer is a need: it waits until
// it can be granted.
//
// Every grant keeps two rules. Floors and retained batches leave room for the
// ceiling, which is the most that one claim may come to hold: they stay for as
// long as a job or a sink likes. And there is an order in which all claims that
// hold memory can finish their objects, each with what is free and what those
// before it returned: the banker's rule. Read-ahead and decoders kept for reuse
// count as free, since they can be had back. So the lanes that hold memory never
// all wait for each other, and nobody who waits waits for something that others
// keep.
//
// What an object may still need is announced when it is opened: a spill, and what
// windows of later headers may take. A later need comes out of that. Few objects
// need what they announce. One that could be opened but for that is opened
// loosely: nothing is promised to it, and the rule counts what it holds as free
// one day, since it never waits while it holds anything. Should it need more, it
// announces itself like the others, or returns what it holds, waits, and reads the
// object again up to where it was.
type budget struct {
	mu       sync.Mutex
	total    int64
	base     int64 // least of reserve and ceiling
	reserve  int64 // what tries leave to claims: the largest window and spill
	ceiling  int64 // what floors and retained batches leave to claims
	used     int64
	floors   map[*floor]struct{} // among used: what lanes have for themselves
	ahead    int64               // among used: read-ahead, which can be had back
	retained int64               // among used: retained batches
	kept     int64               // among used: decoders for reuse
	loose    int64               // among used: what loose claims hold
	peak     int64
	claims   map[*claim]struct{}
	order    []*claim // scratch of finishable
	waiting  []*need  // oldest first
	wanting  int      // needs that are waiting or about to: nothing is kept for reuse then
	nested   int      // among waiting: those in a sink of a lane of this budget

	evict   []func() bool            // each frees something kept for reuse, or returns false
	reclaim func(idle time.Duration) // has readers that were idle as long drop their read-ahead
	ticker  *time.Timer              // of reclaim
}

// need is an unmet wish for memory.
type need struct {
	c       *claim // nil for a floor
	f       *floor // the floor asked for, or that of c; nil for a claim without
	n, rest int64
	granted chan struct{} // closed when it is granted or refused
	err     error         // why it is refused

	loosely bool  // it may be granted without a promise
	spare   int64 // if that much is free beside it
	noWait  bool  // it waits only for what can be had back

	turn turn
}

func newBudget(total, reserve int64) *budget {
	return &budget{
		total: total, base: reserve, reserve: reserve, ceiling: reserve,
		floors: map[*floor]struct{}{}, claims: map[*claim]struct{}{},
	}
}

// TryAcquire takes n bytes of read-ahead if the reserve stays free, up to half of
// the total with what is retained. It implements blob.Budget.
func (b *budget) TryAcquire(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.canTry(n) {
		return false
	}
	b.ahead += n
	b.take(n)
	return true
}

func (b *budget) canTry(n int64) bool {
	return len(b.waiting) == 0 && b.total-b.used-n >= b.reserve && b.ahead+b.retained+n <= b.total/2
}

// Release returns n bytes of TryAcquire. It implements blob.Budget.
func (b *budget) Release(n int64) { b.release(&b.ahead, n) }

// tryRetain takes n bytes of a batch, up to a quarter of the total in all.
func (b *budget) tryRetain(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.canTry(n) || b.retained+n > b.total/4 || b.fixed()+n+b.ceiling > b.total {
		return false
	}
	b.retained += n
	b.take(n)
	return true
}

func (b *budget) releaseRetained(n int64) { b.release(&b.retained, n) }

// releaseKept returns n bytes of a decoder that was kept for reuse.
func (b *budget) releaseKept(n int64) { b.release(&b.kept, n) }

func (b *budget) release(of *int64, n int64) {
	b.mu.Lock()
	*of -= n
	b.used -= n
	b.grant()
	b.mu.Unlock()
}

func (b *budget) take(n int64) {
	b.used += n
	b.peak = max(b.peak, b.used)
}

// fixed is what no wait returns: floors and retained batches.
func (b *budget) fixed() int64 { return int64(len(b.floors))*laneFloor + b.retained }

// wanted reports whether anybody waits for memory.
func (b *budget) wanted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wanting > 0
}

func (b *budget) peakUsed() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.peak
}

// safe reports whether a grant of w keeps the rules, if free bytes were free.
func (b *budget) safe(w *need, free int64) bool {
	free -= w.n
	if free < 0 {
		return false
	}
	later := b.total - b.used - w.n + b.ahead + b.kept
	if w.c == nil {
		return b.fits(w) && b.finishable(later+b.loose)
	}
	c := w.c
	before, loose := *c, b.loose
	b.settle(c)
	c.held, c.rest = c.held+w.n, w.rest
	ok := b.finishable(later + b.loose)
	*c, b.loose = before, loose
	return ok
}

// finishable reports whether there is an order in which all holders finish. The
// one that needs least goes first.
func (b *budget) finishable(free int64) bool {
	b.order = b.order[:0]
	for c := range b.claims {
		if c.held > 0 && !c.loose {
			b.order = append(b.order, c)
		}
	}
	slices.SortFunc(b.order, func(x, y *claim) int { return cmp.Compare(x.rest, y.rest) })
	for _, c := range b.order {
		if c.rest > free {
			return false
		}
		free += c.held
	}
	return true
}

// grant serves waiting needs that have become safe, first come first served
// among those that are. One that is served may have kept those before it waiting.
func (b *budget) grant() {
	for i := 0; i < len(b.waiting); i++ {
		switch w := b.waiting[i]; {
		case b.serve(w):
			b.leave(i, nil)
			i = -1
		case w.noWait && !b.reclaimable(w):
			b.leave(i, ErrPoolBusy)
			i = -1
		}
	}
	b.refuseStuck()
}

// leave ends the wait of waiting need i.
func (b *budget) leave(i int, err error) {
	w := b.waiting[i]
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.wanting--
	b.mark(w, -1)
	w.turn.end()
	w.err = err
	close(w.granted)
}

// serve grants a need if that is safe and nobody has a turn before it, or if it
// asks for no promise and nobody waits who was promised something.
func (b *budget) serve(w *need) bool {
	free := b.total - b.used
	if !b.mayPass(w) {
		return false
	}
	if b.safe(w, free) {
		b.give(w)
		b.passed(w)
		return true
	}
	pressing := func(w *need) bool { return w.c != nil && !w.loosely }
	if !w.loosely || w.n == 0 || free-w.n < w.spare || slices.ContainsFunc(b.waiting, pressing) {
		return false
	}
	b.give(w)
	w.c.loose = true
	b.loose += w.c.held
	b.passed(w)
	return true
}

func (b *budget) give(w *need) {
	b.take(w.n)
	if w.c == nil {
		b.enter(w.f)
		return
	}
	b.settle(w.c)
	w.c.held += w.n
	w.c.rest = w.rest
}

// await serves a need, waiting until that is safe or ctx ends. The lock is held
// when it is called, and released.
func (b *budget) await(ctx context.Context, w *need) error {
	if b.serveOrEvict(w) {
		b.mu.Unlock()
		return nil
	}
	if w.noWait && !b.reclaimable(w) {
		b.mu.Unlock()
		return ErrPoolBusy
	}
	w.granted = make(chan struct{})
	b.wanting++
	b.waiting = append(b.waiting, w)
	b.mark(w, 1)
	b.grant() // something may have come free while evictOne had no lock
	b.tick(w)
	b.mu.Unlock()
	select {
	case <-w.granted:
		return w.err
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch i := slices.Index(b.waiting, w); {
	case i >= 0:
		b.leave(i, nil)
	case w.err == nil:
		b.used -= w.n
		if w.c == nil {
			b.exit(w.f)
		} else {
			w.c.drop(w.n)
		}
	}
	b.grant() // w may have been what others waited for
	return ended(ctx)
}

// serveOrEvict serves a need, if need be by freeing what is kept for reuse.
func (b *budget) serveOrEvict(w *need) bool {
	b.wanting++
	defer func() { b.wanting-- }()
	for !b.serve(w) {
		if !b.evictOne() {
			return false
		}
	}
	return true
}

// evictOne frees something kept for reuse. The lock is released meanwhile, since
// what is freed calls releaseKept.
func (b *budget) evictOne() bool {
	for _, f := range b.evict {
		if b.unlocked(f) {
			return true
		}
	}
	return false
}

func (b *budget) unlocked(f func() bool) bool {
	b.mu.Unlock()
	defer b.mu.Lock()
	return f()
}
