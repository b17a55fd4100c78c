package blob

import (
	"context"
	"iter"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// listAhead bounds how far a listing may be ahead of its consumer, in objects: about
// one page of the large services, some hundred KiB.
const listAhead = 1024

// listed yields the driver's listing after last: checked, resumed after faults and, for
// stores that are not local, ahead of the consumer.
func (s *Store) listed(ctx context.Context, prefix, last string, enter func(string) bool) iter.Seq2[driver.Object, error] {
	healed := s.healedList(ctx, prefix, last, enter)
	if s.traits.Local {
		return healed
	}
	return func(yield func(driver.Object, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ahead := make(chan pair, listAhead)
		go func() {
			defer close(ahead)
			for obj, err := range s.healedList(ctx, prefix, last, enter) {
				select {
				case ahead <- pair{obj, err}:
				case <-ctx.Done():
					return
				}
			}
		}()
		defer func() {
			cancel()
			for range ahead {
				// Closed when the goroutine has left the driver.
			}
		}()
		for p := range ahead {
			if !yield(p.obj, p.err) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(driver.Object{}, err)
		}
	}
}

type pair struct {
	obj driver.Object
	err error
}

// healedList yields a listing that resumes after the last key when the driver fails for
// a moment.
func (s *Store) healedList(ctx context.Context, prefix, last string, enter func(string) bool) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		retrier := s.retrier("list", "")
		s.retryBudget.refill()
		for {
			more, err := s.listOnce(ctx, prefix, &last, enter, func(obj driver.Object) bool {
				retrier.reset()
				s.service.heard.Store(true)
				return yield(obj, nil)
			})
			if !more {
				s.service.heard.Store(true)
				return
			}
			if err := retrier.retry(ctx, err, false); err != nil {
				yield(driver.Object{}, err)
				return
			}
		}
	}
}

// listOnce yields the driver's listing after *last, which it moves. more is false at the
// end of the listing or when yield returns false; else err is why the listing failed.
func (s *Store) listOnce(ctx context.Context, prefix string, last *string, enter func(string) bool, yield func(driver.Object) bool) (more bool, err error) {
	limit := listStalls * s.policy.stall
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	arm, disarm := func() {}, func() {}
	if limit > 0 {
		t := time.AfterFunc(limit, func() { cancel(errStalled) })
		defer t.Stop()
		arm, disarm = func() { t.Reset(limit) }, func() { t.Stop() }
	}
	for obj, err := range s.walk(ctx, prefix, *last, enter) {
		disarm()
		if err == nil {
			err = follows(*last, prefix, &obj)
		}
		if err != nil {
			return true, stalled(ctx, err, limit)
		}
		*last = obj.Key
		if !yield(obj) {
			return false, nil
		}
		arm()
	}
	// A driver that ends in silence when its context does has not listed all.
	if err := ctx.Err(); err != nil {
		return true, stalled(ctx, err, limit)
	}
	return false, nil
}

// walk returns the driver's listing. A driver that can leave folders out leaves out those
// that enter refuses.
func (s *Store) walk(ctx context.Context, prefix, after string, enter func(string) bool) iter.Seq2[driver.Object, error] {
	if d, ok := s.drv.(driver.FolderLister); ok && enter != nil {
		return d.ListFolders(ctx, prefix, after, enter)
	}
	return s.drv.List(ctx, prefix, after)
}
