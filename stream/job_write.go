package stream

import (
	"context"

	"github.com/thaw-go/thaw/internal/meter"
)

// A worker answers what the Batch that is written asks for.
var _ writeHost = (*worker)(nil)

// refuseRecord asks the policy about a record that the Writer refuses. The lane
// comes back to the stage that it was in.
func (w *worker) refuseRecord(b *Batch, i int, cause error, left int) error {
	o, raw := b.object, b.rawRecord(i)
	offset, stage := b.offsetOf(i), w.meter.Stage()
	e := &Error{
		Source: o.source, Key: o.info.Key, Version: o.info.Version, Offset: w.reading.storedFor(offset),
		Decoded: offset, Class: ClassBadRecord, Err: &RecordError{b.first + int64(i), cause},
		place: w.reading.recordPlace(stage, offset, raw),
	}
	if err := w.job.decideRecord(w.sink, w.lane, e, w.job.ledger.totals(w.current, int64(i-left), int64(left))); err != nil {
		return err
	}
	if stage == meter.Parse {
		return w.enterHolding(w.sink, meter.Parse)
	}
	return nil
}

func (w *worker) parse(ctx context.Context, f func() error) error {
	if err := w.enterHolding(ctx, meter.Parse); err != nil {
		return err
	}
	err := f()
	w.enterLending(meter.Sink)
	return err
}

func (w *worker) holdObject() error {
	w.whole = true
	if w.within {
		return errFromStart
	}
	return nil
}
