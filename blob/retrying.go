package blob

import "time"

// Retrying describes a fault that is about to be healed: after Wait the same is
// requested again.
type Retrying struct {
	Op      string // as in [Error]
	Store   string // its name
	Key     string // empty where the whole store is asked
	Attempt int    // which one failed; 1 for the first
	Wait    time.Duration
	Err     error // the fault, without credentials
}

// report calls the Store's hook, if there is one.
func (h *healer) report(wait time.Duration, err error) {
	if h.s.onRetry != nil {
		h.s.onRetry(Retrying{Op: h.op, Store: h.s.name, Key: h.key, Attempt: h.failures, Wait: wait, Err: h.s.secrets.scrub(err)})
	}
}
