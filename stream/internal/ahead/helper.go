package ahead

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/permit"
)

// helper decodes parts, one after the other. Its goroutine lives as long as there are parts
// to take; then the helper rests.
type helper struct {
	d      *Decoder
	permit *permit.Permit
	src    bytes.Reader
	in     *codec.Input
	opts   codec.Options
	kept   codec.Decoder // nil before the first part
}

// errUnfit is the error of a decoder that asks for more memory than a helper has.
var errUnfit = errors.New("more memory than a helper has")

// hire starts helpers for parts that nobody has taken, as far as there are idle workers
// and memory.
func (d *Decoder) hire() {
	for d.canHire() {
		h := d.helper()
		if h == nil {
			return
		}
		if !h.permit.Resume() {
			d.mu.Lock()
			d.rest = append(d.rest, h)
			d.mu.Unlock()
			return
		}
		d.mu.Lock()
		d.working++
		d.mu.Unlock()
		d.running.Go(h.run)
	}
}

// canHire reports whether a part waits for a helper and there may be one more.
func (d *Decoder) canHire() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.working < d.c.Workers && len(d.waiting) > 0
}

// claim takes q for the inline decoder, unless a helper has taken it.
func (d *Decoder) claim(q *part) bool {
	if q.most > 0 {
		d.mu.Lock()
		defer d.mu.Unlock()
		i := slices.Index(d.waiting, q)
		if i < 0 {
			return false
		}
		d.waiting = slices.Delete(d.waiting, i, i+1)
	}
	q.inline, q.most = true, 0
	return true
}

// helper returns one that rests, or a new one; nil if there is no memory for it.
func (d *Decoder) helper() *helper {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.rest); n > 0 {
		h := d.rest[n-1]
		d.rest = d.rest[:n-1]
		return h
	}
	in := codec.NewInput(nil, 0)
	holds := d.c.DecoderMemory + int64(in.Size())
	if !d.reserve(holds) {
		return nil
	}
	d.used += holds
	h := &helper{d: d, permit: d.c.Permits.Permit(), in: in, opts: d.c.Options}
	h.opts.Grow = func(n int64) error {
		if n > d.c.DecoderMemory {
			return errUnfit
		}
		return nil
	}
	return h
}

// run decodes parts while there are any.
func (h *helper) run() {
	d := h.d
	d.c.Host.Label()
	for {
		d.mu.Lock()
		if len(d.waiting) == 0 || d.ctx.Err() != nil {
			d.working--
			d.rest = append(d.rest, h)
			d.mu.Unlock()
			h.permit.Release()
			return
		}
		q := d.waiting[0]
		d.waiting = slices.Delete(d.waiting, 0, 1)
		d.mu.Unlock()
		h.part(q)
		h.permit.Yield()
	}
}

// part decodes one part. What is wrong with it is found by the inline decoder again, with
// its positions; so is a panic of the decoder.
func (h *helper) part(q *part) {
	d := h.d
	var r result
	defer func() {
		if e := recover(); e != nil {
			h.kept = nil
			r.proven = false
		}
		r.done = true
		q.meter.Enter(meter.Queue)
		d.mu.Lock()
		q.result = r
		d.mu.Unlock()
		notify(q.ready)
	}()
	q.meter.Enter(meter.Decode)
	dec, err := h.open(q)
	if err != nil {
		return
	}
	if dec != h.kept {
		defer dec.Close()
	}
	for err == nil {
		err = h.slab(q, dec)
	}
	if err != io.EOF || consumed(dec) != q.end() {
		return
	}
	if _, ignored := codec.Trailing(dec); ignored > 0 {
		return
	}
	if p, ok := dec.(codec.Restarter); ok {
		r.point, r.passed = p.RestartPoint()
	}
	r.proven = true
}

// open returns a decoder for q, whose decoded offsets count from its begin. It is kept for the
// next part where the codec's decoders can begin again in the middle of an object.
func (h *helper) open(q *part) (dec codec.Decoder, err error) {
	h.src.Reset(q.stored)
	h.in.Reset(&h.src)
	at := codec.Point{Stored: q.begin.offset, State: q.begin.state}
	if r, ok := h.kept.(codec.ResetterAt); ok {
		return h.kept, r.ResetAt(h.in, at)
	}
	dec, err = h.d.c.Codec.Restart(h.in, at, &h.opts)
	if _, ok := dec.(codec.ResetterAt); ok {
		h.kept = dec
	}
	return dec, err
}

// helperTurn is how much a helper decodes before it makes room for the reader, which waits
// for a permit once there is something to read: little enough to be in cache then.
const helperTurn = 1 << 20

// slab decodes into one more slab of q.
func (h *helper) slab(q *part, dec codec.Decoder) error {
	d := h.d
	if err := h.room(q); err != nil {
		return err
	}
	s := d.c.Slabs.Get()
	buf := s.Bytes()[d.c.Head:]
	n, idle := 0, 0
	var err error
	for n < len(buf) && err == nil {
		var m int
		m, err = dec.Read(buf[n:])
		n += m
		if idle++; m > 0 {
			idle = 0
		}
		if idle > mostIdleReads {
			err = io.ErrNoProgress
		}
	}
	h.permit.DidOf(int64(n), helperTurn)
	at := consumed(dec) // a panic of it holds no lock
	d.mu.Lock()
	if n > 0 {
		q.held++
		q.chunks = append(q.chunks, chunk{slab: s, data: buf[:n], whole: true, storedUpTo: at})
	}
	d.mu.Unlock()
	if n == 0 {
		s.Release()
	}
	notify(q.ready)
	return err
}

const mostIdleReads = 100

// room waits until q may hold one more slab and h has a permit.
func (h *helper) room(q *part) error {
	d := h.d
	for {
		d.mu.Lock()
		full := q.held >= q.most
		d.mu.Unlock()
		if !full {
			break
		}
		q.meter.Enter(meter.Queue)
		h.permit.Release()
		select {
		case <-q.room:
		case <-d.ctx.Done():
		}
		if d.ctx.Err() != nil {
			return d.ctx.Err()
		}
	}
	if err := d.ctx.Err(); err != nil {
		return err
	}
	if !h.permit.Resume() {
		q.meter.Enter(meter.Queue)
		if err := h.permit.Wait(d.ctx); err != nil {
			return err
		}
	}
	if q.meter.Stage() != meter.Decode {
		q.meter.Enter(meter.Decode)
	}
	return nil
}

// consumed is how many bytes of its source dec has consumed.
func consumed(dec codec.Decoder) int64 { return dec.(codec.Positioned).StoredOffset() }
