package stress_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

var (
	errSink   = errors.New("the sink failed")
	errKilled = errors.New("the process is gone")
)

// ledger is what has become of the records of one job over all of its runs.
type ledger struct {
	*scene
	*job
	n     int
	truth map[version]*outcome

	mu      sync.Mutex
	run     *run
	dead    bool // the process was killed: nothing it does counts
	ended   bool // the interruption struck
	cancel  context.CancelFunc
	nested  *stream.Pool // of the run, where its sink reads too
	batches int
	refused map[version]int // policy calls
	durable map[version][]bool
	ids     map[string]place
	places  map[place]string
	next    map[laneKey]int64
	failing map[string]stream.Class // objects that a policy was asked about
	started map[string]bool         // in this run
}

// version is one object at one version.
type version struct{ key, version string }

// place is one record.
type place struct {
	version
	index int64
}

type laneKey struct {
	version
	lane int
}

// open makes the sink of a run.
func (l *ledger) open() stream.Sink {
	switch l.sink {
	case directly, retaining, nesting:
		return stream.SinkFunc(func(ctx context.Context, b *stream.Batch) error {
			w := &writer{ledger: l, lane: -1}
			if err := w.Write(ctx, b); err != nil {
				return err
			}
			return w.commit()
		})
	case parsing:
		return stream.ParseTo(l.parseOne, l.deliver)
	case wholly:
		return stream.PerObject(func(context.Context, blob.Object) (stream.Writer, error) {
			return &writer{ledger: l, lane: -1, whole: true}, nil
		})
	}
	return sinkOf(func(lane int) stream.Writer { return &writer{ledger: l, lane: lane} })
}

type sinkOf func(lane int) stream.Writer

func (f sinkOf) Open(_ context.Context, lane int) (stream.Writer, error) { return f(lane), nil }

// writer is one lane's.
type writer struct {
	*ledger
	lane  int
	whole bool // of one object: it is durable as a whole
	last  bool
	held  []place
}

func (w *writer) Write(ctx context.Context, b *stream.Batch) error {
	if err := w.batch(ctx); err != nil {
		return err
	}
	o := b.Object()
	v := version{o.Key, o.Version}
	w.order(v, w.lane, b)
	for rec := range b.All() {
		w.check(v, rec.Index, rec.Data)
		w.held = append(w.held, place{v, rec.Index})
	}
	if b.Len() > 0 {
		w.identify(place{v, b.Record(0).Index}, b.Record(0).ID())
	}
	w.last = w.last || b.EndsObject()
	if w.sink == nesting && b.Len()%5 == 0 {
		w.nest(ctx)
	}
	if w.sink == retaining && b.Len() > 0 {
		w.retain(b, v)
	}
	return nil
}

func (w *writer) Flush(ctx context.Context) error {
	if err := w.sleep(ctx, w.ledger.flush); err != nil {
		return err
	}
	w.mu.Lock()
	fail := w.run.end.kind == failFlush && w.batches >= w.run.end.batch && w.run.end.batch > 0
	w.mu.Unlock()
	switch {
	case fail:
		return errSink
	case w.whole && !w.last:
		return nil
	}
	return w.commit()
}

func (w *writer) Close() error { return nil }

// commit makes what is held durable, in one step.
func (w *writer) commit() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return errKilled
	}
	for _, p := range w.held {
		d := w.durable[p.version]
		for int64(len(d)) <= p.index {
			d = append(d, false)
		}
		d[p.index] = true
		w.durable[p.version] = d
	}
	w.held = w.held[:0]
	return nil
}

// retain keeps a batch for a while.
func (w *writer) retain(b *stream.Batch, v version) {
	kept := b.Retain()
	pause := time.Duration(1+b.Len()%7) * time.Millisecond
	w.others.Go(func() {
		time.Sleep(pause)
		for rec := range kept.All() {
			w.check(v, rec.Index, rec.Data)
		}
		kept.Release()
	})
}

// nest reads an object in the middle of a Write, with the Pool of the job. It may be
// refused, but does not wait for what the Write itself keeps.
func (w *writer) nest(ctx context.Context) {
	pool := w.pool
	if pool == nil {
		pool = w.nested
	}
	o := w.objects[w.n%len(w.objects)]
	r, err := stream.Open(ctx, w.store, o.key, &stream.OpenOptions{Read: stream.ReadOptions{Codec: w.codec, Pool: pool}})
	if err != nil {
		return
	}
	defer r.Close()
	io.CopyN(io.Discard, r, 100<<10)
}

