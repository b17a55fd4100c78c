package permit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func (p *Permit) get(ctx context.Context) error {
	if p.Resume() {
		return nil
	}
	return p.Wait(ctx)
}

// Never more than n hold a permit and work, whatever they do in between.
func TestPermitsBoundWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 3
		ps := New(n)
		var working, most atomic.Int64
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				p := ps.Permit()
				for k := range 20 {
					if err := p.get(t.Context()); err != nil {
						t.Error(err)
						return
					}
					now := working.Add(1)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					time.Sleep(time.Duration(1+(i+k)%3) * time.Millisecond)
					working.Add(-1)
					switch (i + k) % 4 {
					case 0:
						p.Did(turnBytes)
					case 1:
						p.Lend(time.Now())
						time.Sleep(100 * time.Microsecond)
					case 2:
						p.Lend(time.Now())
						time.Sleep(10 * time.Millisecond)
					case 3:
						p.Release()
					}
				}
				p.Release()
			})
		}
		wg.Wait()
		if most.Load() != n {
			t.Errorf("%d worked at once, want at most and at times %d", most.Load(), n)
		}
		if ps.free != n || len(ps.lent) != 0 || len(ps.waiting) != 0 {
			t.Errorf("at the end %d free, %d lent, %d waiting", ps.free, len(ps.lent), len(ps.waiting))
		}
	})
}

// A lent permit is the holder's for a millisecond, and a waiter's afterwards.
func TestPermitIsLentForAWhile(t *testing.T) {
	for _, tt := range []struct {
		blocked time.Duration
		kept    bool
	}{{lendTime - 1, true}, {lendTime + 1, false}} {
		synctest.Test(t, func(t *testing.T) {
			ps := New(1)
			a, b := ps.Permit(), ps.Permit()
			a.get(t.Context())
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := b.get(t.Context()); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
				b.Release()
			})
			synctest.Wait()
			a.Lend(time.Now())
			time.Sleep(tt.blocked)
			if got := a.Resume(); got != tt.kept {
				t.Errorf("after %v: resumed %v, want %v", tt.blocked, got, tt.kept)
			}
			a.Release()
			wg.Wait()
			a.Release()
		})
	}
}

// Waiters are served in order, and one that gives up takes no permit with it.
func TestPermitOrderAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ps := New(1)
		holder := ps.Permit()
		holder.get(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		var order []int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				p := ps.Permit()
				c := t.Context()
				if i == 1 {
					c = ctx
				}
				if err := p.get(c); err != nil {
					if i != 1 || !errors.Is(err, context.Canceled) {
						t.Errorf("waiter %d: %v", i, err)
					}
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				p.Release()
			})
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		holder.Release()
		wg.Wait()
		if len(order) != 3 || order[0] != 0 || order[1] != 2 || order[2] != 3 {
			t.Errorf("served in order %v, want 0 2 3", order)
		}
		if ps.free != 1 {
			t.Errorf("%d free at the end", ps.free)
		}
	})
}
