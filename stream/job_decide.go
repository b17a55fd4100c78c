package stream

import (
	"context"
	"errors"

	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// placed returns err, which ends the reading of t, with what of t was not delivered.
func (w *worker) placed(t *task, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	if e.record() != nil { // the policy that was asked about the record has e
		c := *e
		e = &c
	}
	e.place.object = true
	p := &e.place
	switch b := w.reading; {
	case w.whole:
		p.next, p.decoded, p.stored = 0, 0, 0
	case b != nil:
		p.next, p.decoded = b.deliveredUpTo()
		p.stored = b.storedBefore(p.decoded)
	case t.from != nil:
		p.next, p.decoded, p.stored = t.from.record, t.from.decoded, t.from.point.Stored
	}
	p.records, p.next = t.chosen.left(p.next)
	return e
}

// decide asks the policy about an object that failed and counts what follows. A
// nil error means that the job continues.
func (j *job) decide(ctx context.Context, l *lane, t *task, err error) (Action, error) {
	if f, ok := errors.AsType[*fatalError](err); ok {
		return Fail, f.err
	}
	if _, sink := errors.AsType[*sinkFailure](err); sink {
		return Fail, err
	}
	if ctx.Err() != nil {
		return Fail, ctxerr.Of(ctx) // a fault that no policy was asked about fails nothing
	}
	var e *Error
	if !errors.As(err, &e) {
		return Fail, err
	}
	if e.Class == ClassArchived && j.restoring != nil && !t.failure.refused {
		return RestoreThenRetry, nil
	}
	if e.Class == ClassMissing && j.opts.Follow != nil && t.from == nil {
		gone := Counts{Skipped: t.entry.tally, Gone: 1}
		gone.Skipped.Delivered = t.entry.counts.Listed.Delivered
		j.ledger.outcome(t, gone)
		return Skip, nil
	}
	action, perr := j.ask(l, j.opts.OnObjectError, e, j.ledger.totals(t, 0, 0))
	lost := t.entry.tally
	lost.Delivered = t.entry.counts.Listed.Delivered
	switch {
	case perr != nil:
		return Fail, perr
	case action == Skip || action == Quarantined:
		j.ledger.outcome(t, Counts{Skipped: lost})
		return action, nil
	case action == Retry:
		j.ledger.outcome(t, Counts{Retried: 1})
		return action, nil
	case action == RestoreThenRetry && j.restoring != nil && !(t.failure.refused && isFinal(e.Class)):
		return action, nil
	}
	j.ledger.count(Counts{Failed: lost})
	return Fail, err
}

// isFinal reports whether a refusal of a restore with this class is final.
func isFinal(c Class) bool {
	return c == ClassUnsupported || c == ClassMissing || c == ClassInvalid
}

// decideRecord asks the policy about one record. Nil means to continue without it.
func (j *job) decideRecord(ctx context.Context, l *lane, e *Error, t Totals) error {
	if ctx.Err() != nil {
		return &fatalError{ctxerr.Of(ctx)}
	}
	action, perr := j.ask(l, j.opts.OnRecordError, e, t)
	switch {
	case perr != nil:
		return &fatalError{perr}
	case action == Skip || action == Quarantined:
		return nil
	}
	return e
}

// fatalError is an error that ends the job whatever policies say.
type fatalError struct{ err error }

func (f *fatalError) Error() string { return f.err.Error() }
func (f *fatalError) Unwrap() error { return f.err }

// ask asks a policy in stage sink, keeps what is left out or fails, and calls the
// hook for failures. A record that fails its object is kept when that is decided on.
func (j *job) ask(l *lane, p Policy, e *Error, t Totals) (action Action, err error) {
	if p != nil {
		l.enterLending(meter.Sink)
		alone(j.turns.policy, func() { action, err = p(e, t) })
	}
	if err != nil {
		return Fail, err
	}
	left := action == Skip || action == Quarantined
	if left || !e.ofRecord() && action != Retry {
		j.ledger.keepFailure(e)
	}
	call(l.trace.Failure, Failure{Lane: l.id, Err: e, Action: action})
	return action, nil
}
