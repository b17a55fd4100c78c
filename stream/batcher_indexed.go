package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
)

// beginIndexed stands before the record at pos of a format that cuts its own records.
func (b *batcher) beginIndexed(x *indexedReader, pos *savepoint) error {
	b.records = x
	b.framer = frame.Framer{Name: x.format.Name}
	b.choice = frame.Choice{Framer: b.framer, Evidence: x.evidence}
	if pos != nil {
		b.nextRecord, b.offset = pos.record, pos.decoded
	}
	b.lane.enterLending(meter.Plan)
	return x.begin(pos)
}

// fillIndexed has the format fill the slab.
func (b *batcher) fillIndexed(ctx context.Context) error {
	b.clearEnds()
	b.renewEnds()
	b.state = b.stateNow()
	if b.slab.Shared() {
		b.replace(b.lane.pool.slabs.Get(), 0)
	}
	for {
		if err := b.lane.enterHolding(ctx, meter.Parse); err != nil {
			return b.reader.failIn(ctx, err)
		}
		ends, err := b.records.fill(b.slab.Bytes(), b.ends)
		b.ends = ends
		b.start, b.end = 0, b.lastEnd()
		b.offset += int64(b.end)
		b.lane.permit.Did(int64(b.end))
		switch {
		case err == io.EOF:
			b.eof = true
			return nil
		case errors.Is(err, io.ErrShortBuffer) && len(ends) == 0:
			if err := b.growSlab(ctx); err != nil {
				return err
			}
			continue
		case err != nil && ctx.Err() != nil:
			return b.reader.failIn(ctx, nil)
		case err != nil:
			b.fault = b.reader.fail(err)
		}
		return nil
	}
}

// growSlab makes room for a record that is larger than the slab.
func (b *batcher) growSlab(ctx context.Context) error {
	have := len(b.slab.Bytes())
	if have >= b.config.MaxRecord+slabData {
		return b.reader.fail(fmt.Errorf("%w of %s", frame.ErrTooLong, amount.Memory(int64(b.config.MaxRecord))))
	}
	size := min(2*have, b.config.MaxRecord+slabData)
	if err := b.reserve(ctx, size); err != nil {
		return err
	}
	b.replace(slab.New(size), int64(size))
	return nil
}
