package stream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// Backfill reads every object of src and delivers its records to sink, on several
// lanes at once. It ends when the source is read, when the sink returns [Stop], at an
// error that no policy skips or retries, or with ctx. With a Checkpoint it continues where an
// earlier run of the same job stopped, and delivers each record at least once;
// [Record.ID] identifies repetitions. It does not look for objects that have appeared
// since under names that sort before the last one listed.
//
// When ctx ends, Backfill returns soon and flushes nothing. The next run delivers again
// what was not flushed, and the Report counts as done what the manifest counts as done.
// To stop gracefully, leave ctx alone and close [Options.Drain], for instance when a
// signal comes: what was written before is then flushed and saved.
//
// The Report is never nil. The error is nil when the job finished or was stopped, also
// if policies left something out: [Report.Complete] reports whether all was read.
//
// If code of the program panics on a goroutine of the job, such as a sink or a hook, the
// job ends and Backfill panics with a [*PanicError]. If it calls runtime.Goexit, as
// t.Fatal does, the job ends with an error.
func Backfill(ctx context.Context, src blob.Source, sink Sink, opts *Options) (*Report, error) {
	return newJob(src, sink, opts).result(ctx)
}

// result runs the job and returns what Backfill does.
func (j *job) result(ctx context.Context) (*Report, error) {
	err := j.sourced(ctx, j.run(ctx))
	rep := j.report(err)
	call(j.trace.JobEnd, JobEnd{Source: j.src.Name, Elapsed: rep.Wall, Err: err, Report: rep})
	j.raise()
	return rep, err
}

func newJob(src blob.Source, sink Sink, opts *Options) *job {
	if opts == nil {
		opts = &Options{}
	}
	j := &job{
		src: src, sink: sink, opts: opts, trace: opts.Trace, ledger: newLedger(),
		turns: turns{opening: make(chan struct{}, 1), policy: make(chan struct{}, 1)},
	}
	if j.trace == nil {
		j.trace = &Trace{}
	}
	return j
}

func (j *job) run(ctx context.Context) (err error) {
	defer j.release()
	if err := j.prepare(ctx); err != nil {
		return err
	}
	j.enter(meter.List)
	if c := j.opts.Checkpoint; c != nil {
		j.enter(meter.Checkpoint)
		defer func() {
			if cerr := c.Close(); cerr != nil && err == nil {
				err = fmt.Errorf("stream: checkpoint: %w", cerr)
			}
		}()
		if err := j.load(ctx, c); err != nil {
			return err
		}
	}
	if j.opts.Follow != nil {
		j.ledger.beginFollowing(j.opts.Follow.resolve().Late)
	}
	call(j.trace.JobStart, JobStart{
		Source: j.src.Name, Lanes: j.crew.limit(), Workers: j.pool.workers, Memory: j.pool.memory, Resumed: j.ledger.resumed(),
	})
	j.actor.begin(ctx)
	defer j.actor.stop()
	j.work(ctx)
	j.saveEnd(ctx)
	if j.actor != nil {
		j.enter(meter.Idle)
		j.actor.end()
		j.saveEnd(ctx)
	}
	err, _ = j.end.err()
	return err
}

// saveEnd saves the manifest once the lanes have ended.
func (j *job) saveEnd(ctx context.Context) {
	if err, _ := j.end.err(); j.opts.Checkpoint == nil || errors.Is(err, ErrOwner) {
		return
	}
	j.enter(meter.Checkpoint)
	if err := j.saveLast(ctx); err != nil {
		j.fail(err)
	}
}

// sourced is err as Backfill returns it: the end of ctx is an *Error like every other
// that is not the sink's, and has its cause.
func (j *job) sourced(ctx context.Context, err error) error {
	if ClassOf(err) != ClassCanceled {
		return err
	}
	err = withCause(ctx, err)
	_, known := errors.AsType[*Error](err)
	if _, sink := errors.AsType[*sinkFailure](err); known || sink {
		return err
	}
	return &Error{Source: j.src.Name, Class: ClassCanceled, Err: err}
}

