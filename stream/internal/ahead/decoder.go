package ahead

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/internal/slab"
	"github.com/thaw-go/thaw/stream/internal/permit"
)

// Config is what a Decoder needs.
type Config struct {
	Codec   codec.Codec
	Options codec.Options // of helpers; Grow is replaced

	Source  io.Reader   // the stored bytes; it waits where it must
	Arrived func() bool // whether Source has bytes without a wait
	Size    int64       // of the object

	Host          Host
	Workers       int   // the most helpers
	DecoderMemory int64 // what the decoder of a helper may take, in bytes
	Permits       *permit.Set
	Slabs         *slab.List
	Head          int // bytes at the front of a slab that are left free
}

// Host is the lane that reads the object. Its methods are called by the goroutine that calls
// Read, but for Label.
type Host interface {
	// TryMemory reserves n bytes if that is possible without a wait.
	TryMemory(n int64) bool

	// ReleaseMemory returns n bytes.
	ReleaseMemory(n int64)

	// Restart opens a decoder that begins at p, for the inline decoding of what follows. It
	// is called after the one before was closed.
	Restart(in *codec.Input, p codec.Point) (codec.Decoder, error)

	// Await calls wait without holding a permit. The time counts as the stages of m.
	Await(m *meter.Meter, wait func(ctx context.Context) error) error

	// Label sets the profiler's labels of a helper's goroutine.
	Label()
}

// ErrDiffers is the error of Read where the inline decoder did not end where the next unit
// should begin, and its bytes are not held any more: the object has to be read again from the
// last restart point, without helpers.
var ErrDiffers = errors.New("units are not where the headers say")

// Decoder is a codec.Decoder of one object, from its first byte on. Close stops its helpers.
type Decoder struct {
	c    Config
	ctx  context.Context // of helpers
	stop context.CancelFunc

	in      *codec.Input  // of inline
	inline  codec.Decoder // nil while a part is being read
	decoded int64         // offset of what Read returns next
	point   codec.Point   // the last restart point of what was before inline or head
	skip    int64         // bytes that inline decodes once more
	err     error         // sticky

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
	if d.feed.off || !d.pace.slow && !Least.any() || d.feed.finder.done() && len(d.feed.queue) == 0 {
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

// readInline reads from inline and measures how fast that is.
func (d *Decoder) readInline(p []byte) (int, error) {
	if d.feed.off {
		return d.inline.Read(p)
	}
	began := time.Now()
	n, err := d.inline.Read(p)
	d.pace.add(n, time.Since(began), d.fastest()*float64(d.c.Workers))
	return n, err
}

// pace is how fast the inline decoder is at its best: what it is on average depends on who
// else uses the processors.
type pace struct {
	bytes int64 // of a measurement
	took  time.Duration
	count int     // measurements
	best  float64 // of them, in bytes a second
	slow  bool    // slower than a limit, as far as is known
}

const (
	// paceBytes is how much is decoded for one measurement: more than the blocks of most
	// formats, which come at once.
	paceBytes = 2 << 20

	// paceCount is how many measurements decide, and by how much slower one is enough. The
	// first of all does not count, since the first pass over memory is slow.
	paceCount, paceSure = 3, 4
)

// add takes a read of n bytes into account.
func (p *pace) add(n int, took time.Duration, limit float64) {
	p.took += took
	if p.bytes += int64(n); p.bytes < paceBytes {
		return
	}
	rate := float64(p.bytes) / max(p.took, 1).Seconds()
	if p.bytes, p.took = 0, 0; rate < limit/paceSure {
		p.slow = true
		return
	}
	if p.count++; p.count == 1 {
		return
	}
	p.best = max(p.best, rate)
	if p.count > paceCount {
		p.slow = p.best < limit
		p.count, p.best = 1, 0
	}
}

// fastest is the rate of inline decoding, in bytes a second for each worker, from which on
// decoding ahead costs more than it gains: what helpers decode is not in the cache of who
// reads it, and with a large window not even in theirs.
func (d *Decoder) fastest() float64 {
	if d.c.DecoderMemory > 4<<20 {
		return 1e9
	}
	return 1.6e9
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

// readPart reads from head, and waits for its helper.
func (d *Decoder) readPart(p []byte) (int, error) {
	if err := d.await(); err != nil || d.head == nil {
		return 0, err
	}
	n := copy(p, d.cur.data)
	d.cur.data, d.cur.whole = d.cur.data[n:], false
	d.read += int64(n)
	if len(d.cur.data) == 0 {
		s := d.takeSlab()
		s.Release()
	}
	return n, nil
}

// Slab returns the next slab of decoded data as a helper has filled it, with n bytes after its
// head, and hands it over. It returns nil where Read has to be called instead: the next data
// is decoded inline, or a part of it was read.
func (d *Decoder) Slab() (s *slab.Slab, n int, err error) {
	if d.err != nil || d.head == nil {
		return nil, 0, nil
	}
	d.pump()
	if err := d.await(); err != nil {
		d.err = err
		return nil, 0, err
	}
	if d.head == nil || !d.cur.whole {
		return nil, 0, nil
	}
	n = len(d.cur.data)
	d.read += int64(n)
	d.decoded += int64(n)
	return d.takeSlab(), n, nil
}

// takeSlab takes the slab of cur, whose data was read.
func (d *Decoder) takeSlab() *slab.Slab {
	s := d.cur.slab
	d.last = d.cur.storedUpTo
	d.cur = chunk{}
	d.mu.Lock()
	d.head.held--
	d.mu.Unlock()
	notify(d.head.room)
	return s
}

// await waits until cur has data. It goes from part to part, and returns with head nil where
// inline decoding goes on.
func (d *Decoder) await() error {
	for d.head != nil && d.cur.slab == nil {
		q := d.head
		d.mu.Lock()
		r := q.result
		if len(q.chunks) > 0 && (!r.done || r.proven) {
			d.cur = q.chunks[0]
			q.chunks[0] = chunk{}
			q.chunks = q.chunks[1:]
			d.mu.Unlock()
			return nil
		}
		d.mu.Unlock()
		var err error
		switch {
		case !r.done:
			err = d.wait(q)
		case r.proven:
			err = d.finish(q, r)
		default:
			err = d.redo(q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wait waits for the helper of q.
func (d *Decoder) wait(q *part) error {
	before := q.decodeTime()
	defer func() { d.helped -= q.decodeTime() - before }()
	return d.c.Host.Await(&q.meter, func(ctx context.Context) error {
		d.hire() // the permit is free for another
		select {
		case <-q.ready:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

// finish goes on after head, which is proven.
func (d *Decoder) finish(q *part, r result) error {
	if r.passed {
		d.point = r.point
		d.point.Decoded += d.decoded - d.read
	}
	d.feed.at = q.end()
	d.account(q)
	d.head = nil
	d.free(q)
	return d.advance()
}

// redo decodes head inline, and all that follows: something is wrong with it.
func (d *Decoder) redo(q *part) error {
	d.quit()
	d.account(q)
	d.head, d.skip = nil, d.read
	d.feed.queue = append([]*part{q}, d.feed.queue...)
	for _, q := range d.feed.queue {
		q.inline = true
	}
	return d.resume()
}

// account adds the time that a helper spent on q.
func (d *Decoder) account(q *part) {
	d.helped += q.decodeTime()
}

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
