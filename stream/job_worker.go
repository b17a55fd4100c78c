package stream

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

// worker drives one lane of a job: it takes tasks, reads them into its Writer and
// flushes that when due.
type worker struct {
	*lane
	job    *job
	sink   context.Context // of calls of the sink, and of what a Batch asks in Write
	writer Writer
	whole  bool // the Writer makes whole objects durable only
	within bool // the reading began within its object
	broken bool // the Writer failed: it is not flushed any more

	finished  []*task // since the last flush
	current   *task
	reading   *batcher // of current
	lastFlush time.Time

	decodeBase time.Duration // the lane's time in decode when the object began
}

// mostFinished is how many objects a lane finishes between two flushes at most:
// each is an entry of the manifest until then.
const mostFinished = 64

// run reads under wctx, which ends with the job or when it drains, and calls the sink
// under sctx, which ends with the job alone; ctx is the user's.
func (w *worker) run(wctx, sctx, ctx context.Context) {
	defer w.leave()
	w.memory.Bind()
	wctx, ctx = w.memory.Context(wctx), w.memory.Context(ctx)
	w.sink = w.memory.Context(sctx)
	if err := w.openWriter(w.sink); err != nil {
		w.job.fail(err)
		return
	}
	for {
		t, err := w.nextTask(wctx)
		if err != nil || t == nil {
			w.end(ctx, err)
			return
		}
		if err := w.object(wctx, t); err != nil {
			w.job.fail(err)
			w.end(ctx, err)
			return
		}
	}
}

func (w *worker) openWriter(ctx context.Context) error {
	w.enterLending(meter.Sink)
	var wr Writer
	var err error
	alone(w.job.turns.opening, func() { wr, err = w.job.sink.Open(ctx, w.id) })
	if err == nil && wr == nil {
		err = errors.New("no Writer")
	}
	if err != nil {
		return sinkError(ctx, "open", err)
	}
	_, w.whole = wr.(ObjectWriter)
	w.writer, w.lastFlush = wr, time.Now()
	return nil
}

