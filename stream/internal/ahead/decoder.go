package ahead

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
)

// ErrDiffers is the error of Read where the inline decoder did not end where the next unit
// should begin, and its bytes are not held any more: the object has to be read again from the
// last restart point, without helpers.
var ErrDiffers = errors.New("units are not where the headers say")

// Decoder is a codec.Decoder of one object, from its first byte on. Close stops its helpers.
type Decoder struct {
	c    Config
	ctx  context.Context // of helpers
	stop context.CancelFunc

	in      *codec.Input // of inline
	inline  codec.Decoder
	decoded int64       // offset of what Read returns next
	point   codec.Point // the last restart point of what was before inline or head
	skip    int64       // bytes that inline decodes once more
	err     error       // sticky

	feed feed
	head *part // that is being read; nil for inline
	read int64 // bytes of head that were read
	cur  chunk // of head
	last int64 // stored offset up to which bytes were consumed, for head

	pace pace

	reserved, used int64
	slabs          int64         // that parts may hold
	kept           int           // how many more the list of slabs keeps for them
	buffers        [][]byte      // empty ones
	helped         time.Duration // time of helpers in decode, less what the lane was charged
	original       bool          // inline is what Begin was called with

	running sync.WaitGroup
	mu      sync.Mutex
	waiting []*part // complete, for helpers, and not taken
	rest    []*helper
	working int // helpers with a goroutine
}

// New returns a Decoder. s is a new Scanner of the Codec. Begin follows.
func New(c Config, s codec.Scanner) *Decoder {
	d := &Decoder{c: c}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.feed.src = c.Source
	d.feed.finder = finder{s: s, next: c.Codec.NextMember, size: c.Size}
	return d
}

// Begin begins inline, with dec, which reads from in. Both have consumed nothing; what in has
// buffered is looked at. What in reads from then on must be Source.
func (d *Decoder) Begin(in *codec.Input, dec codec.Decoder) {
	d.in, d.inline, d.original = in, dec, true
	b, _ := in.Peek(in.Buffered())
	d.feed.finder.look(b, func(start) {})
	d.feed.at, d.feed.end = int64(len(b)), int64(len(b))
}

// Source is what in reads from.
func (d *Decoder) Source() io.Reader { return inlineSource{d} }

// mostParts is how many parts are complete at once.
func (d *Decoder) mostParts() int { return d.c.Workers }

// wanted reports whether a worker would take a part.
func (d *Decoder) wanted() bool {
	if d.feed.off || !d.pace.slow && !Least.Fast || d.feed.finder.done() && len(d.feed.queue) == 0 {
		return false
	}
	d.mu.Lock()
	working := d.working
	d.mu.Unlock()
	return working > 0 || d.c.Permits.Idle()
}

// begins reports whether q, the first part, is for the inline decoder. A helper that is
// idle goes first.
func (d *Decoder) begins(q *part) bool {
	if q.inline {
		return true
	}
	d.pump()
	d.hire()
	return d.claim(q)
}

