package memory

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Claims open with a small window, then take spills and grow to what they
// announced, in any order. One that was opened optimistically releases what it holds
// before it waits. All finish: a deadlock fails the bubble.
func TestBudgetGrowthNeverDeadlocks(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 11))
			const total = 100
			b := newBudget(total, total)
			var wg sync.WaitGroup
			for range 12 {
				window, spill, room := rng.Int64N(20), rng.Int64N(30), rng.Int64N(50)
				spillFirst, optimistic := rng.IntN(2) == 0, rng.IntN(3) > 0
				pause := time.Duration(rng.IntN(5)) * time.Millisecond
				wg.Go(func() {
					for range 5 {
						c := b.account(nil)
						left := spill + room
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
							return c.Open(t.Context(), Reservation{n, 0, left, false})
						}
						steps := []func() error{
							func() error { return more(room/2, func() error { return c.Grow(t.Context(), room/2) }) },
							func() error { return more(spill, func() error { return c.Extend(t.Context(), spill, 0) }) },
							func() error { return more(room-room/2, func() error { return c.Grow(t.Context(), room-room/2) }) },
						}
						if spillFirst {
							steps[0], steps[1] = steps[1], steps[0]
						}
						if err := c.Open(t.Context(), Reservation{window, spill, room, optimistic}); err != nil {
							t.Error(err)
						}
						for _, step := range steps {
							time.Sleep(pause)
							if err := step(); err != nil {
								t.Error(err)
							}
						}
						c.Close()
					}
				})
			}
			wg.Wait()
			if b.used != 0 || b.optimistic != 0 || len(b.accounts) != 0 || b.wanting != 0 || b.peak > total {
				t.Errorf("seed %d: at the end %d used, %d optimistic, %d accounts, %d wanting, peak %d",
					seed, b.used, b.optimistic, len(b.accounts), b.wanting, b.peak)
			}
		})
	}
}

// Headroom is guaranteed as far as the limit leaves it, and growth may take what was
// guaranteed for a spill.
func TestBudgetGuarantees(t *testing.T) {
	b := newBudget(100, 60)
	c := b.account(nil)
	if !c.TryOpen(Reservation{20, 10, 1000, false}) || c.guaranteed != 40 {
		t.Fatalf("got %d announced beside 20 of 60, want 40", c.guaranteed)
	}
	if err := c.Grow(t.Context(), 35); err != nil || c.guaranteed != 5 {
		t.Errorf("got %v and %d left of 40, want 5", err, c.guaranteed)
	}
	if err := c.Extend(t.Context(), 5, 10); err != nil || c.held != 60 {
		t.Errorf("got %v with %d held, want 60", err, c.held)
	}
}

// More than was announced is granted while it is free. When it is not, it can be
// had by who returns what he holds; more than the limit cannot, by anybody.
func TestBudgetGrowsBeyond(t *testing.T) {
	b := newBudget(100, 60)
	c, other := b.account(nil), b.account(nil)
	if !c.TryOpen(Reservation{20, 10, 0, false}) {
		t.Fatal("20 of 100 were not granted")
	}
	if err := c.Grow(t.Context(), 30); err != nil {
		t.Errorf("got %v, want what is free", err)
	}
	if !other.TryOpen(Reservation{45, 0, 0, false}) {
		t.Fatal("45 of 50 were not granted")
	}
	if err := c.Grow(t.Context(), 10); err != ErrSuspend {
		t.Errorf("got %v, want to be suspended", err)
	}
	var limit *LimitError
	if err := c.Grow(t.Context(), 30); !errors.As(err, &limit) || limit.Needed != 80 || limit.Allowed != 60 {
		t.Errorf("got %v, want a limit: 80 needed, 60 allowed", err)
	}
}

