package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// retrier counts the faults of one operation and waits between its attempts. It
// belongs to one goroutine.
type retrier struct {
	s        *Store
	op, key  string    // as in Error
	failures int       // in a row
	stalls   int       // of them, those that returned nothing
	began    time.Time // when the first attempt of the row began; zero: unknown
}

// retrier returns the retrier of an operation whose first attempt begins now.
func (s *Store) retrier(op, key string) retrier {
	return retrier{s: s, op: op, key: key, began: time.Now()}
}

// reset starts the count of failures over.
func (r *retrier) reset() {
	r.failures, r.stalls, r.began = 0, 0, time.Time{}
}

// retry decides about a fault. It returns nil when the operation is to be tried again,
// after it has waited; else the error to return. midway reports that the store has
// answered this attempt already: unless the fault is of a final class, it is then the
// connection's.
func (r *retrier) retry(ctx context.Context, err error, midway bool) error {
	policy := &r.s.policy
	r.s.noteError(err)
	if ctx.Err() != nil || !policy.mayRetry(err, midway) || !r.s.service.heard.Load() && errors.Is(err, driver.ErrNoHost) {
		return err
	}
	if _, ok := errors.AsType[*stallError](err); ok {
		r.stalls++
	}
	if r.began.IsZero() || midway && r.failures == 0 {
		r.began = time.Now()
	}
	if r.failures >= policy.retries {
		if r.failures > 0 {
			err = fmt.Errorf("after %d attempts in %v: %w", r.failures+1, time.Since(r.began).Round(100*time.Millisecond), err)
		}
		if !errors.Is(err, driver.ErrTransient) {
			err = &connectionFault{err}
		}
		return err
	}
	if !r.s.retryBudget.take() {
		return &budgetExhausted{err}
	}
	ceiling := policy.minBackoff
	for range r.failures {
		ceiling = min(ceiling*backoffGrowth, policy.maxBackoff)
	}
	r.failures++
	wait := rand.N(max(1, min(ceiling, policy.maxBackoff)))
	if hook := r.s.onRetry; hook != nil {
		hook(Retrying{Op: r.op, Store: r.s.name, Key: r.key, Attempt: r.failures, Wait: wait, Err: r.s.secrets.scrub(err)})
	}
	return sleep(ctx, wait)
}

// final are the causes that another attempt does not change.
var final = []error{
	fs.ErrNotExist, fs.ErrPermission, fs.ErrClosed, driver.ErrChanged, driver.ErrArchived,
	driver.ErrConflict, driver.ErrUnsupported,
}

func (p *retryPolicy) mayRetry(err error, midway bool) bool {
	if errors.Is(err, driver.ErrTransient) {
		return true
	}
	if p.local {
		return false
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	return midway && !isFinal(err)
}

func isFinal(err error) bool {
	for _, f := range final {
		if errors.Is(err, f) {
			return true
		}
	}
	return false
}

// budgetExhausted is a fault that was not retried since the budget is spent.
type budgetExhausted struct{ err error }

func (e *budgetExhausted) Error() string { return ErrRetryBudget.Error() + ": " + e.err.Error() }

func (e *budgetExhausted) Is(target error) bool {
	return target == ErrRetryBudget || target == ErrTransient
}

func (e *budgetExhausted) Unwrap() error { return e.err }

// connectionFault is a fault of the connection that all attempts met, such as a body
// that ends early. It is transient: nothing is known to be wrong with the object.
type connectionFault struct{ err error }

func (e *connectionFault) Error() string { return e.err.Error() }

func (e *connectionFault) Is(target error) bool { return target == ErrTransient }

func (e *connectionFault) Unwrap() error { return e.err }

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
