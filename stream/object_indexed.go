package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/amount"
	"github.com/thaw-go/thaw/internal/indexed"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
)

// index is an object that is read by its index: the format fills slabs with
// records and reads stored ranges as it needs them.
//
//	rangeReader (stage fetch; the format's Open is stage plan) ─▶ indexed.Reader ─▶ slab (stage parse)
type index struct {
	recipe   indexed.Format
	evidence frame.Evidence
	rd       indexed.Reader
	ranges   *rangeReader
}

// findIndex looks for an indexed format, unless bytes, a codec or another framer
// are asked for.
func (o *opened) findIndex(ctx context.Context, head []byte) bool {
	if o.r.bytes || o.r.framer != nil || o.r.Codec != "" && o.r.Codec != codec.None {
		return false
	}
	x, ok := indexed.Find(o.r.indexed, o.r.Frame, head)
	if !ok {
		return false
	}
	evidence := frame.ByChoice
	if o.r.Frame == "" {
		evidence = frame.Evidence(codec.ByMagic)
	}
	o.index = &index{recipe: x, evidence: evidence, ranges: &rangeReader{ctx: ctx, stored: o.source}}
	o.detection = codec.Detection{Codec: codec.None, Evidence: codec.ByMagic}
	o.source.stop() // what it fetches ahead is not what the index asks for
	return true
}

// beginIndex opens the format at pos, nil for its start.
func (b *batcher) beginIndex(pos *position) error {
	x := b.index
	b.framer = frame.Framer{Name: x.recipe.Name}
	b.choice = frame.Choice{Framer: b.framer, Evidence: x.evidence}
	opts := indexed.Options{MaxRecord: b.r.MaxRecord}
	if pos != nil {
		b.nextRecord, opts.Offset, opts.State = pos.record, pos.decoded, pos.state
		b.decoded, b.began = pos.decoded, pos.decoded
	}
	b.l.block(meter.Plan)
	rd, err := x.recipe.Open(x.ranges, b.object.info.Size, &opts)
	x.rd = rd
	return err
}

// fillIndex has the format fill the slab.
func (b *batcher) fillIndex(ctx context.Context) error {
	b.ends, b.pos = b.ends[:0], 0
	b.renewEnds()
	b.state = b.stateNow()
	if b.slab.Shared() {
		b.replace(b.l.pool.slabs.Get(), 0)
	}
	for {
		if err := b.l.work(ctx, meter.Parse); err != nil {
			return b.failIn(ctx, err)
		}
		ends, err := b.index.rd.Fill(b.slab.Bytes(), b.ends)
		b.ends, b.scanned = ends, true
		b.start, b.end = 0, b.lastEnd()
		b.decoded += int64(b.end)
		b.l.permit.Did(int64(b.end))
		if err == nil {
			err = b.progressed(len(ends))
		}
		switch {
		case err == io.EOF:
			b.eof = true
			return nil
		case errors.Is(err, io.ErrShortBuffer) && len(ends) == 0:
			if err := b.growForIndex(ctx); err != nil {
				return err
			}
			continue
		case err != nil && ctx.Err() != nil:
			return b.failIn(ctx, nil)
		case err != nil:
			b.fault = b.fail(err)
		}
		return nil
	}
}

// growForIndex makes room for a record that is larger than the slab.
func (b *batcher) growForIndex(ctx context.Context) error {
	have := len(b.slab.Bytes())
	if have >= b.r.MaxRecord+slabData {
		return b.fail(fmt.Errorf("%w of %s", frame.ErrTooLong, amount.Memory(int64(b.r.MaxRecord))))
	}
	size := min(2*have, b.r.MaxRecord+slabData)
	if err := b.l.need(ctx, int64(size), max(0, spillMax(b.r.MaxRecord)-b.spill-int64(size))); err != nil {
		return b.failIn(ctx, err)
	}
	b.replace(slab.New(size), int64(size))
	return nil
}

func (x *index) close() {
	if x == nil {
		return
	}
	if x.rd != nil {
		x.rd.Close()
		x.rd = nil
	}
	x.ranges.close()
}
