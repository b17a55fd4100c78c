package stream

import (
	"context"
	"slices"
	"sync"
	"time"
)

// permits bounds the goroutines that decode, frame or parse at once.
//
// A permit is kept over many slabs, since handing one over costs more than a
// slab's work. Before its holder may block it lends the permit; if the call was
// short it reclaims it at the price of a mutex, and if it took longer than
// lendTime a waiter takes the permit over and the holder must acquire anew.
type permits struct {
	mu      sync.Mutex
	free    int
	lent    []*permit // oldest first
	waiting []*permit
	timer   *time.Timer // runs while permits are both lent and waited for
}

// permit is one goroutine's place. It belongs to that goroutine.
type permit struct {
	ps     *permits
	state  permitState // guarded by ps.mu
	since  time.Time   // when it was lent
	ready  chan struct{}
	worked int64 // bytes done since it was acquired
}

type permitState uint8

const (
	permitNone permitState = iota
	permitHeld
	permitLent
	permitWaits
)

const (
	// lendTime is how long a blocked holder keeps its permit from waiters:
	// long beside a page-cache read, short beside a network round trip.
	lendTime = time.Millisecond

	// permitWork is how many decoded bytes a holder may do before waiters
	// have their turn.
	permitWork = 4 << 20
)

func newPermits(n int) *permits { return &permits{free: n} }

func (ps *permits) permit() *permit {
	return &permit{ps: ps, ready: make(chan struct{}, 1)}
}

// resume makes p held without waiting, if it can: it still is, it was lent and
// nobody took it over, or one is free.
func (p *permit) resume() bool {
	ps := p.ps
	ps.mu.Lock()
	defer ps.mu.Unlock()
	switch {
	case p.state == permitHeld:
	case p.state == permitLent:
		ps.lent = slices.DeleteFunc(ps.lent, func(o *permit) bool { return o == p })
		p.state = permitHeld
	case ps.free > 0:
		ps.free--
		p.state, p.worked = permitHeld, 0
	default:
		return false
	}
	return true
}

// wait blocks until p is held or ctx ends. It is called after resume said false.
func (p *permit) wait(ctx context.Context) error {
	ps := p.ps
	ps.mu.Lock()
	p.state = permitWaits
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
	if p.state == permitWaits {
		ps.waiting = slices.DeleteFunc(ps.waiting, func(o *permit) bool { return o == p })
		p.state = permitNone
	} else {
		<-p.ready
		ps.free++
		p.state = permitNone
		ps.serve()
	}
	return ended(ctx)
}

// lend says that the holder may block now.
func (p *permit) lend(now time.Time) {
	p.ps.mu.Lock()
	defer p.ps.mu.Unlock()
	if p.state != permitHeld {
		return
	}
	p.state, p.since = permitLent, now
	p.ps.lent = append(p.ps.lent, p)
	p.ps.arm()
}

// release gives the permit up.
func (p *permit) release() {
	ps := p.ps
	ps.mu.Lock()
	defer ps.mu.Unlock()
	switch p.state {
	case permitLent:
		ps.lent = slices.DeleteFunc(ps.lent, func(o *permit) bool { return o == p })
		fallthrough
	case permitHeld:
		p.state = permitNone
		ps.free++
		ps.serve()
	}
}

// did counts work and gives the permit up when others wait and the turn is over.
func (p *permit) did(n int64) {
	p.worked += n
	if p.worked < permitWork {
		return
	}
	p.worked = 0
	p.ps.mu.Lock()
	others := len(p.ps.waiting) > 0
	p.ps.mu.Unlock()
	if others {
		p.release()
	}
}

// serve hands free and overdue permits to waiters. ps.mu is held.
func (ps *permits) serve() {
	for len(ps.waiting) > 0 {
		switch {
		case ps.free > 0:
			ps.free--
		case len(ps.lent) > 0 && time.Since(ps.lent[0].since) >= lendTime:
			ps.lent[0].state = permitNone
			ps.lent = slices.Delete(ps.lent, 0, 1)
		default:
			ps.arm()
			return
		}
		w := ps.waiting[0]
		ps.waiting = slices.Delete(ps.waiting, 0, 1)
		w.state, w.worked = permitHeld, 0
		w.ready <- struct{}{}
	}
}

// arm runs serve again when the oldest lent permit is overdue. ps.mu is held.
func (ps *permits) arm() {
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
