package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
	"github.com/thaw-go/thaw/stream/internal/kept"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// Backfill reads every object of src and delivers its records to sink, on several
// lanes at once, until the source is drained, the sink returns [Stop], an error
// that no policy absorbs, or the end of ctx. With a Checkpoint it goes on where
// an earlier run of the same job stopped, and delivers each record at least once;
// [Record.ID] tells repetitions. Objects that have appeared since, with names that
// sort before the last one that was listed, are not looked for.
//
// The end of ctx is prompt: nothing is flushed any more, the next run delivers again
// what was not, and the Report calls done what the manifest calls done. To stop
// gracefully, let ctx be and have the sink return Stop, for instance once a signal
// has come: everything written before is then flushed and kept.
//
// The Report is never nil. The error is nil when the job drained or was stopped,
// also if policies left something out: [Report.Complete] tells whether all was
// read.
//
// Where code of the program panics on a goroutine of the job, such as a sink or a
// hook, the job ends and Backfill panics with a [*PanicError]. Where it calls
// runtime.Goexit, as t.Fatal does, the job ends with an error.
func Backfill(ctx context.Context, src blob.Source, sink Sink, opts *Options) (*Report, error) {
	if opts == nil {
		opts = &Options{}
	}
	j := &job{src: src, sink: sink, opts: opts, start: time.Now(), open: map[int64]ManifestEntry{}, opening: make(chan struct{}, 1), policy: make(chan struct{}, 1)}
	j.cpuUser, j.cpuSystem = meter.CPU()
	if j.trace = opts.Trace; j.trace == nil {
		j.trace = &Trace{}
	}
	err := j.sourced(ctx, j.run(ctx))
	rep := j.report(err)
	call(j.trace.JobEnd, JobEnd{Source: src.Name, Elapsed: rep.Wall, Err: err, Report: rep})
	j.raise()
	return rep, err
}

// job is one Backfill. Its lanes take tasks that the lister makes; what the
// manifest says is under mu.
//
//	source ─ lister ─▶ tasks ─▶ lanes ─▶ Writers
//	             └─────── mu: open, mark, saved ───▶ keeper ─▶ Checkpoint
type job struct {
	src   blob.Source
	sink  Sink
	opts  *Options
	trace *Trace
	start time.Time

	read  readConfig
	pool  *Pool
	outer *memory.Lane // the lane of the same Pool in whose sink the job runs; nil if in none
	crew  *crew
	lanes []*lane // that have started
	tasks chan *task
	few   chan struct{} // one token: tasks holds few
	every time.Duration

	restoring *restoring   // nil where archived objects are errors
	expected  atomic.Int64 // the lister, and where restoring is set every task: what may make a task

	cancel context.CancelCauseFunc // ends the lanes

	opening chan struct{} // holds one token: the sink is opened by one lane at a time
	policy  chan struct{} // holds one token: policies are asked one at a time, and may block

	mu       sync.Mutex
	first    error       // what ended the job
	panicked *PanicError // of code of the program
	stopped  bool
	resumed  bool
	listed   bool
	mark     blob.Mark
	begun    blob.Mark // mark at the start of this run
	runs     int
	open     map[int64]ManifestEntry // taken from the source, not covered by a flush
	earlier  Counts                  // of the manifest that was loaded
	saved    Counts                  // of the next manifest: what flushes cover

	listedNow Counts                     // of saved: of objects that this run has listed
	takenBack bool                       // these do not count, nor their entries of open: the listing had gaps
	counts    Counts                     // of this run
	failures  kept.List[QuarantineEntry] // of all runs
	failed    kept.List[QuarantineEntry] // of this run
	stats     stats
	dirty     bool // the manifest differs from the one saved

	hasFirst           atomic.Bool // stats.first is set
	cpuUser, cpuSystem time.Duration
}

// task is one object to read.
type task struct {
	ordinal int64
	obj     blob.Object
	pos     *savepoint // where to go on, nil for the start

	tally   Tally // as listed
	counts  Counts
	flushed Counts // what of counts is in job.saved
	since   Counts // what of counts is counted again from pos on
	lost    bool   // counts are not known at pos
	opened  bool   // the rows of codecs and framers count it
	err     error  // why it could not be restored, until a lane takes that up
	refused bool   // it could not: to ask again is left to the policy

	pause time.Duration // before it is asked for again; 0: it was not held back yet
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
	call(j.trace.JobStart, JobStart{
		Source: j.src.Name, Lanes: max(1, min(j.crew.most, j.crew.fit())), Workers: j.pool.workers, Memory: j.pool.memory, Resumed: j.resumed,
	})
	j.work(ctx)
	if j.opts.Checkpoint != nil && !errors.Is(j.first, ErrOwner) {
		j.enter(meter.Checkpoint)
		if err := j.saveLast(ctx); err != nil {
			j.fail(err)
		}
	}
	return j.first
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

// enter brings all lanes to a stage while none of them runs.
func (j *job) enter(s meter.Stage) {
	now := time.Now()
	j.crew.past = append(j.crew.past, entered{now, s})
	for _, l := range j.lanes {
		l.meter.EnterAt(now, s)
	}
}

// prepare resolves the options and takes the floor of the first lane.
func (j *job) prepare(ctx context.Context) error {
	o := j.opts
	switch {
	case j.src.Store == nil || j.src.Objects == nil:
		return errors.New("stream: the source has no store or no objects")
	case j.sink == nil:
		return errors.New("stream: no sink")
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("stream: %w", err)
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
	for _, l := range j.lanes {
		l.account.Close()
		l.memory.Leave()
	}
	j.outer.AddInner(-1)
}

// work runs lister, lanes and keeper until the lanes have nothing left to do.
func (j *job) work(ctx context.Context) {
	wctx, cancel := context.WithCancelCause(ctx)
	j.cancel = cancel
	j.tasks = make(chan *task, min(j.crew.most, j.crew.fit())+listAhead)
	j.few = make(chan struct{}, 1)
	j.enter(meter.List)
	var others sync.WaitGroup
	j.expected.Store(1)
	run := func(f func()) { others.Go(func() { j.guard(f) }) }
	j.crew.begin(wctx)
	run(func() { j.list(j.crew.source.Context(wctx)) })
	if j.restoring != nil {
		run(func() { j.restoring.run(wctx) })
	}
	kctx, stop := context.WithCancel(wctx)
	run(func() { j.keep(kctx) })
	<-j.crew.done
	if ctx.Err() != nil && !j.drained() {
		j.fail(ctxerr.Of(ctx))
	}
	stop()
	cancel(errEnded)
	others.Wait()
}

// drained says that nothing is left to do, and all of it is durable.
func (j *job) drained() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.listed && len(j.open) == 0
}

// listAhead is how many objects are listed before a lane is free for them, so that
// lanes with small objects do not wait for the lister to be scheduled. Each is an
// entry of the manifest.
const listAhead = 64

// errEnded is the cause of the inner context's end once the lanes are done.
var errEnded = errors.New("job ended")

// fail ends the job. The first error counts; Stop is none.
func (j *job) fail(err error) {
	j.mu.Lock()
	switch {
	case errors.Is(err, Stop):
		j.stopped = true
	case j.first == nil && !(j.stopped && ClassOf(err) == ClassCanceled):
		j.first = err
	}
	j.mu.Unlock()
	if j.cancel != nil {
		j.cancel(err)
	}
}
