package stream

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// broken reports which rule of the budget does not hold, empty for none.
func (b *budget) broken() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var held, loose int64
	for c := range b.claims {
		held += c.held
		if c.loose {
			loose += c.held
		}
	}
	free := b.total - b.used
	switch {
	case free < 0:
		return "more is used than there is"
	case b.used != int64(len(b.floors))*laneFloor+b.ahead+b.retained+b.kept+held || loose != b.loose:
		return "the sums differ"
	case b.fixed()+b.ceiling > b.total:
		return "what stays leaves no room for the ceiling"
	case !b.finishable(free + b.ahead + b.kept + b.loose):
		return "the holders cannot finish one after the other"
	}
	return ""
}

// world is a budget with the jobs, Readers and sinks of one random schedule. Sizes
// are in eighths of a lane's floor.
type world struct {
	t   *testing.T
	b   *budget
	rng *rand.Rand // drawn from before goroutines start

	mu    sync.Mutex
	ahead int64 // read-ahead that slow readers keep until it is reclaimed
}

const eighth = laneFloor / 8

func newWorld(t *testing.T, seed uint64, total int64) *world {
	w := &world{t: t, b: newBudget(total, 0), rng: rand.New(rand.NewPCG(seed, 36))}
	w.b.reclaim = func(time.Duration) {
		w.mu.Lock()
		n := w.ahead
		w.ahead = 0
		w.mu.Unlock()
		if n > 0 {
			w.b.Release(n)
		}
	}
	return w
}

func (w *world) fetchAhead(n int64) {
	if w.b.TryAcquire(n) {
		w.mu.Lock()
		w.ahead += n
		w.mu.Unlock()
	}
}

func (w *world) check() {
	if rule := w.b.broken(); rule != "" {
		w.t.Error(rule)
	}
}

// plan is what one lane does with an object.
type plan struct {
	window, spill, room int64
	loosely, grows      bool
	pause               time.Duration
	ahead               int64
	inside              *plan // an object that its sink opens meanwhile
}

func (w *world) plan(ceiling int64, depth int) plan {
	part := func(of int64) int64 { return w.rng.Int64N(of/eighth+1) * eighth }
	p := plan{
		loosely: w.rng.IntN(3) > 0, grows: w.rng.IntN(2) == 0,
		pause: time.Duration(w.rng.IntN(5)) * time.Millisecond,
		ahead: w.rng.Int64N(8) * eighth,
	}
	if w.rng.IntN(3) > 0 {
		p.window = part(ceiling / 2)
	}
	p.spill = part((ceiling - p.window) / 2)
	p.room = part(ceiling - p.window - p.spill)
	if depth > 0 && w.rng.IntN(3) == 0 {
		in := w.plan(ceiling, depth-1)
		p.inside = &in
	}
	return p
}

// object takes what p says as a lane does, and returns all of it.
func (w *world) object(ctx context.Context, f *floor, p plan) error {
	c := w.b.claim(0)
	c.f = f
	defer c.close()
	if err := c.open(ctx, p.window, p.spill, p.room, p.loosely); err != nil {
		return err
	}
	left := p.spill + p.room
	more := func(n int64, take func() error) error {
		left -= n
		if c.try(n, 0) {
			return nil
		}
		if !c.loose {
			return take()
		}
		n += c.held
		c.release(c.held)
		return c.open(ctx, n, 0, left, false)
	}
	w.fetchAhead(p.ahead)
	time.Sleep(p.pause)
	if p.grows {
		if err := more(p.room, func() error { return c.grow(ctx, p.room) }); err != nil {
			return err
		}
		time.Sleep(p.pause)
		if err := more(p.spill, func() error { return c.acquire(ctx, p.spill, 0) }); err != nil {
			return err
		}
	}
	w.check()
	if p.inside != nil {
		in := f.inLane(ctx)
		if err := w.reader(in, &floor{reserve: f.reserve, ceiling: f.ceiling}, *p.inside); err != nil && !errors.Is(err, ErrPoolBusy) {
			return err
		}
	}
	time.Sleep(p.pause)
	return nil
}

// reader is an Open.
func (w *world) reader(ctx context.Context, like *floor, p plan) error {
	f := like.another()
	f.outer = w.b.laneOf(ctx)
	if err := w.b.acquireFloor(ctx, f, f.noWait); err != nil {
		return err
	}
	defer f.release()
	return w.object(ctx, f, p)
}