// An optimistic account keeps nobody from what was guaranteed to them, and is opened
// only where nobody waits for that.
func TestBudgetOptimistic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(65, 60)
		sure, unsure, late := b.account(nil), b.account(nil), b.account(nil)
		if !sure.TryOpen(Reservation{10, 20, 70, true}) || sure.optimistic {
			t.Fatal("the first got no guarantee")
		}
		if unsure.TryOpen(Reservation{30, 20, 10, false}) {
			t.Error("30 and 30 were guaranteed of 55 beside 50")
		}
		if !unsure.TryOpen(Reservation{30, 20, 10, true}) || !unsure.optimistic || b.optimistic != 30 {
			t.Fatal("30 of 55 free bytes were not granted without a guarantee")
		}
		var grown error
		go func() { grown = sure.Grow(t.Context(), 50) }()
		synctest.Wait()
		if late.TryOpen(Reservation{6, 10, 50, true}) {
			t.Error("an object was opened though one waits for what it was guaranteed")
		}
		if unsure.TryExtend(10, 0) {
			t.Error("10 more were granted though one waits for more than what is left")
		}
		unsure.Release(30)
		synctest.Wait()
		if grown != nil || sure.held != 60 || b.optimistic != 0 || unsure.optimistic {
			t.Errorf("got %v, %d held, %d optimistic; want 60 and none", grown, sure.held, b.optimistic)
		}
	})
}

// An optimistic account takes more as long as it is free, and stays optimistic: what
// it holds still counts as free one day.
func TestBudgetExtendsOptimistically(t *testing.T) {
	b := newBudget(65, 60)
	sure, optimistic := b.account(nil), b.account(nil)
	if !sure.TryOpen(Reservation{10, 20, 70, true}) || !optimistic.TryOpen(Reservation{30, 20, 10, true}) {
		t.Fatal("10 and 30 of 65 were not granted")
	}
	if !optimistic.TryExtend(20, 0) || !optimistic.optimistic || b.optimistic != 50 {
		t.Errorf("20 of 25 free bytes were not granted, or with a guarantee; %d are optimistic", b.optimistic)
	}
	if rule := b.broken(); rule != "" {
		t.Error(rule)
	}
	if optimistic.TryExtend(6, 0) {
		t.Error("6 of 5 free bytes were granted")
	}
	if sure.TryExtend(6, 0) {
		t.Error("6 of 5 free bytes were granted to who has a guarantee, and may wait for them")
	}
}

// Whom a request kept waiting goes on as soon as that is granted or its context is
// over, not when something else is released.
func TestBudgetOptimisticAfterOthers(t *testing.T) {
	for _, canceled := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBudget(100, 100)
			holder, short, unsure, sure := b.account(nil), b.account(nil), b.account(nil), b.account(nil)
			if !holder.TryOpen(Reservation{50, 40, 0, false}) || !short.TryOpen(Reservation{40, 0, 0, false}) {
				t.Fatal("90 of 100 were not granted")
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			got := [2]error{ErrSuspend, ErrSuspend}
			go func() { got[0] = unsure.Open(t.Context(), Reservation{20, 10, 100, true}) }()
			synctest.Wait()
			need := int64(15)
			if canceled {
				need = 60
			}
			go func() { got[1] = sure.Open(ctx, Reservation{need, 0, 0, false}) }()
			synctest.Wait()
			short.Close()
			synctest.Wait()
			if canceled {
				if got[0] != ErrSuspend || got[1] != ErrSuspend {
					t.Fatalf("got %v and %v beside a request of 60, want both to wait", got[0], got[1])
				}
				cancel()
				synctest.Wait()
			}
			if got[0] != nil || !unsure.optimistic {
				t.Errorf("canceled %t: the object still waits, though 20 and 10 beside it are free", canceled)
			}
			for _, c := range []*Account{holder, unsure, sure} {
				c.Close()
			}
			synctest.Wait()
		})
	}
}

// Trying leaves to an account what it was guaranteed.
func TestBudgetReservesTheGuaranteed(t *testing.T) {
	b := newBudget(100, 10)
	if c := b.account(nil); !c.TryOpen(Reservation{10, 0, 30, false}) {
		t.Fatal("10 of 100 were not granted")
	}
	if !b.TryAcquire(50) || b.TryAcquire(1) {
		t.Error("trying must leave the 40 that were guaranteed")
	}
}
