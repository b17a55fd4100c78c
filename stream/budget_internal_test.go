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
			b := newBudget(total, 30)
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
	b := newBudget(10, 0)
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
	b := newBudget(100, 40)
	if !b.TryAcquire(60) || b.TryAcquire(1) {
		t.Error("trying must stop at the reserve")
	}
	c := b.claim(0)
	if !c.try(30, 10) {
		t.Error("a need may use the reserve")
	}
	b.Release(60)
	if !b.TryAcquire(20) {
		t.Error("what was released can be tried for again")
	}
}

// More than there is can never be granted: an error, not a wait.
func TestBudgetImpossibleNeed(t *testing.T) {
	err := newBudget(100, 0).claim(0).acquire(t.Context(), 80, 30)
	if !errors.Is(err, codec.ErrLimit) {
		t.Errorf("got %v, want codec.ErrLimit", err)
	}
}

// A wait that ends with its context takes nothing with it.
func TestBudgetCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100, 0)
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
	b := newBudget(100, 0)
	kept := b.claim(0)
	kept.try(70, 0)
	kept.transfer(70)
	b.evict = append(b.evict, func() bool {
		if kept == nil {
			return false
		}
		kept = nil
		b.Release(70)
		return true
	})
	c := b.claim(0)
	if err := c.acquire(t.Context(), 50, 0); err != nil || kept != nil {
		t.Errorf("got %v, kept %v", err, kept != nil)
	}
}
