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
//	total = floors + tried + kept + what claims hold + free
//
// Three ways lead to memory. A lane's floor is acquired when it starts and is
// enough to go on with ordinary objects. Read-ahead and retained batches only
// try, and leave a reserve untouched; floors leave it free beside them. A window
// or a spill buffer is a need: it is granted when afterwards there is still an
// order in which all claims that hold memory can finish their objects, each with
// what is free and what those before it gave back; otherwise the lane waits. So
// the lanes that hold memory can never all wait for each other: the banker's
// rule. What an object may still need is announced when it is opened: a spill,
// and what windows of later headers may take. A later need comes out of that.
// Decoders kept for reuse are freed when someone waits.
//
// Few objects need what they announce. One that could be opened but for that is
// opened loosely: nothing is promised to it, and the rule counts what it holds as
// free one day, since it never waits while it holds anything. Should it need
// more, it announces itself like the others, or gives back what it holds, waits,
// and reads the object again up to where it was.
type budget struct {
	mu      sync.Mutex
	total   int64
	reserve int64 // what try and floors leave to claims: the largest window and spill
	used    int64
	floors  int64 // among used: what lanes have for themselves
	tried   int64 // among used: read-ahead and retained batches
	kept    int64 // among used: decoders for reuse
	loose   int64 // among used: what loose claims hold
	peak    int64
	claims  map[*claim]struct{}
	order   []*claim // scratch of safe
	waiting []*need
	wanting int           // needs that are waiting or about to: nothing is kept for reuse then
	evict   []func() bool // each frees something kept for reuse, or says false
}

// need is a claim's unmet wish.
type need struct {
	c       *claim // nil for a floor
	n, rest int64
	granted chan struct{}

	loosely bool  // it may be granted without a promise
	spare   int64 // if that much is free beside it
}

func newBudget(total, reserve int64) *budget {
	return &budget{total: total, reserve: reserve, claims: map[*claim]struct{}{}}
}

// TryAcquire takes n bytes if the reserve stays free, up to half of the total in
// all. It implements blob.Budget.
func (b *budget) TryAcquire(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 || b.total-b.used-n < b.reserve || b.tried+n > b.total/2 {
		return false
	}
	b.tried += n
	b.take(n)
	return true
}

// Release gives n bytes of TryAcquire back. It implements blob.Budget.
func (b *budget) Release(n int64) {
	b.mu.Lock()
	b.tried -= n
	b.used -= n
	b.grant()
	b.mu.Unlock()
}

// releaseKept gives n bytes of a decoder back that was kept for reuse.
func (b *budget) releaseKept(n int64) {
	b.mu.Lock()
	b.kept -= n
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

// most is what a claim can be sure to get one day, whatever others hold now.
func (b *budget) most() int64 { return max(b.reserve, b.total/2-b.floors) }

// safe says whether after a grant of n to c, whose object may then need rest more,
// all claims that hold memory can still finish. Floors must leave room for the
// reserve, since they are held for as long as a job runs.
func (b *budget) safe(c *claim, n, rest int64) bool {
	free := b.total - b.used - n
	if free < 0 {
		return false
	}
	if c == nil {
		return b.floors+n+b.tried+b.reserve <= b.total
	}
	before, loose := *c, b.loose
	b.settle(c)
	c.held, c.rest = c.held+n, rest
	ok := b.finishable(free + b.kept + b.loose)
	*c, b.loose = before, loose
	return ok
}

// finishable says whether there is an order in which all holders finish. The one
// that needs least goes first.
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
		if w := b.waiting[i]; b.serve(w) {
			b.wanting--
			b.waiting = slices.Delete(b.waiting, i, i+1)
			close(w.granted)
			i = -1
		}
	}
}

// serve grants a need if that is safe, or if it asks for no promise and nobody
// waits who was promised something.
func (b *budget) serve(w *need) bool {
	if b.safe(w.c, w.n, w.rest) {
		b.give(w)
		return true
	}
	pressing := func(w *need) bool { return w.c != nil && !w.loosely }
	if !w.loosely || w.n == 0 || b.total-b.used-w.n < w.spare || slices.ContainsFunc(b.waiting, pressing) {
		return false
	}
	b.give(w)
	w.c.loose = true
	b.loose += w.c.held
	return true
}

func (b *budget) give(w *need) {
	b.take(w.n)
	if w.c == nil {
		b.floors += w.n
		return
	}
	b.settle(w.c)
	w.c.held += w.n
	w.c.rest = w.rest
}

// tryFloors takes the floors of up to n lanes and tells of how many.
func (b *budget) tryFloors(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n > 0 && !b.safe(nil, int64(n)*laneFloor, 0) {
		if b.used+int64(n)*laneFloor <= b.total || !b.evictOne() {
			n--
		}
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
		if b.serve(w) {
			b.wanting--
			b.mu.Unlock()
			return nil
		}
		if !b.evictOne() {
			break
		}
	}
	b.waiting = append(b.waiting, w)
	b.grant() // something may have come free while evictOne had no lock
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
			w.c.drop(w.n)
		}
	}
	b.grant() // w may have been what others waited for
	return ended(ctx)
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

// floorError says what would be enough.
func floorError(memory, floor int64) error {
	return fmt.Errorf("stream: Memory of %d bytes is below the floor of %d bytes for one lane: %w",
		memory, floor, codec.ErrLimit)
}
