package stream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/thaw-go/thaw/codec"
)

// budget shares Memory among lanes.
//
//	total = floors of the lanes + what claims hold + what was tried for + free
//
// Three ways lead to memory. A lane's floor is acquired when it starts and is
// enough to go on with ordinary objects. Read-ahead and retained batches only
// try, and leave a reserve untouched. A window or a spill buffer is a need: it is
// granted when afterwards the claims that hold memory could still finish their
// objects in some order with what is free; otherwise the lane waits. So the lanes that hold
// memory can never all wait for each other: the banker's rule, with the figures
// that the objects' headers gave.
type budget struct {
	mu      sync.Mutex
	total   int64
	reserve int64 // what try leaves free: the largest window and spill
	used    int64
	floors  int64 // among used: what lanes have for themselves
	peak    int64
	claims  map[*claim]struct{}
	waiting []*need
	wanting int           // needs that are waiting or about to: nothing is kept for reuse then
	evict   []func() bool // each frees something kept for reuse, or says false
}

// claim is what one lane holds beyond its floor.
type claim struct {
	b    *budget
	held int64
	rest int64 // most that its object may still need once its window is held
}

// need is a claim's unmet wish.
type need struct {
	c       *claim // nil for a floor
	n, rest int64
	granted chan struct{}
}

func newBudget(total, reserve int64) *budget {
	return &budget{total: total, reserve: reserve, claims: map[*claim]struct{}{}}
}

// TryAcquire takes n bytes if the reserve stays free. It implements blob.Budget.
func (b *budget) TryAcquire(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 || b.total-b.used-n < b.reserve {
		return false
	}
	b.take(n)
	return true
}

// Release gives n bytes back. It implements blob.Budget.
func (b *budget) Release(n int64) {
	b.mu.Lock()
	b.used -= n
	b.grant()
	b.mu.Unlock()
}

func (b *budget) take(n int64) {
	b.used += n
	b.peak = max(b.peak, b.used)
}

// wanted says whether anybody waits for memory.
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

// claim opens a claim whose object may need up to rest bytes beside its window.
func (b *budget) claim(rest int64) *claim {
	c := &claim{b: b, rest: rest}
	b.mu.Lock()
	b.claims[c] = struct{}{}
	b.mu.Unlock()
	return c
}

// safe says whether a grant of n to c leaves some claim able to finish. rest is
// what c may still need afterwards. Floors must leave room for the reserve, since
// they are held for as long as a job runs.
func (b *budget) safe(c *claim, n, rest int64) bool {
	free := b.total - b.used - n
	if free < 0 {
		return false
	}
	if c == nil {
		return b.floors+n+b.reserve <= b.total
	}
	if rest <= free {
		// c finishes first and gives back all that it holds: the rest is as
		// safe as it was before.
		return true
	}
	return b.orderExists(c, n, rest, free)
}

// orderExists says whether the holders can finish one behind the other when c
// holds n more and may need rest: each with what is free by then.
func (b *budget) orderExists(c *claim, n, rest, free int64) bool {
	type holder struct{ held, rest int64 }
	holders := []holder{{c.held + n, rest}}
	for o := range b.claims {
		if o != c && o.held > 0 {
			holders = append(holders, holder{o.held, o.rest})
		}
	}
	slices.SortFunc(holders, func(a, b holder) int { return cmp.Compare(a.rest, b.rest) })
	for _, h := range holders {
		if h.rest > free {
			return false
		}
		free += h.held
	}
	return true
}

// grant serves waiting needs that have become safe, first come first served
// among those that are.
func (b *budget) grant() {
	for i := 0; i < len(b.waiting); {
		w := b.waiting[i]
		if !b.safe(w.c, w.n, w.rest) {
			i++
			continue
		}
		b.give(w)
		b.wanting--
		b.waiting = slices.Delete(b.waiting, i, i+1)
		close(w.granted)
	}
}

func (b *budget) give(w *need) {
	b.take(w.n)
	if w.c == nil {
		b.floors += w.n
		return
	}
	w.c.held += w.n
	w.c.rest = w.rest
}

// tryFloors takes the floors of up to n lanes and tells of how many.
func (b *budget) tryFloors(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; n > 0 && !b.safe(nil, int64(n)*laneFloor, 0); n-- {
	}
	b.give(&need{n: int64(n) * laneFloor})
	return n
}

// acquireFloor waits for the floor of one lane.
func (b *budget) acquireFloor(ctx context.Context) error {
	b.mu.Lock()
	return b.await(ctx, &need{n: laneFloor, granted: make(chan struct{})})
}

// releaseFloors gives the floors of n lanes back.
func (b *budget) releaseFloors(n int) {
	b.mu.Lock()
	b.used -= int64(n) * laneFloor
	b.floors -= int64(n) * laneFloor
	b.grant()
	b.mu.Unlock()
}

// await serves a need, waiting until that is safe or ctx ends. The lock is held
// when it is called, and released.
func (b *budget) await(ctx context.Context, w *need) error {
	b.wanting++
	for {
		if b.safe(w.c, w.n, w.rest) {
			b.give(w)
			b.wanting--
			b.mu.Unlock()
			return nil
		}
		if !b.evictOne() {
			break
		}
	}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, w); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.wanting--
	} else {
		b.used -= w.n
		if w.c == nil {
			b.floors -= w.n
		} else {
			w.c.held -= w.n
		}
		b.grant()
	}
	return context.Cause(ctx)
}

// acquire takes n bytes for c, after which c's object may need up to rest more.
// It waits until that is safe or ctx ends.
func (c *claim) acquire(ctx context.Context, n, rest int64) error {
	b := c.b
	w := &need{c: c, n: n, rest: rest, granted: make(chan struct{})}
	b.mu.Lock()
	if n == 0 && c.held == 0 {
		c.rest = rest // nothing is held that others could wait for
		b.mu.Unlock()
		return nil
	}
	if n+rest > b.total {
		b.mu.Unlock()
		return &codec.LimitError{What: "memory", Needed: n + rest, Allowed: b.total}
	}
	return b.await(ctx, w)
}

// evictOne frees something kept for reuse. The lock is released meanwhile, since
// what is freed calls Release.
func (b *budget) evictOne() bool {
	for _, f := range b.evict {
		b.mu.Unlock()
		ok := f()
		b.mu.Lock()
		if ok {
			return true
		}
	}
	return false
}

// release gives n bytes of the claim back.
func (c *claim) release(n int64) {
	c.b.mu.Lock()
	c.held -= n
	c.b.used -= n
	c.b.grant()
	c.b.mu.Unlock()
}

// try is acquire without waiting.
func (c *claim) try(n, rest int64) bool {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	if !c.b.safe(c, n, rest) {
		return false
	}
	c.b.give(&need{c: c, n: n, rest: rest})
	return true
}

// transfer takes n bytes out of the claim without giving them back: they now
// belong to something kept for reuse.
func (c *claim) transfer(n int64) {
	c.b.mu.Lock()
	c.held -= n
	c.b.mu.Unlock()
}

// close gives back all that the claim holds.
func (c *claim) close() {
	c.b.mu.Lock()
	c.b.used -= c.held
	c.held = 0
	delete(c.b.claims, c)
	c.b.grant()
	c.b.mu.Unlock()
}

// floorError says what would be enough.
func floorError(memory, floor int64) error {
	return fmt.Errorf("stream: Memory of %d bytes is below the floor of %d bytes for one lane: %w",
		memory, floor, codec.ErrLimit)
}
