package stream

import (
	"context"
	"errors"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// reserveFor takes the memory that the object's header asks for, before anything is
// allocated. A decoder kept from an object like this one is taken over.
func (o *decodedReader) reserveFor(ctx context.Context, c codec.Codec, head []byte) error {
	var needs codec.Needs
	if c.Requires != nil {
		n, err := c.Requires(head)
		switch {
		case errors.Is(err, codec.ErrLimit), errors.Is(err, codec.ErrUnsupported):
			return err
		case err == nil:
			needs = n
		}
	}
	if needs.Window > o.config.Decode.MaxWindow {
		return &codec.Error{Codec: c.Name, Err: &codec.LimitError{What: "window", Needed: needs.Window, Allowed: o.config.Decode.MaxWindow}}
	}
	o.key = decoderKey{codecs: o.config.Codecs, name: c.Name, options: o.config.Decode}
	if len(o.detection.Inner) > 0 {
		o.key.class = -1 // their headers are inside
	}
	return o.hold(ctx, max(0, needs.Memory-decoderFloor))
}

// hold takes the memory of a decoder, and one kept for reuse if there is any.
func (o *decodedReader) hold(ctx context.Context, needs int64) error {
	if o.key.class >= 0 {
		o.key.class = memoryClass(needs)
		if k, ok := o.lane.pool.decoders.take(&o.key); ok {
			// It may have to grow, and does not shrink.
			holds := max(k.memory, needs)
			if o.lane.account.TryOpen(o.reservation(holds)) {
				o.dec, o.hook, o.memory = k.dec, k.hook, holds
				*o.hook = memoryHook{reader: o, ctx: ctx}
				return nil
			}
			k.dec.Close()
		}
	}
	r := o.reservation(needs)
	if !o.lane.account.TryOpen(r) {
		if err := o.lane.awaitInQueue(func() error { return o.lane.account.Open(ctx, r) }); err != nil {
			return err
		}
	}
	o.memory = needs
	return nil
}

// reservation is what o asks for, for a decoder that holds so many bytes at first.
func (o *decodedReader) reservation(decoder int64) memory.Reservation {
	headroom := o.headroom(decoder)
	return memory.Reservation{
		Bytes: decoder, Later: spillMax(o.config.MaxRecord), Headroom: headroom,
		Optimistic: headroom > 0 && o.key.class >= 0,
	}
}

// reserve implements objectReader.
func (o *decodedReader) reserve(ctx context.Context, n, later int64) error {
	switch a := o.lane.account; {
	case a.TryExtend(n, later):
		return nil
	case a.Optimistic():
		return o.suspend(ctx, o.memory, n)
	default:
		return o.lane.awaitInQueue(func() error { return a.Extend(ctx, n, later) })
	}
}
