package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// Retry says how a Store heals: what fails for a moment is asked for again, a
// read at the exact byte and on the same version. Nil means the zero value.
//
// Asked again are reads, listings (behind the last key), Stat, Restore, and a Put
// without condition whose reader can be read again. Never asked again is what is
// missing, denied, changed, archived, unsupported or in conflict, what the context
// ended, and, for local stores, anything but [ErrTransient].
type Retry struct {
	// MaxAttempts is how often one request may be tried, the first time included.
	// 0 means 6; 1 means no retry. A request that returned 64 KiB before it
	// failed, or an object of a listing, starts the count again.
	MaxAttempts int

	// MinBackoff and MaxBackoff bound the waits: a wait is a random part of a
	// ceiling, which is MinBackoff first and grows fourfold up to MaxBackoff. 0
	// means 100 ms and 20 s.
	MinBackoff, MaxBackoff time.Duration

	// Stall is how long a request may give nothing before it counts as failed.
	// The time in which nobody wants its bytes does not count. A listing may
	// take ten times as long for its next object. 0 means 15 s, negative no
	// limit. Local stores have none.
	Stall time.Duration

	// FirstByte is Stall for the first byte of an answer. After a request that
	// was given up for want of it, the next one waits twice as long, up to four
	// times FirstByte, and a Store that was answered late waits that long from
	// then on. 0 means Stall, negative no limit.
	FirstByte time.Duration

	// BudgetBurst and BudgetShare bound the requests that the Store repeats:
	// BudgetBurst at any time, and BudgetShare of all its requests beside. A fault
	// beyond them is final and answers [ErrRetryBudget], so that an outage does
	// not multiply the load. 0 means 100 and 0.2; a negative BudgetShare means 0.
	BudgetBurst int
	BudgetShare float64

	// NoHedge turns hedging off: that a second request is sent when the first
	// is much later than others, and the one that answers first is read. At
	// most 8 and 5 % of all requests are hedges. Local stores have none.
	NoHedge bool
}

// ErrRetryBudget says that a fault was not healed since the Store has repeated as
// many requests as its budget allows. It comes with [ErrTransient] and the fault.
var ErrRetryBudget = errors.New("retry budget is exhausted")

// retry is Retry with its defaults filled in.
type retry struct {
	attempts    int
	floor, ceil time.Duration
	stall       time.Duration // 0: none
	firstByte   time.Duration // 0: none
	hedge       bool
	local       bool
}

const (
	backoffGrowth = 4        // five waits then span from 0.1 s to 20 s
	progress      = 64 << 10 // bytes after which failures are counted anew
	listPatience  = 10       // stalls that a listing may take for one object
	morePatience  = 4        // of FirstByte, at most
	hedgeBurst    = 8
	hedgeShare    = 0.05
)

// setRetry fills in the defaults.
func (s *Store) setRetry(r *Retry) {
	var o Retry
	if r != nil {
		o = *r
	}
	s.retry = retry{
		attempts: max(0, cmp.Or(o.MaxAttempts, 6)-1),
		floor:    cmp.Or(o.MinBackoff, 100*time.Millisecond),
		ceil:     cmp.Or(o.MaxBackoff, 20*time.Second),
		stall:    max(0, cmp.Or(o.Stall, 15*time.Second)),
		hedge:    !o.NoHedge && !s.traits.Local,
		local:    s.traits.Local,
	}
	s.retry.firstByte = max(0, cmp.Or(o.FirstByte, o.Stall, 15*time.Second))
	if s.retry.local {
		s.retry.stall, s.retry.firstByte = 0, 0
	}
	s.retries = newAllowance(cmp.Or(o.BudgetBurst, 100), max(0, cmp.Or(o.BudgetShare, 0.2)))
	s.hedges = newAllowance(hedgeBurst, hedgeShare)
}

// healer decides about the faults of one operation and waits between its tries.
type healer struct {
	s        *Store
	op, key  string    // as in Error
	failures int       // in a row
	stalls   int       // of them, those that gave nothing
	began    time.Time // of the request that failed first; zero: not known
}

// healer is that of an operation that begins.
func (s *Store) healer(op, key string) healer {
	return healer{s: s, op: op, key: key, began: time.Now()}
}

// succeeded forgets the failures.
func (h *healer) succeeded() {
	h.failures, h.stalls, h.began = 0, 0, time.Time{}
}

