package stream

import (
	"context"
	"math/bits"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// options returns those of a new decoder of o.
func (o *decodedReader) options(ctx context.Context) *codec.Options {
	opts := o.config.Decode
	o.hook = &memoryHook{reader: o, ctx: ctx}
	opts.Grow = o.hook.grow
	return &opts
}

// grow implements decoderUser. While the lane waits it is in stage
// queue and others decode. Where waiting is not allowed, it notes what the decoder
// asked for: the read that returns memory.ErrSuspend suspends the object.
func (o *decodedReader) grow(ctx context.Context, needs int64) error {
	l := o.lane
	more := needs - decoderFloor - o.memory
	if more <= 0 {
		return nil
	}
	stage := l.meter.Stage()
	if !l.account.TryExtend(more, 0) {
		if l.account.Optimistic() {
			o.wanted = needs - decoderFloor
			return memory.ErrSuspend
		}
		err := l.awaitInQueue(func() error { return l.account.Grow(ctx, more) })
		switch {
		case err == memory.ErrSuspend && o.dec == nil: // nothing is decoded yet
			return &codec.LimitError{What: "memory", Needed: needs, Allowed: o.memory + decoderFloor}
		case err == memory.ErrSuspend:
			o.wanted = needs - decoderFloor
			return err
		case err != nil:
			return err
		}
	}
	o.memory += more
	if stage != meter.Decode {
		return nil
	}
	return l.enterHolding(ctx, stage)
}

// headroom returns what the decoders of o may come to hold beyond first, which the
// first header asks for: nothing in one layer whose first header decides.
func (o *decodedReader) headroom(first int64) (n int64) {
	if c, _ := o.config.Codecs.Lookup(o.detection.Codec); c.MaxMemory != nil {
		n = max(0, c.MaxMemory(o.config.Decode.MaxWindow)-decoderFloor-first)
	}
	for _, name := range o.detection.Inner {
		c, _ := o.config.Codecs.Lookup(name)
		n += inputSize + innerMemory(c, o.config.Decode.MaxWindow)
	}
	return n
}

// innerMemory returns the most that a layer may hold whose header is inside another.
func innerMemory(c codec.Codec, maxWindow int64) int64 {
	switch {
	case c.MaxMemory != nil:
		return c.MaxMemory(maxWindow)
	case c.Requires == nil:
		return 0
	}
	if needs, err := c.Requires(nil); err == nil {
		return needs.Memory
	}
	return 2 * (maxWindow + decoderExtra(maxWindow))
}

// memoryClass puts decoders within a power of two together, so that objects of
// about one size share them.
func memoryClass(memory int64) int64 { return int64(bits.Len64(uint64(max(memory, 1) - 1))) }
