package memory

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
func (b *Budget) broken() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var held, unsure int64
	for c := range b.accounts {
		held += c.held
		if c.optimistic {
			unsure += c.held
		}
	}
	free := b.total - b.used
	switch {
	case free < 0:
		return "more is used than there is"
	case b.used != int64(len(b.lanes))*floorSize+b.readAhead+b.retained+b.kept+held || unsure != b.optimistic:
		return "the sums differ"
	case b.fixed()+b.limit > b.total:
		return "what stays leaves no room for the limit"
	case !b.finishable(free + b.readAhead + b.kept + b.optimistic):
		return "the holders cannot finish one after the other"
	}
	return ""
}

// world is a budget with the jobs, Readers and sinks of one random schedule. Sizes
// are in eighths of a lane's floor.
type world struct {
	t   *testing.T
	b   *Budget
	rng *rand.Rand // drawn from before goroutines start

	mu    sync.Mutex
	ahead int64 // read-ahead that slow readers keep until it is reclaimed
}

const eighth = floorSize / 8

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
	optimistic, grows   bool
	pause               time.Duration
	ahead               int64
	inside              *plan // an object that its sink opens meanwhile
}

func (w *world) plan(limit int64, depth int) plan {
	part := func(of int64) int64 { return w.rng.Int64N(of/eighth+1) * eighth }
	p := plan{
		optimistic: w.rng.IntN(3) > 0, grows: w.rng.IntN(2) == 0,
		pause: time.Duration(w.rng.IntN(5)) * time.Millisecond,
		ahead: w.rng.Int64N(8) * eighth,
	}
	if w.rng.IntN(3) > 0 {
		p.window = part(limit / 2)
	}
	p.spill = part((limit - p.window) / 2)
	p.room = part(limit - p.window - p.spill)
	if depth > 0 && w.rng.IntN(3) == 0 {
		in := w.plan(limit, depth-1)
		p.inside = &in
	}
	return p
}

// object takes what p says as a lane does, and returns all of it.
func (w *world) object(ctx context.Context, f *Lane, p plan) error {
	c := w.b.account(f)
	defer c.Close()
	if err := c.Open(ctx, Reservation{p.window, p.spill, p.room, p.optimistic}); err != nil {
		return err
	}
	left := p.spill + p.room
	more := func(n int64, take func() error) error {
		left -= n
		if c.TryExtend(n, 0) {
			return nil
		}
		if !c.optimistic {
			return take()
		}
		n += c.held
		c.Release(c.held)
		return c.Open(ctx, Reservation{n, 0, left, false})
	}
	w.fetchAhead(p.ahead)
	time.Sleep(p.pause)
	if p.grows {
		if err := more(p.room, func() error { return c.Grow(ctx, p.room) }); err != nil {
			return err
		}
		time.Sleep(p.pause)
		if err := more(p.spill, func() error { return c.Extend(ctx, p.spill, 0) }); err != nil {
			return err
		}
	}
	w.check()
	if p.inside != nil {
		in := f.Context(ctx)
		if err := w.reader(in, Terms{Reserve: f.Reserve, Limit: f.Limit}, *p.inside); err != nil && !errors.Is(err, ErrBusy) {
			return err
		}
	}
	time.Sleep(p.pause)
	return nil
}

// reader is an Open.
func (w *world) reader(ctx context.Context, terms Terms, p plan) error {
	terms.Outer = w.b.LaneOf(ctx)
	f, err := w.b.Enter(ctx, terms)
	if err != nil {
		return err
	}
	defer f.Leave()
	return w.object(ctx, f, p)
}

// job is a Backfill of the given objects on up to lanes lanes.
func (w *world) job(ctx context.Context, terms Terms, lanes int, plans []plan) error {
	terms.Independent = true
	fs := w.b.TryEnter(lanes, terms)
	if len(fs) == 0 {
		f, err := w.b.Enter(ctx, terms)
		if err != nil {
			return err
		}
		fs = []*Lane{f}
	}
	for _, f := range fs {
		f.inSink = func() bool { return true }
	}
	tasks := make(chan plan, len(plans))
	for _, p := range plans {
		tasks <- p
	}
	close(tasks)
	errs := make(chan error, len(fs))
	for _, f := range fs {
		go func() {
			defer f.Leave()
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
			total := (2 + rng.Int64N(14)) * floorSize
			w := newWorld(t, seed, total)
			depth := rng.IntN(2)
			var all sync.WaitGroup
			for range 1 + rng.IntN(4) {
				terms := Terms{Limit: (1 + rng.Int64N(total/floorSize-1)) * floorSize}
				terms.Reserve = terms.Limit / (1 + rng.Int64N(3))
				lanes, delay := 1+rng.IntN(6), time.Duration(rng.IntN(10))*time.Millisecond
				var plans []plan
				for range 1 + rng.IntN(10) {
					plans = append(plans, w.plan(terms.Limit, depth))
				}
				isJob := rng.IntN(2) == 0
				all.Go(func() {
					ctx := within(t)
					time.Sleep(delay)
					if isJob {
						if err := w.job(ctx, terms, lanes, plans); err != nil {
							t.Error(err)
						}
						return
					}
					for _, p := range plans {
						if err := w.reader(ctx, terms, p); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			synctest.Wait()
			b := w.b
			w.b.reclaim(0)
			if b.used != 0 || b.optimistic != 0 || len(b.accounts) != 0 || len(b.lanes) != 0 || b.wanting != 0 || b.nested != 0 || b.peak > total {
				t.Errorf("at the end %d used, %d optimistic, %d accounts, %d floors, %d wanting, %d nested, peak %d of %d",
					b.used, b.optimistic, len(b.accounts), len(b.lanes), b.wanting, b.nested, b.peak, total)
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A request is passed by so many newcomers at most, whatever they ask for, as long as
// they finish within its turn.
func TestBudgetPassesNobodyForEver(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 71))
			b := newBudget(64*floorSize, 0)
			terms := Terms{Limit: 48 * floorSize, Reserve: floorSize}
			fs := b.TryEnter(16, terms)
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
							f.Leave()
							return
						}
						n := 5 * floorSize / 2
						if i == large {
							n = 40 * floorSize
						}
						c := b.account(f)
						if err := c.Open(within(t), Reservation{int64(n), floorSize, 0, i%2 == 0}); err != nil {
							t.Error(err)
						}
						mu.Lock()
						if order = append(order, i); i == large {
							began = len(order)
						}
						mu.Unlock()
						time.Sleep(pause)
						c.Close()
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
		b := newBudget(100*floorSize, 90*floorSize)
		holder := b.account(nil)
		if !holder.TryExtend(20*floorSize, 0) {
			t.Fatal("20 of 100 were not granted")
		}
		old := b.account(nil)
		got := make(chan error)
		go func() { got <- old.Open(within(t), Reservation{85 * floorSize, 0, 0, false}) }()
		synctest.Wait()
		for range mostPassed {
			c := b.account(nil)
			if !c.TryExtend(floorSize, 0) {
				t.Fatal("a request has its turn before it was passed")
			}
			c.Close()
		}
		c := b.account(nil)
		if c.TryExtend(floorSize, 0) {
			t.Error("a newcomer passed a request in its turn")
		}
		start := time.Now()
		if err := c.Open(within(t), Reservation{floorSize, 0, 0, false}); err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != firstTurn {
			t.Errorf("the newcomer waited %v, want %v", waited, firstTurn)
		}
		c.Close()
		holder.Close() // once the newcomer was served
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}
