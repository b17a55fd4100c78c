package stream

import (
	"context"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/stream/internal/memory"
)

// parked is a decoder that was given up in the middle of its object, because its
// lane was promised nothing and needs more.
type parked struct {
	point  codec.Point // where decoding begins again
	stored int64       // how far the decoder was
}

// park gives the decoder up with all that the lane holds, and waits until memory
// for another one and n bytes beside it are promised.
func (o *opened) park(ctx context.Context, decoder, n int64) error {
	o.parked = &parked{point: o.restartPoint(o.decoded), stored: o.storedOffset()}
	o.dec.Close()
	o.dec, o.growth, o.wants = nil, nil, 0
	o.l.account.Release(o.memory)
	o.memory = 0
	o.in.Reset(empty{})
	o.l.in, o.in = o.in, nil
	o.source.close()
	// What is held still is of a record that came behind the decoder's wish.
	r := memory.Reservation{
		Bytes:    decoder + n,
		Headroom: max(0, spillMax(o.r.MaxRecord)-n-o.l.account.Held()) + o.headroom(decoder),
	}
	err := o.l.queue(func() error { return o.l.account.Open(ctx, r) })
	if err == nil {
		o.memory = decoder
	}
	return err
}

// decode reads from the decoder, from one made anew if that was given up.
func (o *opened) decode(ctx context.Context, p []byte) (int, error) {
	for {
		for o.parked != nil {
			if err := o.unpark(ctx); err != nil {
				return 0, err
			}
		}
		n, err := o.readDecoder(p)
		switch {
		case o.wants == 0:
			return n, err
		case n > 0:
			return n, nil // its error comes again
		}
		if err := o.park(ctx, o.wants, 0); err != nil {
			return 0, err
		}
	}
}

func (o *opened) readDecoder(p []byte) (int, error) {
	o.busy = true
	n, err := o.dec.Read(p)
	o.busy = false
	return n, err
}

// unpark opens the object again and decodes up to where it was.
func (o *opened) unpark(ctx context.Context) error {
	left := o.l.meter.Stage()
	p := o.parked
	err := o.source.open(ctx, p.point.Stored)
	if err != nil {
		return err
	}
	o.in = o.l.takeInput(o.source)
	o.key.class = -1 // its offsets may be shifted: not for reuse
	if p.point.Stored > 0 {
		c, _ := o.r.Codecs.Lookup(o.detection.Codec)
		o.dec, err = c.Restart(o.in, p.point, o.options(ctx))
	} else {
		o.dec, err = o.r.Codecs.Open(o.in, o.detection, o.options(ctx))
	}
	if err != nil {
		return err
	}
	o.given += p.stored - o.stored
	o.stored, o.parked = p.point.Stored, nil
	buf := make([]byte, firstBytes)
	for at := p.point.Decoded; at < o.decoded; {
		if err := o.l.work(ctx, left); err != nil {
			return err
		}
		n, err := o.readDecoder(buf[:min(int64(len(buf)), o.decoded-at)])
		at += int64(n)
		o.again += int64(n)
		o.l.permit.Did(int64(n))
		if o.wants != 0 && n == 0 {
			return o.park(ctx, o.wants, 0)
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && o.wants == 0 && at < o.decoded {
			return &stepError{fmt.Sprintf("%d of %d bytes decoded again", at, o.decoded), err}
		}
	}
	return o.l.work(ctx, left)
}
