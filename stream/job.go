package stream

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// job is one Backfill. Its lanes take tasks that the lister makes. What becomes of them
// is in the ledger, from which the keeper makes the manifest.
//
//	source ─ lister ─▶ tasks ─▶ lanes ─▶ Writers
//	             └──────▶ ledger ◀─┘
//	                         └─▶ keeper ─▶ Checkpoint
type job struct {
	src   blob.Source
	sink  Sink
	opts  *Options
	trace *Trace

	redriven
	pooled

	read  readConfig
	every time.Duration // between saves of the manifest

	ledger    *ledger
	tasks     taskQueue
	crew      *crew
	restoring *restoring // nil where archived objects are errors
	actor     *actor     // nil without Options.After
	turns     turns
	end       ending
}

// redriven is what a [Redrive] asks for.
type redriven struct {
	chosen  selections // nil: all of each object
	unready error      // of the entries
}

// pooled is the memory that the job runs in.
type pooled struct {
	pool  *Pool
	outer *memory.Lane // the lane of the same Pool in whose sink the job runs; nil if in none
}

// turns hold one token each: one lane at a time opens the sink, and one asks a policy,
// which may block.
type turns struct{ opening, policy chan struct{} }

// alone runs f while it has the token.
func alone(token chan struct{}, f func()) {
	token <- struct{}{}
	defer func() { <-token }()
	f()
}

// ending is why a job ends before its source does.
type ending struct {
	mu       sync.Mutex
	cancel   context.CancelCauseFunc // ends the lanes and what they ask of the sink
	drain    context.CancelCauseFunc // ends what they read
	act      context.CancelCauseFunc // ends what is done after objects; nil without
	first    error                   // what ended the job
	panicked *PanicError             // of code of the program
	stopped  bool                    // the sink returned Stop, or the job drains
	draining bool                    // the second
}

// err returns the error that ended the job, and whether it was stopped.
func (e *ending) err() (err error, stopped bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.first, e.stopped
}

// fail ends the job. The first error counts; Stop is none.
func (e *ending) fail(err error) {
	e.mu.Lock()
	switch {
	case e.draining && ClassOf(err) == ClassCanceled: // what a lane was reading
		e.mu.Unlock()
		return
	case errors.Is(err, Stop):
		e.stopped = true
	case e.first == nil && !(e.stopped && ClassOf(err) == ClassCanceled):
		e.first = err
		if e.act != nil {
			e.act(err)
		}
	}
	cancel := e.cancel
	e.mu.Unlock()
	if cancel != nil {
		cancel(err)
	}
}

// interrupt is fail for the end of the user's context, which also ends a job that drains.
func (e *ending) interrupt(err error) {
	e.mu.Lock()
	if e.draining {
		e.stopped, e.draining = false, false
	}
	e.mu.Unlock()
	e.fail(err)
}

// fail ends the job.
func (j *job) fail(err error) { j.end.fail(err) }

// errDrains is the cause of the end of reading once Options.Drain is closed.
var errDrains = errors.New("job drains")

// drainOn ends what the lanes read once asked is closed. What they write goes on, and is
// flushed.
func (j *job) drainOn(ctx context.Context, asked <-chan struct{}) {
	select {
	case <-asked:
	case <-ctx.Done():
		return
	}
	j.end.mu.Lock()
	j.end.stopped, j.end.draining = true, true
	j.end.mu.Unlock()
	j.end.drain(errDrains)
}

// id identifies the job.
func (j *job) id() JobID {
	return JobID{Source: j.src.Name, Frame: j.read.Frame, Codec: j.read.Codec, Output: j.opts.Output, Follow: j.opts.Follow != nil}
}

// enter brings all lanes to a stage while none of them runs.
func (j *job) enter(s meter.Stage) {
	if j.crew != nil {
		j.crew.enter(time.Now(), s)
	}
}