// prepare resolves the options and takes the memory of the first lane.
func (j *job) prepare(ctx context.Context) error {
	o := j.opts
	switch {
	case j.unready != nil:
		return j.unready
	case j.chosen != nil && o.After != nil:
		return fmt.Errorf("stream: Options.After of a Redrive: %w", fs.ErrInvalid)
	case j.src.Store == nil || j.src.Objects == nil:
		return errors.New("stream: the source has no store or no objects")
	case j.sink == nil:
		return errors.New("stream: no sink")
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	if o.Follow != nil {
		if err := o.Follow.check(j.src); err != nil {
			return fmt.Errorf("stream: %w", err)
		}
	}
	if j.pool = o.Read.Pool; j.pool == nil {
		j.pool = NewPool(&PoolOptions{Memory: o.Memory, Workers: o.Workers})
	}
	if j.every = o.CheckpointEvery; j.every == 0 {
		j.every = defaultCheckpoint
	}
	if o.Restore != nil {
		if err := o.Restore.checkFor(j.src.Store); err != nil {
			return fmt.Errorf("stream: %w", err)
		}
		j.restoring = newRestoring(j, *o.Restore)
	}
	if err := o.After.check(j.src.Store); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	if o.After != nil {
		j.actor = newActor(j)
	}
	var err error
	if j.read, err = o.Read.resolve(j.pool); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	terms, err := j.pool.terms(&j.read)
	if err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	b := j.pool.budget
	terms.Independent, terms.Outer = true, b.LaneOf(ctx)
	j.outer = terms.Outer
	j.outer.AddInner(1)
	j.crew = &crew{job: j, most: lanesOrDefault(o.Lanes, j.src.Store.Traits().Local), terms: terms, source: b.Source(), ctx: ctx}
	first, err := b.Enter(ctx, terms)
	if err != nil {
		return err
	}
	j.crew.hire(first)
	return nil
}

// release returns what the lanes hold. Those that ran have done so already.
func (j *job) release() {
	if j.crew != nil {
		j.crew.release()
	}
	j.outer.AddInner(-1)
}

// listAhead is how many objects are listed before a lane is free for them, so that
// lanes with small objects do not wait for the lister to be scheduled. Each is an
// entry of the manifest.
const listAhead = 64

// errEnded is the cause of the inner context's end once the lanes are done.
var errEnded = errors.New("job ended")

// work runs lister, lanes and keeper until the lanes have nothing left to do.
func (j *job) work(ctx context.Context) {
	sctx, cancel := context.WithCancelCause(ctx)
	wctx, drain := context.WithCancelCause(sctx)
	j.end.cancel, j.end.drain = cancel, drain
	j.tasks.begin(j.crew.limit() + listAhead)
	j.enter(meter.List)
	var others sync.WaitGroup
	run := func(f func()) { others.Go(func() { j.guard(f) }) }
	j.crew.begin(wctx, sctx)
	run(func() { j.list(j.crew.source.Context(wctx)) })
	if j.restoring != nil {
		run(func() { j.restoring.run(wctx) })
	}
	if j.opts.Drain != nil {
		run(func() { j.drainOn(wctx, j.opts.Drain) })
	}
	kctx, stop := context.WithCancel(sctx)
	run(func() { j.keep(kctx) })
	<-j.crew.done
	if ctx.Err() != nil && (j.opts.Follow != nil || !j.ledger.finished()) {
		j.end.interrupt(ctxerr.Of(ctx))
	}
	stop()
	cancel(errEnded)
	others.Wait()
}

// report is made at the job's end, which is now.
func (j *job) report(err error) *Report {
	r := reported{source: j.src.Name, pool: j.pool, ledger: j.ledger}
	_, r.stopped = j.end.err()
	if j.crew != nil {
		r.lanes, r.maxLanes, r.fewer = j.crew.lanes, j.crew.most, j.crew.whyFewer()
	}
	return r.report(time.Now(), err)
}
