package stream

import (
	"context"
	"io"
	"runtime/pprof"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
	"github.com/thaw-go/thaw/stream/internal/ahead"
)

// inputSource is what the Input of a decodedReader reads from: the stored bytes, or what
// divides them among the workers.
type inputSource struct{ io.Reader }

// decodeAhead has idle workers decode units of the object ahead of the lane, if headers
// show where these begin. The decoder is open and has consumed nothing.
func (o *decodedReader) decodeAhead(ctx context.Context, c codec.Codec) {
	d := &o.config.Decode
	_, positioned := o.dec.(codec.Positioned)
	switch {
	case o.lane.pool.workers < 2, o.object.info.Size < ahead.Least.Object,
		c.Scan == nil, c.Restart == nil, c.Plain, !positioned,
		len(o.detection.Inner) > 0,
		d.MaxDecoded > 0, d.MaxRatio > 0: // of the whole object
		return
	}
	local := o.object.store.Traits().Local
	a := ahead.New(ahead.Config{
		Codec: c, Options: *d, Source: o.stored, Size: o.object.info.Size,
		Arrived: func() bool { return local || o.stored.arrived() },
		Host:    &laneHost{reader: o, ctx: ctx, codec: c, labels: o.lane.labels[meter.Decode]},
		Workers: o.lane.pool.workers, DecoderMemory: decoderFloor + o.memory,
		Permits: o.lane.pool.permits, Slabs: o.lane.pool.slabs, Head: slabHead,
	}, c.Scan())
	a.Begin(o.in, o.dec)
	o.dec, o.source.Reader = a, a.Source()
}

// laneHost is the lane of a decodedReader, for decoding ahead.
type laneHost struct {
	reader *decodedReader
	ctx    context.Context
	codec  codec.Codec
	labels context.Context
}

// TryMemory implements [ahead.Host]. Others may wait for the memory as long as the sink
// holds the lane up: it counts as that of retained batches does.
func (h *laneHost) TryMemory(n int64) bool { return h.reader.lane.pool.budget.TryRetain(n) }

// ReleaseMemory implements [ahead.Host].
func (h *laneHost) ReleaseMemory(n int64) {
	if n > 0 {
		h.reader.lane.pool.budget.ReleaseRetained(n)
	}
}

// Restart implements [ahead.Host].
func (h *laneHost) Restart(in *codec.Input, p codec.Point) (codec.Decoder, error) {
	h.reader.key.class = -1 // its offsets are shifted: not for reuse
	return h.codec.Restart(in, p, h.reader.options(h.ctx))
}

// Await implements [ahead.Host]. The lane waits in stage queue. As long as m was in stage
// decode meanwhile, the lane was held up by decoding.
func (h *laneHost) Await(m *meter.Meter, wait func(context.Context) error) (decoding time.Duration, err error) {
	l := h.reader.lane
	left, began := l.enter(meter.Queue)
	before := m.At(began)[meter.Decode]
	l.permit.Release()
	err = wait(h.ctx)
	_, ended := l.enter(meter.Queue)
	decoding = min(m.At(ended)[meter.Decode]-before, ended.Sub(began))
	l.meter.Move(meter.Queue, meter.Decode, decoding)
	if err != nil {
		return decoding, err
	}
	return decoding, l.enterHolding(h.ctx, left)
}

// Label implements [ahead.Host].
func (h *laneHost) Label() { pprof.SetGoroutineLabels(h.labels) }

// decodesAhead implements byteReader.
func (o *decodedReader) decodesAhead() bool {
	a, ok := o.dec.(*ahead.Decoder)
	return ok && a.HasPart() && o.err == nil && !o.container.examining
}

// slab implements byteReader.
func (o *decodedReader) slab(ctx context.Context) (*slab.Slab, int, error) {
	s, n, err := o.dec.(*ahead.Decoder).Slab()
	o.decoded += int64(n)
	if err != nil {
		err = o.failIn(ctx, err)
		o.err = err
	}
	return s, n, err
}

// releaseAhead ends decoding ahead. What is left is the decoder of the lane, nil if that
// was closed.
func (o *decodedReader) releaseAhead(a *ahead.Decoder) codec.Decoder {
	o.from = a.StoredOffset() - o.in.Offset() // so that they add up after it is gone
	dec := a.Release()
	o.helpers += a.Helped()
	return dec
}

// helped implements objectReader.
func (o *decodedReader) helped() time.Duration {
	if a, ok := o.dec.(*ahead.Decoder); ok {
		return o.helpers + a.Helped()
	}
	return o.helpers
}
