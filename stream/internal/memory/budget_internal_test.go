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

// newBudget returns a budget of which at least reserve bytes are left to accounts.
func newBudget(total, reserve int64) *Budget {
	b := New(Options{Total: total, Floor: floorSize})
	b.reserve, b.limit = reserve, reserve
	return b
}

const floorSize = 1 << 20

// Accounts take a window, then a spill of up to what is guaranteed, work, and release
// all. Whatever the sizes and the order, all finish: a deadlock fails the
// bubble.
func TestBudgetNeverDeadlocks(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			const total = 100
			b := newBudget(total, total)
			var wg sync.WaitGroup
			for range 12 {
				window, spill := rng.Int64N(60), rng.Int64N(40)
				waits := [4]time.Duration{}
				for i := range waits {
					waits[i] = time.Duration(rng.IntN(5)) * time.Millisecond
				}
				wg.Go(func() {
					for range 5 {
						c := b.account(nil)
						time.Sleep(waits[0])
						if err := c.Extend(t.Context(), window, spill); err != nil {
							t.Error(err)
							return
						}
						time.Sleep(waits[1])
						if half := spill / 2; half > 0 {
							if err := c.Extend(t.Context(), half, spill-half); err != nil {
								t.Error(err)
							}
							time.Sleep(waits[2])
							if err := c.Extend(t.Context(), spill-half, 0); err != nil {
								t.Error(err)
							}
						}
						time.Sleep(waits[3])
						c.Close()
					}
				})
			}
			wg.Wait()
			if b.used != 0 || len(b.accounts) != 0 || b.wanting != 0 || b.peak > total {
				t.Errorf("seed %d: at the end %d used, %d accounts, %d wanting, peak %d", seed, b.used, len(b.accounts), b.wanting, b.peak)
			}
		})
	}
}

// A grant after which two holders could only wait for each other is not made.
func TestBudgetWantsAnOrderForAll(t *testing.T) {
	b := newBudget(10, 10)
	small, one, two := b.account(nil), b.account(nil), b.account(nil)
	if !small.TryExtend(1, 1) || !one.TryExtend(3, 7) {
		t.Fatal("the first two grants are safe")
	}
	if two.TryExtend(3, 7) {
		t.Error("after the small one has finished, 4 would be free and both others may need 7")
	}
	small.Close()
	one.Close()
	if !two.TryExtend(3, 7) {
		t.Error("alone it is safe")
	}
}

// Trying leaves the reserve free, and lets those who wait go first.
func TestBudgetTry(t *testing.T) {
	b := newBudget(100, 60)
	if !b.TryAcquire(40) || b.TryAcquire(1) {
		t.Error("trying must stop at the reserve")
	}
	c := b.account(nil)
	if !c.TryExtend(30, 10) {
		t.Error("an account may use the reserve")
	}
	b.Release(40)
	if !b.TryAcquire(10) {
		t.Error("what was released can be tried for again")
	}
}

// More than there is can never be granted: an error, not a wait.
func TestBudgetImpossible(t *testing.T) {
	err := newBudget(100, 100).account(nil).Extend(t.Context(), 80, 30)
	if limit := (*LimitError)(nil); !errors.As(err, &limit) {
		t.Errorf("got %v, want a limit", err)
	}
}

// A wait that ends with its context takes nothing with it.
func TestBudgetCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100, 100)
		a := b.account(nil)
		if err := a.Extend(t.Context(), 90, 5); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := b.account(nil)
		if err := c.Extend(ctx, 50, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
		c.Close()
		a.Close()
		if b.used != 0 || len(b.queue) != 0 || b.wanting != 0 {
			t.Errorf("%d used, %d waiting, %d wanting", b.used, len(b.queue), b.wanting)
		}
	})
}

// What is kept for reuse goes when somebody waits.
func TestBudgetEvicts(t *testing.T) {
	b := newBudget(100, 100)
	kept := b.account(nil)
	kept.TryExtend(70, 0)
	kept.Keep(70)
	b.evictOne = func() bool {
		if kept == nil {
			return false
		}
		kept = nil
		b.ReleaseKept(70)
		return true
	}
	c := b.account(nil)
	if err := c.Extend(t.Context(), 50, 0); err != nil || kept != nil {
		t.Errorf("got %v, kept %v", err, kept != nil)
	}
}

// within is a context that ends when a wait should have been over long ago.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	t.Cleanup(cancel)
	return ctx
}

// Memory that comes free while a lane looks for something to evict is not missed.
func TestBudgetReleaseWhileEvicting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100, 100)
		other := b.account(nil)
		if err := other.Extend(t.Context(), 100, 0); err != nil {
			t.Fatal(err)
		}
		b.evictOne = func() bool {
			other.Close()
			return false
		}
		c := b.account(nil)
		if err := c.Extend(within(t), 60, 0); err != nil {
			t.Errorf("60 of 100 free bytes were not granted: %v", err)
		}
	})
}

// A spill that is released may be needed again by the same object.
func TestBudgetReleaseIsNeededAgain(t *testing.T) {
	b := newBudget(100, 100)
	c, other := b.account(nil), b.account(nil)
	if !c.TryExtend(20, 60) || !c.TryExtend(60, 0) {
		t.Fatal("20 and 60 of 100 were not granted")
	}
	c.Release(60)
	if other.TryExtend(40, 60) {
		t.Error("40 were granted, though the holder of 20 may need 60 again")
	}
}

// Floors leave the limit free beside what is retained, which sinks may keep for as
// long as they like. Read-ahead is returned when somebody waits.
func TestBudgetFloorsLeaveTheCeiling(t *testing.T) {
	for _, tc := range []struct {
		why      string
		retained bool
		want     int
	}{
		{"retained batches stay", true, 1},
		{"read-ahead comes back", false, 6},
	} {
		b := newBudget(20*floorSize, 14*floorSize)
		take := b.TryAcquire
		if tc.retained {
			take = b.TryRetain
		}
		if !take(5 * floorSize) {
			t.Fatalf("%s: memory beside the reserve was not granted", tc.why)
		}
		if n := len(b.TryEnter(8, Terms{})); n != tc.want {
			t.Errorf("%s: %d floors were granted, want %d", tc.why, n, tc.want)
		}
	}
}

// A request that can never be granted is an error, not a wait. What can be granted does not
// depend on how many floors are out: fewer are granted instead.
func TestBudgetRefusesTheImpossible(t *testing.T) {
	for want := range 10 {
		synctest.Test(t, func(t *testing.T) {
			b := newBudget(10*floorSize, 2*floorSize)
			terms := Terms{Reserve: 2 * floorSize, Limit: 4 * floorSize}
			fs := b.TryEnter(want+1, terms)
			if len(fs) != min(want+1, 6) {
				t.Fatalf("%d floors of %d, want 6 at most", len(fs), want+1)
			}
			c := b.account(fs[0])
			limit := (*LimitError)(nil)
			if err := c.Extend(within(t), 3*floorSize, floorSize+1); !errors.As(err, &limit) {
				t.Errorf("%d floors: got %v, want a limit", len(fs), err)
			}
			if err := c.Extend(within(t), 3*floorSize, floorSize); err != nil {
				t.Errorf("%d floors: got %v, want what the limit allows", len(fs), err)
			}
		})
	}
}
