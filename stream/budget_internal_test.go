package stream

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/codec"
)

// Claims take a window, then a spill of up to what they announced, work, and give
// all back. Whatever the sizes and the order, all finish: a deadlock fails the
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
						c := b.claim(0)
						time.Sleep(waits[0])
						if err := c.acquire(t.Context(), window, spill); err != nil {
							t.Error(err)
							return
						}
						time.Sleep(waits[1])
						if half := spill / 2; half > 0 {
							if err := c.acquire(t.Context(), half, spill-half); err != nil {
								t.Error(err)
							}
							time.Sleep(waits[2])
							if err := c.acquire(t.Context(), spill-half, 0); err != nil {
								t.Error(err)
							}
						}
						time.Sleep(waits[3])
						c.close()
					}
				})
			}
			wg.Wait()
			if b.used != 0 || len(b.claims) != 0 || b.wanting != 0 || b.peak > total {
				t.Errorf("seed %d: at the end %d used, %d claims, %d wanting, peak %d", seed, b.used, len(b.claims), b.wanting, b.peak)
			}
		})
	}
}

// A grant after which two holders could only wait for each other is not made.
func TestBudgetWantsAnOrderForAll(t *testing.T) {
	b := newBudget(10, 10)
	small, one, two := b.claim(0), b.claim(0), b.claim(0)
	if !small.try(1, 1) || !one.try(3, 7) {
		t.Fatal("the first two grants are safe")
	}
	if two.try(3, 7) {
		t.Error("after the small one has finished, 4 would be free and both others may need 7")
	}
	small.close()
	one.close()
	if !two.try(3, 7) {
		t.Error("alone it is safe")
	}
}

// Trying leaves the reserve free, and gives way to those who wait.
func TestBudgetTry(t *testing.T) {
	b := newBudget(100, 60)
	if !b.TryAcquire(40) || b.TryAcquire(1) {
		t.Error("trying must stop at the reserve")
	}
	c := b.claim(0)
	if !c.try(30, 10) {
		t.Error("a need may use the reserve")
	}
	b.Release(40)
	if !b.TryAcquire(10) {
		t.Error("what was released can be tried for again")
	}
}

// More than there is can never be granted: an error, not a wait.
func TestBudgetImpossibleNeed(t *testing.T) {
	err := newBudget(100, 100).claim(0).acquire(t.Context(), 80, 30)
	if !errors.Is(err, codec.ErrLimit) {
		t.Errorf("got %v, want codec.ErrLimit", err)
	}
}

// A wait that ends with its context takes nothing with it.
func TestBudgetCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100, 100)
		a := b.claim(0)
		if err := a.acquire(t.Context(), 90, 5); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := b.claim(0)
		if err := c.acquire(ctx, 50, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
		c.close()
		a.close()
		if b.used != 0 || len(b.waiting) != 0 || b.wanting != 0 {
			t.Errorf("%d used, %d waiting, %d wanting", b.used, len(b.waiting), b.wanting)
		}
	})
}

// What is kept for reuse goes when somebody waits.
func TestBudgetEvicts(t *testing.T) {
	b := newBudget(100, 100)
	kept := b.claim(0)
	kept.try(70, 0)
	kept.transfer(70)
	b.evict = append(b.evict, func() bool {
		if kept == nil {
			return false
		}
		kept = nil
		b.releaseKept(70)
		return true
	})
	c := b.claim(0)
	if err := c.acquire(t.Context(), 50, 0); err != nil || kept != nil {
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
		other := b.claim(0)
		if err := other.acquire(t.Context(), 100, 0); err != nil {
			t.Fatal(err)
		}
		b.evict = append(b.evict, func() bool {
			other.close()
			return false
		})
		c := b.claim(0)
		if err := c.acquire(within(t), 60, 0); err != nil {
			t.Errorf("60 of 100 free bytes were not granted: %v", err)
		}
	})
}

// A spill that is given back may be needed again by the same object.
func TestBudgetReleaseIsNeededAgain(t *testing.T) {
	b := newBudget(100, 100)
	c, other := b.claim(0), b.claim(0)
	if !c.try(20, 60) || !c.try(60, 0) {
		t.Fatal("20 and 60 of 100 were not granted")
	}
	c.release(60)
	if other.try(40, 60) {
		t.Error("40 were granted, though the holder of 20 may need 60 again")
	}
}

// Floors leave the ceiling free beside what is retained, which sinks may keep for as
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
		b := newBudget(20*laneFloor, 14*laneFloor)
		take := b.TryAcquire
		if tc.retained {
			take = b.tryRetain
		}
		if !take(5 * laneFloor) {
			t.Fatalf("%s: memory beside the reserve was not granted", tc.why)
		}
		if n := len(b.tryFloors(8, &floor{})); n != tc.want {
			t.Errorf("%s: %d floors were granted, want %d", tc.why, n, tc.want)
		}
	}
}

// A need that can never be met is an error, not a wait. What can be met does not
// depend on how many floors are out: fewer are granted instead.
func TestBudgetRefusesTheImpossible(t *testing.T) {
	for want := range 10 {
		synctest.Test(t, func(t *testing.T) {
			b := newBudget(10*laneFloor, 2*laneFloor)
			f := floor{reserve: 2 * laneFloor, ceiling: 4 * laneFloor}
			fs := b.tryFloors(want+1, &f)
			if len(fs) != min(want+1, 6) {
				t.Fatalf("%d floors of %d, want 6 at most", len(fs), want+1)
			}
			c := b.claim(0)
			c.f = fs[0]
			if err := c.acquire(within(t), 3*laneFloor, laneFloor+1); !errors.Is(err, codec.ErrLimit) {
				t.Errorf("%d floors: got %v, want codec.ErrLimit", len(fs), err)
			}
			if err := c.acquire(within(t), 3*laneFloor, laneFloor); err != nil {
				t.Errorf("%d floors: got %v, want what the ceiling allows", len(fs), err)
			}
		})
	}
}
