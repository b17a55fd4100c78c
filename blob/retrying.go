package blob

import (
	"context"
	"time"
)

// Retrying tells of a fault that is about to be healed: when Wait is over, the same
// is asked for again.
type Retrying struct {
	Op      string // as in [Error]
	Store   string // its name
	Key     string // empty where the whole store is asked
	Attempt int    // which one failed; 1 for the first
	Wait    time.Duration
	Err     error // the fault, without credentials
}

// ObserveRetries is ctx for calls whose repetitions are told to hook, those of
// [OpenSource] included, which come before its Store can be had. hook may be called
// by several goroutines at once and delays what it is told of. It replaces the hook
// that ctx has; nil takes it away.
func ObserveRetries(ctx context.Context, hook func(Retrying)) context.Context {
	return context.WithValue(ctx, retriesKey{}, hook)
}

type retriesKey struct{}

// tell calls the hook of ctx, if there is one.
func (h *healer) tell(ctx context.Context, wait time.Duration, err error) {
	if hook, _ := ctx.Value(retriesKey{}).(func(Retrying)); hook != nil {
		hook(Retrying{Op: h.op, Store: h.s.name, Key: h.key, Attempt: h.failures, Wait: wait, Err: h.s.secrets.scrub(err)})
	}
}