// heal returns nil when the operation is to be tried again, after the wait that
// is due. midway says that the store had answered already: what then strikes is
// the connection's fault unless it is named.
func (h *healer) heal(ctx context.Context, err error, midway bool) error {
	r := &h.s.retry
	h.s.hear(err)
	if ctx.Err() != nil || !r.mayHeal(err, midway) || !h.s.service.heard.Load() && errors.Is(err, driver.ErrNoHost) {
		return err
	}
	if _, ok := errors.AsType[*stallError](err); ok {
		h.stalls++
	}
	if h.began.IsZero() || midway && h.failures == 0 {
		h.began = time.Now()
	}
	if h.failures >= r.attempts {
		if h.failures > 0 {
			err = fmt.Errorf("after %d attempts in %v: %w", h.failures+1, time.Since(h.began).Round(100*time.Millisecond), err)
		}
		if !errors.Is(err, driver.ErrTransient) {
			err = &unhealed{err}
		}
		return err
	}
	if !h.s.retries.take() {
		return &exhausted{err}
	}
	wait := r.floor
	for range h.failures {
		wait = min(wait*backoffGrowth, r.ceil)
	}
	h.failures++
	wait = rand.N(max(1, min(wait, r.ceil)))
	h.report(wait, err)
	return sleep(ctx, wait)
}

// final are the causes that another try does not cure.
var final = []error{
	fs.ErrNotExist, fs.ErrPermission, fs.ErrClosed, driver.ErrChanged, driver.ErrArchived,
	driver.ErrConflict, driver.ErrUnsupported,
}

func (r *retry) mayHeal(err error, midway bool) bool {
	if errors.Is(err, driver.ErrTransient) {
		return true
	}
	if r.local {
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

// exhausted is a fault that the retry budget leaves unhealed.
type exhausted struct{ err error }

func (e *exhausted) Error() string { return ErrRetryBudget.Error() + ": " + e.err.Error() }

func (e *exhausted) Is(target error) bool { return target == ErrRetryBudget || target == ErrTransient }

func (e *exhausted) Unwrap() error { return e.err }

// unhealed is a fault of the connection that another try might have healed, such as
// a body that ends early: the object is whole.
type unhealed struct{ err error }

func (e *unhealed) Error() string { return e.err.Error() }

func (e *unhealed) Is(target error) bool { return target == ErrTransient }

func (e *unhealed) Unwrap() error { return e.err }

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

// errStalled is the cause with which a watchdog ends a request.
var errStalled = errors.New("stalled")

// stallError is a request that gave nothing for as long as it may.
type stallError struct{ limit time.Duration }

func (e *stallError) Error() string {
	return fmt.Sprintf("nothing came for %v: %v", e.limit, ErrTransient)
}

func (e *stallError) Is(target error) bool { return target == ErrTransient }

// hear notes that the service answered with err, if that is not of the way to it, and
// reports whether.
func (s *Store) hear(err error) bool {
	if errors.Is(err, ErrTransient) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	s.service.heard.Store(true)
	return true
}

// patience is how long a request may take for its first byte, after so many that gave
// nothing; 0 means that there is no limit.
func (s *Store) patience(stalls int) time.Duration {
	least := s.retry.firstByte
	return min(max(least<<min(stalls, 8), time.Duration(s.service.slowest.Load())), morePatience*least)
}

// answered notes how long an answer took. Who answers late will do so again: nothing is
// given up in less than twice the time.
func (s *Store) answered(wait time.Duration) {
	s.service.heard.Store(true)
	for {
		was := s.service.slowest.Load()
		if int64(2*wait) <= was || s.service.slowest.CompareAndSwap(was, int64(2*wait)) {
			return
		}
	}
}

// stalled names the fault that a watchdog has found; other errors stay.
func stalled(ctx context.Context, err error, limit time.Duration) error {
	if context.Cause(ctx) == errStalled {
		return &stallError{limit}
	}
	return err
}

// try runs a call of one answer until it succeeds or is not worth another try.
func try[T any](ctx context.Context, s *Store, op, key string, call func(ctx context.Context) (T, error)) (T, error) {
	h := s.healer(op, key)
	for s.retries.earn(); ; {
		began := time.Now()
		v, err := watched(ctx, s.patience(h.stalls), call)
		if err == nil {
			s.answered(time.Since(began))
			return v, nil
		}
		if s.hear(err) {
			s.answered(time.Since(began))
		}
		if err := h.heal(ctx, err, false); err != nil {
			return v, err
		}
	}
}

// watched runs a call that ends when nothing came for as long as limit.
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
