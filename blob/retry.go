package blob

import (
	"cmp"
	"errors"
	"time"
)

// Retry configures how a Store retries requests that fail for a moment. Nil means the
// zero value.
//
// A read resumes at the exact byte and on the same version, a listing after its last
// key. Stat, Restore, and a Put without condition whose reader can be read again are
// repeated. Never retried is a request for what is missing, denied, changed, archived,
// unsupported or in conflict, and one that its context ended. A local store retries
// only [ErrTransient].
type Retry struct {
	// MaxAttempts bounds the tries of one request, the first included. 0 means
	// 6; 1 means no retry. The count starts over when a read has returned 64 KiB
	// since the last fault, or a listing an object.
	MaxAttempts int

	// MinBackoff and MaxBackoff bound the wait before a retry. The wait is
	// random, between 0 and a ceiling: MinBackoff before the first retry, four
	// times as long before each further one, MaxBackoff at most. 0 means 100 ms
	// and 20 s.
	MinBackoff, MaxBackoff time.Duration

	// Stall is how long a request may deliver nothing while its reader waits for
	// it; then it counts as failed. A listing may take ten times as long for its
	// next object. 0 means 15 s, negative means no limit. Local stores have none.
	Stall time.Duration

	// FirstByte is Stall for the first byte of a response. Each timeout doubles the
	// limit for the next attempt. The limit is never below twice the longest wait of
	// the Store that still got an answer, and never above four times FirstByte. 0
	// means Stall, negative means no limit.
	FirstByte time.Duration

	// BudgetBurst and BudgetShare bound the retries of the whole Store, so that
	// an outage does not multiply the load: BudgetBurst at once, and in the long
	// run BudgetShare of all its requests. A fault beyond them is final and is
	// [ErrRetryBudget]. 0 means 100 and 0.2; a negative BudgetShare means 0.
	BudgetBurst int
	BudgetShare float64

	// NoHedge turns hedging off. A hedge is a second request for the same bytes,
	// sent when a response or a body is much later than others were; the one
	// that answers first is read. At most 8 at once and 5 % of all requests are
	// hedges. Local stores have none.
	NoHedge bool
}

// Retrying describes a fault that is about to be retried.
type Retrying struct {
	Op      string        // as in [Error]
	Store   string        // the Store's name
	Key     string        // empty for a listing
	Attempt int           // that failed; 1 for the first
	Wait    time.Duration // until the next attempt
	Err     error         // the fault, without credentials
}

// ErrRetryBudget is the cause of a fault that was not retried because the Store's budget
// of retries was spent. The error that is returned also matches [ErrTransient] and the
// fault. The budget refills with further requests: see [Retry].BudgetShare.
var ErrRetryBudget = errors.New("retry budget is exhausted")

// retryPolicy is Retry with its defaults filled in.
type retryPolicy struct {
	retries                int // of one request
	minBackoff, maxBackoff time.Duration
	stall                  time.Duration // 0: no limit
	firstByte              time.Duration // 0: no limit
	hedge                  bool
	local                  bool
}

const (
	backoffGrowth   = 4        // five waits then reach from 0.1 s to 20 s
	progress        = 64 << 10 // bytes after which the count of failures starts over
	listStalls      = 10       // that a listing may take for one object
	firstByteGrowth = 4        // of FirstByte, at most
	hedgeBurst      = 8
	hedgeShare      = 0.05
)

// setPolicy fills in the defaults of r.
func (s *Store) setPolicy(r *Retry) {
	var o Retry
	if r != nil {
		o = *r
	}
	s.policy = retryPolicy{
		retries:    max(0, cmp.Or(o.MaxAttempts, 6)-1),
		minBackoff: cmp.Or(o.MinBackoff, 100*time.Millisecond),
		maxBackoff: cmp.Or(o.MaxBackoff, 20*time.Second),
		stall:      max(0, cmp.Or(o.Stall, 15*time.Second)),
		firstByte:  max(0, cmp.Or(o.FirstByte, o.Stall, 15*time.Second)),
		hedge:      !o.NoHedge && !s.traits.Local,
		local:      s.traits.Local,
	}
	if s.policy.local {
		s.policy.stall, s.policy.firstByte = 0, 0
	}
	s.retryBudget = newTokenBucket(cmp.Or(o.BudgetBurst, 100), max(0, cmp.Or(o.BudgetShare, 0.2)))
	s.hedgeBudget = newTokenBucket(hedgeBurst, hedgeShare)
}
