package stream

import (
	"context"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream/internal/ahead"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// suspension is where an object was left whose decoder was closed in its middle,
// because the lane had to release its memory before it could wait for more.
type suspension struct {
	point  codec.Point // where decoding begins again
	stored int64       // how far the decoder was
}

// redecodeBuffer is how much is decoded at once where it was decoded before.
const redecodeBuffer = 32 << 10

// suspend closes the decoder, releases what it held, and waits until memory for
// another one and n bytes beside it are granted. The next read resumes the object.
func (o *decodedReader) suspend(ctx context.Context, decoder, n int64) error {
	o.suspended = &suspension{point: o.pointFor(o.decoded), stored: o.storedOffset()}
	o.helpers = o.helped()
	o.dec.Close()
	o.dec, o.hook, o.wanted = nil, nil, 0
	o.lane.account.Release(o.memory)
	o.memory = 0
	o.in.Reset(empty{})
	o.lane.in, o.in = o.in, nil
	o.stored.close()
	// What is still held is the buffer of a record that came after the decoder's wish.
	r := memory.Reservation{
		Bytes:    decoder + n,
		Headroom: max(0, spillMax(o.config.MaxRecord)-n-o.lane.account.Held()) + o.headroom(decoder),
	}
	err := o.lane.awaitInQueue(func() error { return o.lane.account.Open(ctx, r) })
	if err == nil {
		o.memory = decoder
	}
	return err
}

// decode reads from the decoder, from another one if the object was suspended.
func (o *decodedReader) decode(ctx context.Context, p []byte) (int, error) {
	for {
		for o.suspended != nil {
			if err := o.resume(ctx); err != nil {
				return 0, err
			}
		}
		n, err := o.readDecoder(p)
		switch {
		case n == 0 && err == ahead.ErrDiffers:
			if err := o.suspend(ctx, o.memory, 0); err != nil {
				return 0, err
			}
			continue
		case o.wanted == 0:
			return n, err
		case n > 0:
			return n, nil // its error comes again
		}
		if err := o.suspend(ctx, o.wanted, 0); err != nil {
			return 0, err
		}
	}
}

func (o *decodedReader) readDecoder(p []byte) (int, error) {
	o.inDecoder = true
	n, err := o.dec.Read(p)
	o.inDecoder = false
	return n, err
}

// resume opens the object again and decodes up to where it was. It may have to
// suspend it again.
func (o *decodedReader) resume(ctx context.Context) error {
	left := o.lane.meter.Stage()
	p := o.suspended
	err := o.stored.open(ctx, p.point.Stored)
	if err != nil {
		return err
	}
	o.in = o.lane.input(o.stored)
	o.key.class = -1 // its offsets may be shifted: not for reuse
	if p.point.Stored > 0 {
		c, _ := o.config.Codecs.Lookup(o.detection.Codec)
		o.dec, err = c.Restart(o.in, p.point, o.options(ctx))
	} else {
		o.dec, err = o.config.Codecs.Open(o.in, o.detection, o.options(ctx))
	}
	if err != nil {
		return err
	}
	o.earlier += p.stored - o.from
	o.from, o.suspended = p.point.Stored, nil
	buf := make([]byte, redecodeBuffer)
	for at := p.point.Decoded; at < o.decoded; {
		if err := o.lane.enterHolding(ctx, left); err != nil {
			return err
		}
		n, err := o.readDecoder(buf[:min(int64(len(buf)), o.decoded-at)])
		at += int64(n)
		o.again += int64(n)
		o.lane.permit.Did(int64(n))
		if o.wanted != 0 && n == 0 {
			return o.suspend(ctx, o.wanted, 0)
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && o.wanted == 0 && at < o.decoded {
			return &stepError{fmt.Sprintf("%d of %d bytes decoded again", at, o.decoded), err}
		}
	}
	return o.lane.enterHolding(ctx, left)
}
