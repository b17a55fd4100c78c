package memory

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Budget shares a fixed amount of memory among lanes. It is safe for concurrent
// use. All amounts are in bytes.
type Budget struct {
	total, floor int64
	evictOne     func() bool
	reclaim      func(idle time.Duration)

	mu      sync.Mutex
	reserve int64 // what tries leave to accounts: the largest window and spill
	limit   int64 // what floors and retained batches leave to accounts
	usage
	lanes    map[*Lane]struct{} // each holds its floor, among used
	accounts map[*Account]struct{}
	order    []*Account // scratch of finishable

	queue   []*waiter // oldest first
	wanting int       // waiters in the queue or about to join it: nothing is kept for reuse then
	nested  int       // among the queue: those in a sink of a lane of this budget
	ticker  *time.Timer
}

// usage is what is granted.
type usage struct {
	used       int64 // all of it
	readAhead  int64 // among used: bytes fetched ahead, which can be had back
	retained   int64 // among used: retained batches
	kept       int64 // among used: decoders for reuse
	optimistic int64 // among used: what optimistic accounts hold
	peak       int64 // the most that was used at once
}

// Options configures a Budget.
type Options struct {
	// Total is the memory to share.
	Total int64

	// Floor is what each lane holds from its start to its end.
	Floor int64

	// Evict frees something that is kept for reuse, with ReleaseKept, and reports
	// whether there was any. It is called without locks. Nil means that nothing is
	// kept.
	Evict func() bool

	// Reclaim asks readers to release their read-ahead: those that nobody has read
	// from for idle, and all of them where idle is 0. It is called without locks.
	// Nil means that read-ahead stays until it is released.
	Reclaim func(idle time.Duration)
}

var (
	// ErrBusy is returned for memory that must not be waited for: that of a lane
	// with NoWait, or memory held by lanes that wait for the caller themselves.
	ErrBusy = errors.New("the memory of the Pool is in use")

	// ErrSuspend is returned to an object that must release what it holds before
	// it can wait for more.
	ErrSuspend = errors.New("no memory is free")
)

// LimitError is returned for a reservation that no wait can satisfy.
type LimitError struct {
	Needed  int64 // what the account would hold
	Allowed int64 // the most that it may hold
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("memory: %d bytes needed, %d allowed", e.Needed, e.Allowed)
}

// New returns a Budget of which nothing is used.
func New(o Options) *Budget {
	return &Budget{
		total: o.Total, floor: o.Floor, evictOne: o.Evict, reclaim: o.Reclaim,
		lanes: map[*Lane]struct{}{}, accounts: map[*Account]struct{}{},
	}
}

// TryAcquire takes n bytes of read-ahead if the reserve stays free, up to half of
// the total with what is retained. It implements blob.Budget.
func (b *Budget) TryAcquire(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.canTry(n) {
		return false
	}
	b.readAhead += n
	b.charge(n)
	return true
}

func (b *Budget) canTry(n int64) bool {
	return len(b.queue) == 0 && b.free()-n >= b.reserve && b.readAhead+b.retained+n <= b.total/2
}

// Release returns n bytes of TryAcquire. It implements blob.Budget.
func (b *Budget) Release(n int64) { b.release(&b.readAhead, n) }

// TryRetain takes n bytes of a retained batch, up to a quarter of the total in all.
func (b *Budget) TryRetain(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.canTry(n) || b.retained+n > b.total/4 || b.fixed()+n+b.limit > b.total {
		return false
	}
	b.retained += n
	b.charge(n)
	return true
}

// ReleaseRetained returns n bytes of TryRetain.
func (b *Budget) ReleaseRetained(n int64) { b.release(&b.retained, n) }

// ReleaseKept returns n bytes that an Account handed over with Keep.
func (b *Budget) ReleaseKept(n int64) { b.release(&b.kept, n) }

func (b *Budget) release(of *int64, n int64) {
	b.mu.Lock()
	*of -= n
	b.used -= n
	b.serveQueue()
	b.mu.Unlock()
}

func (b *Budget) charge(n int64) {
	b.used += n
	b.peak = max(b.peak, b.used)
}

func (b *Budget) free() int64 { return b.total - b.used }

// fixed is what no wait returns: floors and retained batches.
func (b *Budget) fixed() int64 { return int64(len(b.lanes))*b.floor + b.retained }

// Wanted reports whether anybody waits for memory.
func (b *Budget) Wanted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wanting > 0
}

// InUse returns what is granted, without what is kept for reuse.
func (b *Budget) InUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used - b.kept
}

// Peak returns the most that was granted at once.
func (b *Budget) Peak() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.peak
}

// Accounts returns how many accounts are open.
func (b *Budget) Accounts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.accounts)
}
