package inflate

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

const (
	// Window is how far back deflate data may refer, in bytes.
	Window = 32 << 10

	// Slack is how many bytes of a slab must be free for decoding to go on. One
	// turn of the decoder, wide copies included, writes no more.
	Slack = 320
)

// Decoder decodes one deflate stream into slabs of its caller. Reset or Resume
// comes before the first Fill.
type Decoder struct {
	src Source
	in  int64 // bytes taken from src, and those before a Point
	out int64 // bytes decoded
	err error // sticky

	history int   // bytes before the next one that data may refer to
	stopAt  int64 // out from which a block border is a stop

	bitReader
	step  step
	final bool // the block is the last
	skip  uint // bits of the first byte that were used before a Point

	stored int // bytes of a stored block still to come
	header dynamicHeader

	lit      *litTable // of the block: own or fixed; nil before they are made
	dist     *distTable
	untabled int // symbols that may be decoded before they are
	ownLit   litTable
	ownDist  distTable

	reason string // what is wrong, with status corrupt
	back   uint   // bits from the fault to the next bit
}

// status reports why a step or a run came to its end.
type status uint8

const (
	more    status = iota // go on with the next step
	starved               // input is used up
	full                  // the slab has no room
	border                // a block has ended at a stop
	ended                 // the stream has ended
	corrupt
)

// Reset begins a stream at the next byte of src, without stops.
func (d *Decoder) Reset(src Source) {
	d.header.measure(d.in)
	d.header.at = 0
	d.src, d.in, d.out, d.err = src, 0, 0, nil
	d.history, d.stopAt = 0, math.MaxInt64
	d.bitReader = bitReader{}
	d.step, d.final, d.skip = stepBlock, false, 0
}

// Fill decodes into slab[at:] and returns how many bytes it decoded. slab[:at] must
// end with the last [Decoder.History] bytes decoded, and at least Slack bytes
// must be free.
//
// It returns when fewer than Slack bytes are free, at a stop, at the end of the
// stream (io.EOF), at a fault ([*Error]), and rather than wait for input when
// it has bytes to return. Bytes and an error may come together; n is 0 with a nil
// error only at a stop. After an error it is repeated.
//
// Bytes of slab after the n returned may be overwritten. slab is not kept.
func (d *Decoder) Fill(slab []byte, at int) (n int, err error) {
	if d.err != nil {
		return 0, d.err
	}
	if at < d.history || len(slab)-at < Slack {
		return 0, fmt.Errorf("inflate: slab of %d bytes filled at %d: %d bytes of history and %d free are needed",
			len(slab), at, d.history, Slack)
	}
	floor := at - d.history
	w, err := d.fill(slab, floor, at)
	d.history = min(w-floor, Window)
	d.err = err
	return w - at, err
}

// fill decodes to slab[at:], with history from slab[floor:], and returns where
// the bytes returned end.
func (d *Decoder) fill(slab []byte, floor, at int) (int, error) {
	for {
		d.buf, _ = d.src.Peek(d.src.Buffered())
		d.pos = 0
		w, st := d.run(slab, floor, at)
		d.giveBack()
		d.buf = nil
		d.in += int64(d.pos)
		d.out += int64(w - at)
		if _, err := d.src.Discard(d.pos); err != nil {
			return w, d.fault(0, err)
		}
		switch st {
		case ended:
			return w, io.EOF
		case corrupt:
			return w, d.fault(d.back, fault.Corruptf("%s", d.reason))
		case full, border:
			return w, nil
		}
		if w > at {
			return w, nil
		}
		if err := d.await(); err != nil {
			return w, err
		}
	}
}

// run takes steps until it may not go on. It returns where the bytes in slab end.
func (d *Decoder) run(slab []byte, floor, at int) (w int, st status) {
	w = at
	for {
		switch d.step {
		case stepSkip:
			st = d.skipBits()
		case stepBlock:
			st = d.beginBlock()
		case stepStoredSize:
			st = d.storedSize()
		case stepStored:
			w, st = d.copyStored(slab, w)
		case stepCounts:
			st = d.counts()
		case stepPreLens:
			st = d.codeLens()
		case stepLens:
			st = d.symbolLens()
		case stepSymbols:
			w, st = d.symbols(slab, floor, w)
		case stepEndBlock:
			if d.final {
				d.align()
				return w, ended
			}
			d.step = stepBlock
			if d.out+int64(w-at) >= d.stopAt {
				return w, border
			}
			continue
		}
		if st != more {
			return w, st
		}
	}
}

// symbols decodes symbols of a block: fast while input and room last, then with
// care until a whole symbol is missing.
func (d *Decoder) symbols(slab []byte, floor, w int) (int, status) {
	if d.lit == nil {
		w, st := d.careful(slab, floor, w)
		if st == more && d.step == stepSymbols {
			d.tables()
		}
		return w, st
	}
	if len(d.buf)-d.pos >= fastInput && len(slab)-w >= Slack {
		var st status
		if assembled {
			w, st = d.fastAssembled(slab, floor, w)
		} else {
			w, st = d.fast(slab, floor, w)
		}
		if st != more || d.step != stepSymbols {
			return w, st
		}
	}
	return d.careful(slab, floor, w)
}

// await waits for one more byte of input than is buffered.
func (d *Decoder) await() error {
	left := d.src.Buffered()
	_, err := d.src.Peek(left + 1)
	switch {
	case d.src.Buffered() > left:
		return nil
	case errors.Is(err, io.EOF):
		// The stream lacks what comes after all of these bytes.
		d.src.Discard(left)
		d.in += int64(left)
		d.bits, d.n = 0, 0
		err = io.ErrUnexpectedEOF
	case err == nil:
		err = io.ErrNoProgress
	}
	return d.fault(0, err)
}

// fault makes the error for what begins back bits before the next bit.
func (d *Decoder) fault(back uint, err error) *Error {
	at := d.in<<3 - int64(d.n) - int64(back)
	return &Error{Offset: at >> 3, Bit: uint8(at & 7), Decoded: d.out, Err: err}
}
