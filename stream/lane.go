package stream

import (
	"context"
	"io"
	"runtime/pprof"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
	"github.com/thaw-go/thaw/stream/internal/memory"
	"github.com/thaw-go/thaw/stream/internal/permit"
)

// lane is one line of work: it reads one object at a time, on one goroutine, and
// is always in one stage. A lane works under a permit in the stages decode, frame
// and parse, and lends it in all others.
type lane struct {
	id      int
	pool    *Pool
	meter   meter.Meter
	permit  *permit.Permit
	memory  *memory.Lane
	account *memory.Account
	in      *codec.Input // kept between objects
	ends    []uint32     // likewise
	trace   *Trace
	labels  *labels

	onRequest func(blob.Request) // nil if nobody observes requests

	base     context.Context    // whose pprof labels the lane's are added to
	borrowed bool               // the goroutine is the user's: its labels come back in stage sink
	sets     map[string]*labels // by codec
}

// borrow says that the lane runs on the user's goroutine.
func (l *lane) borrow() {
	l.borrowed = true
	clear(l.sets)
	l.label("")
}

// labels are prebuilt pprof label sets, one for each stage.
type labels [meter.Stages]context.Context

// newLane returns a lane that has its memory and is in no stage yet. Its pprof
// labels are those of ctx and its own.
func newLane(ctx context.Context, id int, pool *Pool, m *memory.Lane, trace *Trace) *lane {
	if trace == nil {
		trace = &Trace{}
	}
	l := &lane{
		id: id, pool: pool, trace: trace, base: ctx, sets: map[string]*labels{}, onRequest: requestHook(id, trace.Request),
		permit: pool.permits.Permit(), memory: m,
	}
	l.account = m.Account(l.inSink)
	l.label("")
	return l
}

// inSink reports whether the lane runs the user's code.
func (l *lane) inSink() bool {
	s := l.meter.Stage()
	return s == meter.Sink || s == meter.Parse
}

// input is the lane's buffer in front of decoders, reading from src.
func (l *lane) input(src io.Reader) *codec.Input {
	in := l.in
	if in == nil {
		return codec.NewInput(src, inputSize)
	}
	l.in = nil
	in.Reset(src)
	return in
}

// label chooses the pprof labels for objects of one codec.
func (l *lane) label(codec string) {
	set := l.sets[codec]
	if set == nil {
		set = new(labels)
		for s := range set {
			set[s] = pprof.WithLabels(l.base, pprof.Labels("thaw.stage", meter.Stage(s).String(), "thaw.codec", codec))
		}
		if l.borrowed {
			set[meter.Sink] = l.base
		}
		l.sets[codec] = set
	}
	l.labels = set
}

// enter switches the stage and the profiler's labels.
func (l *lane) enter(s meter.Stage) (left meter.Stage, now time.Time) {
	pprof.SetGoroutineLabels(l.labels[s])
	return l.meter.Enter(s)
}

// enterHolding enters a stage that holds a permit, waiting for one in stage queue. It
// is called for each slab, and fails when ctx is over: a decoder that has the bytes it
// needs would never look at it.
func (l *lane) enterHolding(ctx context.Context, s meter.Stage) error {
	if ctx.Err() != nil {
		return ctxerr.Of(ctx)
	}
	if !l.permit.Resume() {
		l.enter(meter.Queue)
		if err := l.permit.Wait(ctx); err != nil {
			return err
		}
	}
	l.enter(s)
	return nil
}

// enterLending enters a stage in which the lane may block, and lends its permit: after
// a short call it is back for the price of a mutex.
func (l *lane) enterLending(s meter.Stage) (left meter.Stage, now time.Time) {
	left, now = l.enter(s)
	l.permit.Lend(now)
	return left, now
}

// enterReleasing enters a stage in which the lane surely waits, and releases its
// permit.
func (l *lane) enterReleasing(s meter.Stage) {
	l.enter(s)
	l.permit.Release()
}

// awaitInQueue releases the permit, waits in stage queue, and enters the stage that it
// left. The permit comes back with the next enterHolding.
func (l *lane) awaitInQueue(wait func() error) error {
	left, _ := l.enter(meter.Queue)
	l.permit.Release()
	err := limitError(wait())
	l.enter(left)
	return err
}

// close releases what the lane holds.
func (l *lane) close() {
	l.permit.Release()
	l.account.Close()
	l.memory.Leave()
	pprof.SetGoroutineLabels(l.base)
}