// nextTask waits for the next task, and flushes before it waits. It returns nil if no
// task is left or ctx is over.
func (w *worker) nextTask(ctx context.Context) (*task, error) {
	if room := w.job.actor.room(); room != nil {
		if err := w.awaitRoom(ctx, room); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	select {
	case t := <-w.job.tasks.ready:
		w.received()
		return t, nil
	default:
	}
	if err := w.flush(w.sink); err != nil {
		return nil, err
	}
	defer w.memory.SetIdle(false, nil)
	for {
		stage, changed := w.job.waitingFor()
		w.enterReleasing(stage)
		w.memory.SetIdle(stage == meter.Idle, w.job.crew.waitedFor(stage))
		select {
		case t := <-w.job.tasks.ready:
			w.received()
			return t, nil
		case <-changed:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// awaitRoom waits until fewer objects wait for their action, or ctx is over. What the
// lane has finished waits for no other lane meanwhile.
func (w *worker) awaitRoom(ctx context.Context, room <-chan struct{}) error {
	if ctx.Err() != nil {
		return nil
	}
	if err := w.flush(w.sink); err != nil {
		return err
	}
	w.enterReleasing(meter.Checkpoint)
	for ; room != nil; room = w.job.actor.room() {
		select {
		case <-room:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// received is called after each task that the lane receives. If more tasks wait, there
// may be memory for another lane by now.
func (w *worker) received() {
	w.job.tasks.received()
	if len(w.job.tasks.ready) > 0 {
		w.job.crew.retry()
	}
}

// end flushes what was written. If ctx, the user's, is over, it does so only where Write
// is durable.
func (w *worker) end(ctx context.Context, err error) {
	if err != nil {
		w.job.fail(err)
	}
	if ctx.Err() == nil || w.durable() {
		if err := w.flush(context.WithoutCancel(ctx)); err != nil {
			w.job.fail(err)
		}
	}
}

// durable reports whether Write leaves nothing to flush.
func (w *worker) durable() bool {
	d, ok := w.writer.(DurableWriter)
	return ok && d.DurableWrites()
}

// leave closes what the lane has open and goes idle, also when the user's code has
// panicked or ended the goroutine.
func (w *worker) leave() {
	defer func() {
		w.enter(meter.Idle)
		w.lane.close()
	}()
	defer w.closeWriter()
	if b := w.reading; b != nil {
		w.reading = nil
		b.close()
	}
}

func (w *worker) closeWriter() {
	w.job.ledger.withdraw(w.finished)
	if w.writer == nil {
		return
	}
	w.enterLending(meter.Sink)
	if err := w.writer.Close(); err != nil {
		w.job.fail(sinkError(context.Background(), "close", err))
	}
}

// object reads one object to its end, as often as the policy wants.
func (w *worker) object(ctx context.Context, t *task) error {
	w.current = t
	for {
		if w.whole {
			t.from = nil
			t.repeats.whole()
		}
		began := time.Now()
		err := w.try(ctx, t)
		if b := w.reading; b != nil {
			w.account(t, b)
			_, end := b.reader.offsets()
			t.repeats.read(end)
			at, since, ok := b.savepoint()
			if ok {
				t.from = &at
			}
			t.entry.since, t.entry.lost = since, !ok
		}
		if w.whole {
			t.entry.since = t.entry.counts.records()
		}
		if err == nil {
			w.job.ledger.finish(t, w.reading.reader.facts(), w.reading.nextRecord)
			w.close(t, began, nil)
			break
		}
		if errors.Is(err, Stop) {
			w.close(t, began, err)
			return err
		}
		if errors.Is(err, errFromStart) {
			w.close(t, began, err)
			w.job.ledger.again(t)
			t.repeats.again(RedecodeWholeObject)
			continue
		}
		err = w.placed(t, err)
		action, failed := w.job.decide(ctx, w.lane, t, err)
		w.close(t, began, err)
		if failed != nil {
			return failed
		}
		if o, ok := w.writer.(ObjectWriter); ok {
			if err := o.AbandonObject(); err != nil {
				return sinkError(w.sink, "abandon", err)
			}
		}
		if action == RestoreThenRetry {
			w.job.ledger.again(t)
			t.repeats.again(RedecodeRestored)
			// Another lane may continue and finish it. What this lane has written
			// of it must not be lost then.
			if err := w.flush(w.sink); err != nil {
				return err
			}
			w.current = nil
			w.job.restoring.hold(t)
			return nil
		}
		if action != Retry {
			break
		}
		w.job.ledger.again(t)
		t.repeats.again(RedecodeRetried)
	}
	w.current = nil
	w.finished = append(w.finished, t)
	if w.job.restoring != nil {
		w.job.tasks.done()
	}
	if w.due() {
		return w.flush(w.sink)
	}
	return nil
}

// close ends the read of t and calls the hook for its end.
func (w *worker) close(t *task, began time.Time, err error) {
	b := w.reading
	if b == nil {
		return
	}
	end := ObjectEnd{
		Lane: w.id, Object: b.reader.facts().object.info, Detection: b.reader.facts().detection, Stored: t.entry.counts.Stored, Decoded: t.entry.counts.Decoded,
		Records: t.entry.counts.Listed.Delivered, Elapsed: time.Since(began), Err: err,
	}
	busy := w.meter.At(time.Now())[meter.Decode] - w.decodeBase + b.reader.helped()
	stored, decoded, _ := b.reader.progress()
	w.job.ledger.objectRead(b.reader.facts(), stored, decoded, busy, err)
	b.close()
	w.reading = nil
	call(w.trace.ObjectEnd, end)
}

// try reads t from t.from on.
func (w *worker) try(ctx context.Context, t *task) error {
	j := w.job
	if err := t.failure.err; err != nil {
		t.failure.err = nil
		return err
	}
	w.decodeBase = w.meter.At(time.Now())[meter.Decode]
	b, err := w.newBatcher(ctx, &j.read, j.src.Store, j.src.Name, t.obj, t.from)
	if errors.Is(err, blob.ErrChanged) && t.obj.Version != "" && j.chosen == nil && ctx.Err() == nil {
		// Replaced since it was listed or left unfinished: it starts again.
		t.obj = blob.Object{Key: t.obj.Key, Size: -1}
		t.from = nil
		t.repeats.why = RedecodeChanged
		j.ledger.outcome(t, Counts{Changed: 1})
		b, err = w.newBatcher(ctx, &j.read, j.src.Store, j.src.Name, t.obj, nil)
	}
	if err != nil {
		return err
	}
	w.reading, w.within = b, b.nextRecord > 0
	b.repeats, b.selected = t.repeats, t.chosen
	framer := framerReport(b)
	j.ledger.opened(t, b.reader.facts(), framer)
	if hook := w.trace.ObjectStart; hook != nil {
		hook(ObjectStart{
			Lane: w.id, Object: b.reader.facts().object.info, Detection: b.reader.facts().detection,
			Framer: b.framer.Name + " (" + framer.evidence() + ")", Resumed: b.nextRecord,
		})
	}
	for {
		if w.sink.Err() != nil {
			// A Write that has seen this may return before ctx, its child, has ended.
			return ctxerr.Of(w.sink)
		}
		batch, err := b.next(ctx)
		if err == io.EOF {
			return nil
		}
		var e *Error
		switch {
		case err == nil:
			err = w.write(t, batch)
		case errors.As(err, &e) && e.record() != nil:
			w.account(t, b)
			if err = j.decideRecord(ctx, w.lane, e, j.ledger.totals(t, 0, 0)); err == nil {
				err = b.skip()
				w.account(t, b)
			}
		}
		if err != nil {
			return err
		}
	}
}

// write delivers one batch and flushes if that is due.
func (w *worker) write(t *task, batch *Batch) error {
	_, now := w.enterLending(meter.Sink)
	if batch.Len() > 0 {
		w.job.ledger.firstRecord(now, &w.meter)
	}
	batch.begin(w)
	err := w.writer.Write(w.sink, batch)
	batch.end()
	switch n, left := batch.taken(); {
	case w.whole && w.within && (err == nil || errors.Is(err, errFromStart)):
		w.reading.takeBack(0, 0)
		return errFromStart
	case batch.refusal != nil && (err == nil || errors.Is(err, batch.refusal)):
		w.reading.takeBack(n, left)
		return batch.refusal.err
	case err != nil:
		w.reading.takeBack(0, 0)
		w.broken = !errors.Is(err, Stop) && !w.durable()
		return sinkError(w.sink, "write", err)
	default:
		w.reading.leaveOut(left)
	}
	w.account(t, w.reading)
	if w.due() {
		return w.flush(w.sink)
	}
	return nil
}

func (w *worker) due() bool {
	return len(w.finished) >= mostFinished || time.Since(w.lastFlush) >= w.job.every
}

// flush makes durable what was written, and moves the manifest.
func (w *worker) flush(ctx context.Context) error {
	if w.broken || w.writer == nil {
		return nil
	}
	w.enterLending(meter.Sink)
	if err := w.writer.Flush(ctx); err != nil {
		w.broken = true
		return sinkError(ctx, "flush", err)
	}
	w.lastFlush = time.Now()
	at, since := w.savepoint()
	w.job.ledger.post(w.finished, w.current, at, since)
	if w.job.opts.Checkpoint == nil {
		w.job.actor.start()
	}
	w.finished = w.finished[:0]
	return nil
}

// savepoint returns where a later run continues the current object, and what was
// counted since. It returns nil if that is not known or of no use to the Writer.
func (w *worker) savepoint() (*savepoint, Counts) {
	switch {
	case w.current == nil || w.whole:
		return nil, Counts{}
	case w.reading == nil && w.current.entry.lost:
		return nil, Counts{}
	case w.reading == nil:
		return w.current.from, w.current.entry.since
	}
	if at, since, ok := w.reading.savepoint(); ok {
		return &at, since
	}
	return nil, Counts{}
}

// account counts what the batcher has done since the last call for task and job.
func (w *worker) account(t *task, b *batcher) {
	c, again := b.newCounts()
	w.job.ledger.read(t, c, again)
}