// batch counts a batch, takes the time of a Write, and strikes if the run is to end.
func (l *ledger) batch(ctx context.Context) error {
	l.mu.Lock()
	l.batches++
	strike, dead := l.run.end.batch > 0 && l.batches == l.run.end.batch, l.dead
	l.mu.Unlock()
	if dead {
		return errKilled
	}
	if strike {
		switch l.run.end.kind {
		case failWrite:
			l.strike()
			return errSink
		case stopRun:
			l.strike()
			return stream.Stop
		case exitWrite:
			l.strike()
			runtime.Goexit()
		case panicWrite:
			l.strike()
			panic(errSink)
		case cancelRun, kill:
			l.strike()
		}
	}
	return l.sleep(ctx, l.delay)
}

// strike ends the run.
func (l *ledger) strike() {
	l.mu.Lock()
	l.ended = true
	l.dead = l.dead || l.run.end.kind == kill
	l.mu.Unlock()
	if k := l.run.end.kind; k == cancelRun || k == kill {
		l.cancel()
	}
}

// sleep takes up to d; nobody waits out the end of ctx.
func (l *ledger) sleep(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// parsed is a value of ParseTo.
type parsed struct {
	place
	id string
}

func (l *ledger) parseOne(rec stream.Record) (parsed, error) {
	o := rec.Object()
	p := parsed{place{version{o.Key, o.Version}, rec.Index}, ""}
	if l.reading.parse != nil && !l.reading.parse(rec.Data) {
		return p, errors.New("refused by the parser" + strings.Repeat(", at length", l.length()))
	}
	l.check(p.version, rec.Index, rec.Data)
	if rec.Index%64 == 0 {
		p.id = rec.ID()
	}
	return p, nil
}

// length is that of texts of errors.
func (l *ledger) length() int {
	if l.wordy {
		return 1000
	}
	return 0
}

func (l *ledger) deliver(ctx context.Context, ps []parsed) error {
	w := &writer{ledger: l}
	if err := l.batch(ctx); err != nil {
		return err
	}
	for _, p := range ps {
		if p.id != "" {
			l.identify(p.place, p.id)
		}
		w.held = append(w.held, p.place)
	}
	return w.commit()
}

// check holds a record against the reference.
func (l *ledger) check(v version, index int64, body []byte) {
	l.mu.Lock()
	o, dead := l.truth[v], l.dead
	l.mu.Unlock()
	switch {
	case dead:
	case o == nil:
		l.problem("%q: record %d of version %q, which never was", v.key, index, v.version)
	case o.wild && index >= int64(o.least), index < int64(len(o.records)) && o.records[index].maybe:
	case index >= int64(len(o.records)):
		l.problem("%q: record %d, of %v: %.80q", v.key, index, o, body)
	case o.records[index].left && !(o.wild || o.vague):
		l.problem("%q: record %d was to be left out: %.80q", v.key, index, body)
	case !bytes.Equal(body, o.records[index].body) && !o.wild:
		l.problem("%q: record %d is %d bytes %.80q, want %d bytes %.80q", v.key, index, len(body), body, len(o.records[index].body), o.records[index].body)
	}
}

// order says that batches of an object ascend within a lane.
func (l *ledger) order(v version, lane int, b *stream.Batch) {
	if lane < 0 || l.policy == retryAndSkip || l.restore > 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := laneKey{v, lane}
	if b.FirstIndex() < l.next[k] {
		l.problem("%q: lane %d: batch at record %d follows record %d", v.key, lane, b.FirstIndex(), l.next[k]-1)
	}
	l.next[k] = b.FirstIndex() + int64(b.Len())
}

// identify says that a record has one id, and an id one record.
func (l *ledger) identify(p place, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q, ok := l.ids[id]; ok && q != p {
		l.problem("id %s is of %v and of %v", id, q, p)
	}
	if other, ok := l.places[p]; ok && other != id {
		l.problem("%v has the ids %s and %s", p, other, id)
	}
	l.ids[id], l.places[p] = p, id
}

// memory is a checkpoint in memory; any checkpoint behind it is one of a process
// that may be killed.
type checkpoint struct {
	*ledger
	stream.Checkpoint        // nil: saved holds the manifest
	saved             []byte // what was saved last
}

func (c *checkpoint) Load(ctx context.Context) ([]byte, error) {
	if c.Checkpoint != nil {
		return c.Checkpoint.Load(ctx)
	}
	return bytes.Clone(c.saved), nil
}

func (c *checkpoint) Save(ctx context.Context, manifest []byte) error {
	c.mu.Lock()
	dead := c.dead
	c.mu.Unlock()
	if dead {
		return errKilled
	}
	if len(manifest) > 3<<20 {
		c.problem("job %d: a manifest of %d bytes", c.n, len(manifest))
	}
	if c.Checkpoint != nil {
		return c.Checkpoint.Save(ctx, manifest)
	}
	c.saved = bytes.Clone(manifest)
	return nil
}

func (c *checkpoint) Close() error {
	if c.Checkpoint != nil {
		return c.Checkpoint.Close()
	}
	return nil
}

func (p place) String() string {
	return fmt.Sprintf("%q %s record %d", p.key, p.version.version, p.index)
}
