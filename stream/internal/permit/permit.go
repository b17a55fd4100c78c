// Package permit bounds the goroutines that work at once, where work is interrupted
// by calls that may block.
package permit

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// Set bounds the goroutines that decode, frame or parse at once.
//
// A permit is kept over many slabs, since handing one over costs more than a
// slab's work. Before its holder may block it lends the permit; if the call was
// short it reclaims it at the price of a mutex, and if it took longer than
// lendTime a waiter takes the permit over and the holder must acquire one again.
type Set struct {
	mu      sync.Mutex
	n, free int
	lent    []*Permit // oldest first
	waiting []*Permit
	timer   *time.Timer // runs while permits are both lent and waited for
}

// Permit is one goroutine's place. It belongs to that goroutine.
type Permit struct {
	ps     *Set
	state  state     // guarded by ps.mu
	since  time.Time // when it was lent
	ready  chan struct{}
	worked int64 // bytes done since it was acquired
}

type state uint8

const (
	none state = iota
	held
	lent
	waits
)

const (
	// lendTime is how long a blocked holder keeps its permit from waiters:
	// long beside a page-cache read, short beside a network round trip.
	lendTime = time.Millisecond

	// turnBytes is how many decoded bytes a holder may do before waiters
	// have their turn.
	turnBytes = 4 << 20
)

// New returns a Set of n permits.
func New(n int) *Set { return &Set{n: n, free: n} }

// Held returns how many permits are not free.
func (ps *Set) Held() int {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.n - ps.free
}

// Idle reports whether a permit is free.
func (ps *Set) Idle() bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.free > 0
}

// Permit returns a place that holds nothing yet.
func (ps *Set) Permit() *Permit {
	return &Permit{ps: ps, ready: make(chan struct{}, 1)}
}

// Resume takes the permit without waiting, and reports whether p is held: it still was,
// it was lent and nobody took it over, or one is free.
func (p *Permit) Resume() bool {
	ps := p.ps
	ps.mu.Lock()
	defer ps.mu.Unlock()
	switch {
	case p.state == held:
	case p.state == lent:
		ps.lent = slices.DeleteFunc(ps.lent, func(o *Permit) bool { return o == p })
		p.state = held
	case ps.free > 0:
		ps.free--
		p.state, p.worked = held, 0
	default:
		return false
	}
	return true
}

// Wait blocks until p is held or ctx ends, and returns why it ended. It is called after Resume returned false.
func (p *Permit) Wait(ctx context.Context) error {
	ps := p.ps
	ps.mu.Lock()
	p.state = waits
	ps.waiting = append(ps.waiting, p)
	ps.serve()
	ps.mu.Unlock()
	select {
	case <-p.ready:
		return nil
	case <-ctx.Done():
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p.state == waits {
		ps.waiting = slices.DeleteFunc(ps.waiting, func(o *Permit) bool { return o == p })
		p.state = none
	} else {
		<-p.ready
		ps.free++
		p.state = none
		ps.serve()
	}
	return ctxerr.Of(ctx)
}

// Lend is called at now, before the holder may block. A waiter may take the permit
// over once the call has taken lendTime.
func (p *Permit) Lend(now time.Time) {
	p.ps.mu.Lock()
	defer p.ps.mu.Unlock()
	if p.state != held {
		return
	}
	p.state, p.since = lent, now
	p.ps.lent = append(p.ps.lent, p)
	p.ps.arm()
}

// Release returns the permit. A Permit that is not held is left as it is.
func (p *Permit) Release() {
	ps := p.ps
	ps.mu.Lock()
	defer ps.mu.Unlock()
	switch p.state {
	case lent:
		ps.lent = slices.DeleteFunc(ps.lent, func(o *Permit) bool { return o == p })
		fallthrough
	case held:
		p.state = none
		ps.free++
		ps.serve()
	}
}

// Did counts n decoded bytes, and releases the permit when others wait and the turn
// is over.
func (p *Permit) Did(n int64) { p.DidOf(n, turnBytes) }

// DidOf is Did for turns of so many bytes.
func (p *Permit) DidOf(n, turn int64) {
	p.worked += n
	if p.worked < turn {
		return
	}
	p.worked = 0
	p.ps.mu.Lock()
	others := len(p.ps.waiting) > 0
	p.ps.mu.Unlock()
	if others {
		p.Release()
	}
}

// Yield releases the permit if others wait for one.
func (p *Permit) Yield() {
	p.DidOf(0, 0)
}

// serve hands free and overdue permits to waiters. ps.mu is held.
func (ps *Set) serve() {
	for len(ps.waiting) > 0 {
		switch {
		case ps.free > 0:
			ps.free--
		case len(ps.lent) > 0 && time.Since(ps.lent[0].since) >= lendTime:
			ps.lent[0].state = none
			ps.lent = slices.Delete(ps.lent, 0, 1)
		default:
			ps.arm()
			return
		}
		w := ps.waiting[0]
		ps.waiting = slices.Delete(ps.waiting, 0, 1)
		w.state, w.worked = held, 0
		w.ready <- struct{}{}
	}
}

// arm runs serve again when the oldest lent permit is overdue. ps.mu is held.
func (ps *Set) arm() {
	if len(ps.waiting) == 0 || len(ps.lent) == 0 {
		return
	}
	d := lendTime - time.Since(ps.lent[0].since)
	if ps.timer == nil {
		ps.timer = time.AfterFunc(d, func() {
			ps.mu.Lock()
			ps.serve()
			ps.mu.Unlock()
		})
		return
	}
	ps.timer.Reset(d)
}
