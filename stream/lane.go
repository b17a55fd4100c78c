package stream

import (
	"context"
	"io"
	"runtime/pprof"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
)

// lane is one line of work: it reads one object at a time, on one goroutine, and
// is always in one stage. A lane works under a permit in the stages decode, frame
// and parse, and lends it in all others.
type lane struct {
	id     int
	pool   *Pool
	meter  meter.Meter
	permit *permit
	floor  *floor
	claim  *claim
	o      *opened      // that has a decoder
	in     *codec.Input // kept between objects
	ends   []uint32     // likewise
	trace  *Trace
	labels *labels

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

// newLane makes a lane with the given floor that stands in no stage yet. ctx is where its pprof
// labels come from.
func newLane(ctx context.Context, id int, pool *Pool, f *floor, trace *Trace) *lane {
	if trace == nil {
		trace = &Trace{}
	}
	l := &lane{
		id: id, pool: pool, trace: trace, base: ctx, sets: map[string]*labels{},
		permit: pool.permits.permit(), claim: pool.budget.claim(0),
	}
	l.floor, l.claim.f = f, f
	f.inSink = l.inSink
	l.label("")
	return l
}

// inSink reports whether the lane runs the user's code.
func (l *lane) inSink() bool {
	s := l.meter.Stage()
	return s == meter.Sink || s == meter.Parse
}

// takeInput is the lane's buffer in front of decoders, reading from src.
func (l *lane) takeInput(src io.Reader) *codec.Input {
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

// work enters a stage that needs a permit, waiting for one in stage queue. It is
// called for each slab, and fails when ctx is over: a decoder that has the bytes it
// needs would never look at it.
func (l *lane) work(ctx context.Context, s meter.Stage) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if !l.permit.resume() {
		l.enter(meter.Queue)
		if err := l.permit.wait(ctx); err != nil {
			return err
		}
	}
	l.enter(s)
	return nil
}

// block enters a stage in which the lane may block and lends its permit.
func (l *lane) block(s meter.Stage) (left meter.Stage, now time.Time) {
	left, now = l.enter(s)
	l.permit.lend(now)
	return left, now
}

// pause enters a stage in which the lane surely waits, without a permit.
func (l *lane) pause(s meter.Stage) {
	l.enter(s)
	l.permit.release()
}

// need takes memory beyond the floor, waiting in stage queue without a permit
// when there is none.
func (l *lane) need(ctx context.Context, n, rest int64) error {
	if l.claim.try(n, rest) {
		return nil
	}
	if l.claim.loose {
		return l.o.park(ctx, l.o.memory, n)
	}
	return l.queue(func() error { return l.claim.acquire(ctx, n, rest) })
}

// queue waits in stage queue without a permit.
func (l *lane) queue(wait func() error) error {
	left, _ := l.enter(meter.Queue)
	l.permit.release()
	err := wait()
	l.enter(left)
	return err
}

// close gives back what the lane holds.
func (l *lane) close() {
	l.permit.release()
	l.claim.close()
	l.floor.release()
	pprof.SetGoroutineLabels(l.base)
}
