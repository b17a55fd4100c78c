package blob

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errStalled is the cause with which a watchdog cancels a request.
var errStalled = errors.New("stalled")

// stallError is the fault of a request that returned nothing within its limit.
type stallError struct{ limit time.Duration }

func (e *stallError) Error() string {
	return fmt.Sprintf("nothing came for %v: %v", e.limit, ErrTransient)
}

func (e *stallError) Is(target error) bool { return target == ErrTransient }

// stalled returns the fault of a request that a watchdog has canceled; else it returns
// err.
func stalled(ctx context.Context, err error, limit time.Duration) error {
	if context.Cause(ctx) == errStalled {
		return &stallError{limit}
	}
	return err
}

// noteError notes that the service answered, unless err may come from the way to it.
// It reports whether the service answered.
func (s *Store) noteError(err error) bool {
	if errors.Is(err, ErrTransient) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	s.service.heard.Store(true)
	return true
}

// noteAnswer notes how long an answer took. A service that answers late will do so
// again: from now on no request is given up in less than twice the time.
func (s *Store) noteAnswer(wait time.Duration) {
	s.service.heard.Store(true)
	for {
		was := s.service.slowest.Load()
		if int64(2*wait) <= was || s.service.slowest.CompareAndSwap(was, int64(2*wait)) {
			return
		}
	}
}

// firstByteTimeout returns how long a request may take for its first byte after so
// many stalls in a row. 0 means no limit.
func (s *Store) firstByteTimeout(stalls int) time.Duration {
	least := s.policy.firstByte
	return min(max(least<<min(stalls, 8), time.Duration(s.service.slowest.Load())), firstByteGrowth*least)
}

// try repeats a call that has one answer until it succeeds or fails for good.
func try[T any](ctx context.Context, s *Store, op, key string, call func(ctx context.Context) (T, error)) (T, error) {
	r := s.retrier(op, key)
	for s.retryBudget.refill(); ; {
		began := time.Now()
		v, err := watched(ctx, s.firstByteTimeout(r.stalls), call)
		if err == nil {
			s.noteAnswer(time.Since(began))
			return v, nil
		}
		if s.noteError(err) {
			s.noteAnswer(time.Since(began))
		}
		if err := r.retry(ctx, err, false); err != nil {
			return v, err
		}
	}
}

// watched makes a call and cancels it after limit. 0 means no limit.
func watched[T any](ctx context.Context, limit time.Duration, call func(ctx context.Context) (T, error)) (T, error) {
	if limit <= 0 {
		return call(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := time.AfterFunc(limit, func() { cancel(errStalled) })
	defer t.Stop()
	v, err := call(ctx)
	if err != nil {
		err = stalled(ctx, err, limit)
	}
	return v, err
}
