package stream

import (
	"context"
	"errors"
	"time"

	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// decide asks the policy about an object that failed and counts what follows. A
// nil error means that the job goes on.
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
	if e.Class == ClassArchived && j.restoring != nil && !t.refused {
		return RestoreThenRetry, nil
	}
	action, perr := j.ask(l, j.opts.OnObjectError, e, false)
	lost := t.tally
	lost.Records = t.counts.Listed.Records
	switch {
	case perr != nil:
		return Fail, perr
	case action == Skip || action == Quarantined:
		j.outcome(t, Counts{Skipped: lost})
		return action, nil
	case action == Retry:
		j.outcome(t, Counts{Retried: 1})
		return action, nil
	case action == RestoreThenRetry && j.restoring != nil && !(t.refused && isFinal(e.Class)):
		return action, nil
	}
	j.count(Counts{Failed: lost})
	return Fail, err
}

// isFinal reports whether a refusal of a restore with this class is final.
func isFinal(c Class) bool { return c == ClassUnsupported || c == ClassMissing }

// decideRecord asks the policy about one record. Nil means to go on without it.
func (j *job) decideRecord(ctx context.Context, l *lane, e *Error) error {
	if ctx.Err() != nil {
		return &fatalError{ctxerr.Of(ctx)}
	}
	action, perr := j.ask(l, j.opts.OnRecordError, e, true)
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

// ask asks a policy in stage sink, keeps what is left out or fails and tells the
// trace. A record that fails its object is kept when that is decided on.
func (j *job) ask(l *lane, p Policy, e *Error, record bool) (action Action, err error) {
	if p != nil {
		l.enterLending(meter.Sink)
		alone(j.policy, func() { action, err = p(e) })
	}
	if err != nil {
		return Fail, err
	}
	left := action == Skip || action == Quarantined
	if left || !record && action != Retry {
		j.keepFailure(e)
	}
	call(l.trace.Failure, Failure{Lane: l.id, Err: e, Action: action})
	return action, nil
}

// keepFailure keeps what the manifest and the report have room for.
func (j *job) keepFailure(e *Error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	entry := entryOf(e)
	j.failures.Add(entry, entry.same)
	j.failed.Add(entry, entry.same)
}

// finish counts an object that was read to its proven end.
func (j *job) finish(t *task, b *batcher) {
	c := Counts{Done: t.tally}
	c.Done.Records = t.counts.Listed.Records
	switch {
	case b.reader.facts().object.info.Size == 0:
		c.Empty = 1
	case b.nextRecord == 0:
		c.NoRecords = 1
	}
	if b.reader.facts().doubt != "" {
		c.Doubtful = 1
	}
	j.mu.Lock()
	j.stats.noted(b.reader.facts().object.info.Key, b.reader.facts().detection.Notes)
	j.mu.Unlock()
	j.outcome(t, c)
}

// outcome counts what became of a task.
func (j *job) outcome(t *task, c Counts) {
	t.counts.add(c)
	j.count(c)
}

// again takes back the counts of records that will be counted again.
func (j *job) again(t *task) {
	j.outcome(t, Counts{}.sub(t.since))
	t.since, t.lost = Counts{}, false
}

func (j *job) count(c Counts) {
	j.mu.Lock()
	j.counts.add(c)
	j.mu.Unlock()
}

// withdraw takes back the outcomes of tasks that no flush has covered: the next run
// reads them again, so that they are not done.
func (j *job) withdraw(finished []*task) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, t := range finished {
		j.counts = j.counts.sub(t.counts.sub(t.flushed).outcomes())
	}
}

// opened notes what opening an object has told.
func (j *job) opened(t *task, b *batcher) {
	info := b.reader.facts().object.info
	j.mu.Lock()
	defer j.mu.Unlock()
	if d := max(info.Size, 0) - t.tally.Bytes; d != 0 {
		t.tally.Bytes += d
		j.counts.Listed.Bytes += d
		t.counts.Listed.Bytes += d
	}
	t.obj = info
	if !t.opened { // else it is read again
		t.opened = true
		j.stats.chose(b)
		j.stats.read(b.reader.facts().detection, 1, 0, 0, 0)
	}
}

// objectRead adds one reading of an object, which ended with err, to the figures of
// its codec.
func (j *job) objectRead(w *worker, b *batcher, err error) {
	busy := w.meter.At(time.Now())[meter.Decode] - w.decodeBase
	stored, decoded, _ := b.reader.progress()
	j.mu.Lock()
	j.stats.read(b.reader.facts().detection, 0, stored, decoded, busy)
	if err == nil {
		j.stats.leftOut(b.reader.facts())
	}
	j.mu.Unlock()
}

// post lets the manifest move: finished tasks are closed, the current one goes on
// at pos, if not nil, without what was counted since.
func (j *job) post(finished []*task, current *task, pos *savepoint, since Counts) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, t := range finished {
		delete(j.open, t.ordinal)
		j.settled(t, t.counts.sub(t.flushed))
		t.flushed = t.counts
	}
	if current != nil && pos != nil {
		j.open[current.ordinal] = entryAt(current.ordinal, current.obj, *pos)
		there := current.counts.sub(since)
		j.settled(current, there.sub(current.flushed))
		current.flushed = there
	}
	j.dirty = j.dirty || len(finished) > 0 || pos != nil
}
