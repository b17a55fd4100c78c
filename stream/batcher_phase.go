package stream

import (
	"context"
	"errors"
	"io"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/meter"
)

// phase is what a batcher does next:
//
//	fill ──▶ scan ──▶ cut ──▶ fill           the slab is used up
//	  ▲        ▲       ├────▶ last ──▶ end   the object is
//	  │        │       ├────▶ failed         so are its bytes before a fault
//	  └──────▶ seek ◀──┴────▶ bad, long      at a record that cannot be delivered
//
// fill and seek end with scan if there is something to scan. A format that cuts its
// own records goes from fill to cut. failed and end are final.
type phase uint8

const (
	phaseFill   phase = iota // decode more bytes
	phaseScan                // find the ends of the records in start..end
	phaseCut                 // hand out the records of ends from pos on, then enter b.then
	phaseBad                 // the record after ends was refused, for the reason bad
	phaseLong                // the record after ends has no end within sight
	phaseSeek                // look for the record after one left out
	phaseLast                // hand out that the object has ended
	phaseEnd                 // it was
	phaseFailed              // fault is the object's
)

// next returns the next batch, which is valid until the call after, and io.EOF after
// the last one. An *[Error] with a Record is of that one: skip leaves it out. Any
// other error is the object's and final.
func (b *batcher) next(ctx context.Context) (batch *Batch, err error) {
	if b.batch != nil && b.batch.retained {
		b.batch, b.endsRetained = nil, true
	}
	for batch == nil && err == nil {
		if b.phase < phaseLast && b.selected.isDone(b.nextRecord) {
			b.phase = phaseLast
		}
		switch b.phase {
		case phaseFill:
			err = b.fillSlab(ctx)
		case phaseScan:
			err = b.scan(ctx)
		case phaseCut:
			if b.pos < len(b.ends) {
				batch, err = b.cut()
			} else {
				b.phase = b.then
			}
		case phaseBad:
			switch err = b.bad; {
			case b.unselected() > 0:
				err = b.leaveOutNext()
			case b.leavesOut(err):
				err = b.skip()
			}
		case phaseLong:
			if b.unselected() > 0 {
				err = b.leaveOutNext()
			} else {
				batch, err = b.tooLong()
			}
		case phaseSeek:
			err = b.seek(ctx)
		case phaseLast:
			if err = b.missed(); err == nil {
				batch = b.emit(b.pos, true)
			}
		case phaseEnd:
			err = io.EOF
		case phaseFailed:
			err = b.fault
		}
	}
	return batch, err
}

// leavesOut reports whether a record is left out that was refused with err.
func (b *batcher) leavesOut(err error) bool {
	return b.config.Oversized == SkipOversized && errors.Is(err, frame.ErrTooLong) && !errors.Is(err, frame.ErrNoResync)
}

// fillSlab reads more of the object and enters the phase that this calls for.
func (b *batcher) fillSlab(ctx context.Context) error {
	if b.records != nil {
		if err := b.fillIndexed(ctx); err != nil {
			return err
		}
		b.deliver(b.exhausted())
		return nil
	}
	if err := b.fill(ctx); err != nil {
		return err
	}
	b.phase = b.unscanned()
	return nil
}

// deliver hands out the records of ends, then enters the phase then.
func (b *batcher) deliver(then phase) { b.phase, b.then = phaseCut, then }

// unscanned is the phase in which start..end was not scanned yet.
func (b *batcher) unscanned() phase {
	if b.start < b.end || b.eof {
		return phaseScan
	}
	return b.exhausted()
}

// exhausted is the phase in which all records up to end are handed out.
func (b *batcher) exhausted() phase {
	switch {
	case b.fault != nil:
		return phaseFailed
	case b.eof:
		return phaseLast
	}
	return phaseFill
}

// failFraming makes err the object's in stage frame, and final.
func (b *batcher) failFraming(err error) error {
	return b.fail(inStage(meter.Frame, b.reader.fail(err)))
}

// fail makes err the object's, and final. It returns err.
func (b *batcher) fail(err error) error {
	b.fault, b.phase = err, phaseFailed
	return err
}