// Read implements [codec.Decoder].
func (d *Decoder) Read(p []byte) (int, error) {
	if d.err != nil || len(p) == 0 {
		return 0, d.err
	}
	d.pump()
	for {
		n, err := d.step(p)
		d.decoded += int64(n)
		if err != nil {
			d.err = err
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// step reads from inline or from a part.
func (d *Decoder) step(p []byte) (int, error) {
	if d.head != nil {
		return d.readPart(p)
	}
	if d.skip > 0 {
		n, err := d.inline.Read(p[:min(int64(len(p)), d.skip)])
		d.skip -= int64(n)
		return 0, err
	}
	n, err := d.readInline(p)
	if err == nil || !d.feed.stopped || n > 0 {
		return n, err
	}
	d.feed.stopped = false
	if _, ignored := codec.Trailing(d.inline); err != io.EOF || ignored > 0 || consumed(d.inline) != d.feed.at {
		return 0, ErrDiffers
	}
	d.notePoint()
	return 0, d.advance()
}

// notePoint notes the restart point that inline has passed last.
func (d *Decoder) notePoint() {
	if r, ok := d.inline.(codec.Restarter); ok {
		if at, ok := r.RestartPoint(); ok && at.Stored >= d.point.Stored {
			d.point = at
		}
	}
}

// advance goes on to the first part if a helper has taken it, else to inline decoding.
func (d *Decoder) advance() error {
	f := &d.feed
	if len(f.queue) > 0 && f.served == 0 && !d.begins(f.queue[0]) {
		d.head, d.read, d.last = f.queue[0], 0, f.at
		f.queue[0] = nil
		f.queue = f.queue[1:]
		return nil
	}
	return d.resume()
}

// resume begins to decode inline at the first byte of the queue.
func (d *Decoder) resume() (err error) {
	at := codec.Point{Stored: d.feed.at, Decoded: d.decoded - d.skip}
	if len(d.feed.queue) > 0 {
		at.State = d.feed.queue[0].begin.state
	}
	if d.point.Stored == at.Stored {
		at = d.point
	}
	d.point = at
	d.in.Reset(d.Source())
	if r, ok := d.inline.(codec.ResetterAt); ok {
		return r.ResetAt(d.in, at)
	}
	d.original = false
	d.inline.Close()
	d.inline, err = d.c.Host.Restart(d.in, at)
	return err
}

// account adds the time that a helper has decoded for q.
func (d *Decoder) account(q *part) { d.helped += q.meter.At(time.Now())[meter.Decode] }

// quit stops the helpers for good.
func (d *Decoder) quit() {
	d.feed.off = true
	d.stop()
	d.running.Wait()
}

// StoredOffset implements [codec.Positioned].
func (d *Decoder) StoredOffset() int64 {
	if d.head != nil {
		return d.last
	}
	return consumed(d.inline)
}

// RestartPoint implements [codec.Restarter].
func (d *Decoder) RestartPoint() (codec.Point, bool) {
	if d.head == nil {
		d.notePoint()
	}
	return d.point, d.point.Stored > 0
}

// Trailing is that of [codec.Trailing].
func (d *Decoder) Trailing() (offset, size int64) { return codec.Trailing(d.inline) }

// Doubt is that of [codec.Doubt].
func (d *Decoder) Doubt() string { return codec.Doubt(d.inline) }

// Helped returns how long helpers have decoded, beyond what the lane was charged for its
// waits.
func (d *Decoder) Helped() time.Duration { return d.helped }

// Release stops the helpers and returns all memory. It returns the inline decoder if that is
// the one that Begin was called with, and has only to be closed or reset.
func (d *Decoder) Release() (inline codec.Decoder) {
	d.quit()
	if d.head != nil {
		d.feed.queue = append(d.feed.queue, d.head)
		d.account(d.head)
		d.head = nil
	}
	if d.cur.slab != nil {
		d.cur.slab.Release()
		d.cur = chunk{}
	}
	for _, q := range d.feed.queue {
		d.free(q)
	}
	d.feed.queue, d.waiting = nil, nil
	for _, h := range d.rest {
		if h.kept != nil {
			h.kept.Close()
		}
	}
	d.rest = nil
	d.c.Host.ReleaseMemory(d.reserved)
	d.reserved, d.used = 0, 0
	d.c.Slabs.Keep(-d.kept)
	d.kept = 0
	if d.original {
		return d.inline
	}
	d.inline.Close()
	return nil
}

// Reset implements [codec.Decoder]. A Decoder is of one object.
func (d *Decoder) Reset(io.Reader) error { return errors.ErrUnsupported }

// Close implements [codec.Decoder]. It stops the helpers and returns all memory.
func (d *Decoder) Close() error {
	if dec := d.Release(); dec != nil {
		return dec.Close()
	}
	return nil
}
