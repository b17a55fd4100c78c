package inflate

import (
	"fmt"
	"math"
)

// Point is a block border, at which decoding can begin again.
type Point struct {
	Offset  int64 // of the first byte that has bits of the next block
	Bit     uint8 // how many bits of that byte belong to the block before
	Decoded int64 // bytes decoded so far
	History int   // how many of the last bytes decoded the next ones may need
}

// Point is where the Decoder stands if that is a block border with a block to
// come. It is one at the start and at a stop.
func (d *Decoder) Point() (p Point, ok bool) {
	at := d.in<<3 - int64(d.n)
	return Point{at >> 3, uint8(at & 7), d.out, d.history}, d.step == stepBlock && d.err == nil
}

// Resume begins at p, without stops: src begins at the byte p.Offset of the stream, and
// the first slab carries the last p.History bytes before p.Decoded. A preset
// dictionary is a Point at 0 with History.
func (d *Decoder) Resume(src Source, p Point) error {
	if p.Offset < 0 || p.Bit > 7 || p.Decoded < 0 || p.History < 0 || p.History > Window {
		return fmt.Errorf("inflate: no such point: %+v", p)
	}
	d.Reset(src)
	d.in, d.out, d.history = p.Offset, p.Decoded, p.History
	if p.Bit > 0 {
		d.step, d.skip = stepSkip, uint(p.Bit)
	}
	return nil
}

// StopAt makes Fill return at the first block border at which Decoded is n or
// more, and at every one after it. A negative n means no stops.
func (d *Decoder) StopAt(n int64) {
	if n < 0 {
		n = math.MaxInt64
	}
	d.stopAt = n
}

// Decoded is how many bytes were decoded, those before a Point included.
func (d *Decoder) Decoded() int64 { return d.out }

// Consumed is how many stored bytes were taken, those before a Point included.
// At the end of the stream it is the stream's size; before, the last byte
// may have bits that are still to be used.
func (d *Decoder) Consumed() int64 { return d.in }

// History is how many of the last bytes decoded the next slab must carry, at
// most Window.
func (d *Decoder) History() int { return d.history }