// job is a Backfill of the given objects on up to lanes lanes.
func (w *world) job(ctx context.Context, like *floor, lanes int, plans []plan) error {
	like = like.another()
	like.alone, like.inSink = true, func() bool { return true }
	fs := w.b.tryFloors(lanes, like)
	if len(fs) == 0 {
		f := like.another()
		if err := w.b.acquireFloor(ctx, f, false); err != nil {
			return err
		}
		fs = []*floor{f}
	}
	tasks := make(chan plan, len(plans))
	for _, p := range plans {
		tasks <- p
	}
	close(tasks)
	errs := make(chan error, len(fs))
	for _, f := range fs {
		go func() {
			defer f.release()
			for p := range tasks {
				if err := w.object(ctx, f, p); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	var all []error
	for range fs {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

// Jobs, Readers and sinks that open objects share a budget. Whatever they need and
// in whatever order, all of them finish, and nothing is kept.
func TestBudgetSchedules(t *testing.T) {
	seeds := uint64(4000)
	if testing.Short() {
		seeds = 600
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 73))
			total := (2 + rng.Int64N(14)) * laneFloor
			w := newWorld(t, seed, total)
			depth := rng.IntN(2)
			var all sync.WaitGroup
			for range 1 + rng.IntN(4) {
				like := &floor{ceiling: (1 + rng.Int64N(total/laneFloor-1)) * laneFloor}
				like.reserve = like.ceiling / (1 + rng.Int64N(3))
				lanes, delay := 1+rng.IntN(6), time.Duration(rng.IntN(10))*time.Millisecond
				var plans []plan
				for range 1 + rng.IntN(10) {
					plans = append(plans, w.plan(like.ceiling, depth))
				}
				isJob := rng.IntN(2) == 0
				all.Go(func() {
					ctx := within(t)
					time.Sleep(delay)
					if isJob {
						if err := w.job(ctx, like, lanes, plans); err != nil {
							t.Error(err)
						}
						return
					}
					for _, p := range plans {
						if err := w.reader(ctx, like, p); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			synctest.Wait()
			b := w.b
			w.b.reclaim(0)
			if b.used != 0 || b.loose != 0 || len(b.claims) != 0 || len(b.floors) != 0 || b.wanting != 0 || b.nested != 0 || b.peak > total {
				t.Errorf("at the end %d used, %d loose, %d claims, %d floors, %d wanting, %d nested, peak %d of %d",
					b.used, b.loose, len(b.claims), len(b.floors), b.wanting, b.nested, b.peak, total)
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A need is passed by so many newcomers at most, whatever they need, as long as
// they finish within its turn.
func TestBudgetPassesNobodyForEver(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 71))
			b := newBudget(64*laneFloor, 0)
			like := floor{ceiling: 48 * laneFloor, reserve: laneFloor}
			fs := b.tryFloors(16, &like)
			large := rng.IntN(300)
			var mu sync.Mutex
			next, listed, began := 0, -1, -1
			var order []int
			var all sync.WaitGroup
			for _, f := range fs {
				pause := time.Duration(1+rng.IntN(20)) * time.Millisecond
				all.Go(func() {
					for {
						mu.Lock()
						i := next
						next++
						if i == large {
							listed = len(order)
						}
						mu.Unlock()
						if i >= 400 {
							f.release()
							return
						}
						n := 5 * laneFloor / 2
						if i == large {
							n = 40 * laneFloor
						}
						c := b.claim(0)
						c.f = f
						if err := c.open(within(t), int64(n), laneFloor, 0, i%2 == 0); err != nil {
							t.Error(err)
						}
						mu.Lock()
						if order = append(order, i); i == large {
							began = len(order)
						}
						mu.Unlock()
						time.Sleep(pause)
						c.close()
					}
				})
			}
			all.Wait()
			if passed := began - listed; passed > mostPassed+len(fs) {
				t.Errorf("seed %d: the large object was listed after %d others and begun after %d", seed, listed, began)
			}
			if !slices.Contains(order, large) {
				t.Error("the large object was not begun")
			}
		})
	}
}

// A turn ends, since whom it keeps waiting may be what a holder waits for.
func TestBudgetTurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100*laneFloor, 90*laneFloor)
		holder := b.claim(0)
		if !holder.try(20*laneFloor, 0) {
			t.Fatal("20 of 100 were not granted")
		}
		old := b.claim(0)
		got := make(chan error)
		go func() { got <- old.open(within(t), 85*laneFloor, 0, 0, false) }()
		synctest.Wait()
		for range mostPassed {
			c := b.claim(0)
			if !c.try(laneFloor, 0) {
				t.Fatal("a need has its turn before it was passed")
			}
			c.close()
		}
		c := b.claim(0)
		if c.try(laneFloor, 0) {
			t.Error("a newcomer passed a need in its turn")
		}
		start := time.Now()
		if err := c.open(within(t), laneFloor, 0, 0, false); err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != firstTurn {
			t.Errorf("the newcomer waited %v, want %v", waited, firstTurn)
		}
		c.close()
		holder.close() // once the newcomer was served
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}
