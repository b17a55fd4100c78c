package blob

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
)

// NOTE: how ranges are fetched ahead.
//
// What is to be read is cut into parts, one range each, in order. One goroutine a part
// reads a healingRange into the part's chunks; the consumer, whoever calls Reader.Read,
// empties the first part:
//
//	          first part                      part                  part
//	freed ◀── [r▒▒▒▒▒▒] [▒▒▒▒w···] ◀─ range   [▒▒▒▒▒▒] [▒w··] ◀─    [w····] ◀─   … next
//	           ▲ consumer
//
// Below w a chunk is the consumer's, from w on it is the goroutine's. w moves under mu,
// and the consumer looks at it only when it has read up to where it was. So a byte of
// the first part can be read as soon as it has arrived, and a part that is half
// consumed is half freed.
//
// window bounds the parts under way; half as many again may have arrived. It begins at
// what the last large object of the service needed, or at one, and grows fourfold when the
// consumer has to wait, except for the very first bytes, and not before the newest part has
// returned a byte: until then the last growth shows no effect. A part in its last quarter makes room for the next one, so that the next one
// waits for its first byte meanwhile. The window halves when memory is refused. A range
// is not made smaller for that: one that waits for memory continues as soon as it is
// the first, with the two reserved chunks, and streams from the connection that it has.
//
// Invariants, under mu:
//   - parts tile the object from the consumer's offset up to next;
//   - reserved chunks are in the first part only, so it can always continue: it holds
//     bytes for the consumer, or a reserved chunk is free;
//   - a part whose goroutine waits for a chunk has waits set, and is woken when it
//     becomes the first or a chunk is freed.

// fetch is the queue of parts of one reader.
type fetch struct {
	ctx       context.Context
	pin       *pin
	rangeSize int64
	most      int // largest window

	ready   chan struct{}  // to the consumer: the first part has changed
	workers sync.WaitGroup // one for each part that is not done

	mu      sync.Mutex
	mem     chunks
	parts   []*part // the first is the consumer's
	next    int64   // first byte that is in no part yet
	end     int64   // of the object
	window  int     // parts that may be under way
	newest  *part   // of the last growth
	failed  bool    // a part cannot be completed: nothing after it is requested
	leftErr error   // of a part that the consumer has left, with all its bytes

	// The consumer's alone.
	head  *chunk // the chunk it reads; nil: unknown
	limit int    // what of it may be read without the mutex
	taken int64  // bytes read
	left  int64  // of taken, those of the first part
}

// part is one range.
type part struct {
	rng    *healingRange
	want   int64
	chunks []*chunk // the last one is filled
	got    int64    // bytes that ever were in chunks
	freed  int64    // bytes of chunks that the consumer has emptied
	waits  bool     // for a chunk
	cut    bool     // cut ends it after kept bytes
	kept   int64
	last   *chunk // of a part that was cut: its goroutine may still write there
	done   bool
	err    error // why it ends early
	wake   chan struct{}
}

// newFetch returns a fetch from offset on. Nothing is sent yet.
func newFetch(ctx context.Context, p *pin, o *ReaderOptions) *fetch {
	f := &fetch{
		ctx: ctx, pin: p, rangeSize: o.RangeSize, most: o.InFlight,
		ready: make(chan struct{}, 1), window: 1, next: o.Offset,
		mem: chunks{size: largeChunk, budget: o.Budget},
	}
	if o.ReadAhead < ownChunks*largeChunk {
		f.mem.size = smallChunk
	}
	f.mem.fit(o.RangeSize)
	f.mem.most = int(max(0, o.ReadAhead/int64(f.mem.size)-ownChunks))
	return f
}

// beginKnown enters the first range before it is answered, and requests the second: the
// size of the object is known.
func (f *fetch) beginKnown(first *healingRange, want, size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.enter(first, want)
	f.end = size
	f.window = min(f.most, max(2, f.needed()))
	f.extend()
}

// needed returns how many ranges the last large object of the service needed at once.
func (f *fetch) needed() int { return int(f.pin.store.service.ranges.Load()) }

func (f *fetch) enter(first *healingRange, want int64) {
	f.parts = []*part{{rng: first, want: want, wake: make(chan struct{}, 1)}}
	f.next += want
}

// begin fills the first part, whose request was answered.
func (f *fetch) begin(first *healingRange, size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.parts) == 0 {
		f.mem.fit(size - f.next)
		f.enter(first, first.end-f.next)
	}
	f.end = size
	f.start(f.parts[0])
	if n := min(f.most, f.needed()); n > f.window {
		f.window = n
		f.extend()
	}
}

// extend requests further ranges as the window and the memory allow. The caller holds
// the mutex.
func (f *fetch) extend() {
	for f.next < f.end && f.underWay() < f.window && len(f.parts) < f.window+f.window/2 && !f.failed && f.ctx.Err() == nil {
		p := &part{want: min(f.rangeSize, f.end-f.next), wake: make(chan struct{}, 1)}
		if len(f.parts) > 0 {
			c := f.mem.get(false)
			if c == nil {
				f.window = max(1, f.underWay())
				return
			}
			p.chunks = []*chunk{c}
		}
		p.rng = newHealingRange(f.ctx, f.pin, f.next, p.want)
		f.parts = append(f.parts, p)
		f.next += p.want
		f.start(p)
	}
}

// underWay counts the parts that still arrive, without those in their last quarter
// unless there is one at a time. The caller holds the mutex.
func (f *fetch) underWay() int {
	n := 0
	for _, p := range f.parts {
		if p.got < p.want && (f.window == 1 || !p.inLastQuarter()) {
			n++
		}
	}
	return n
}

// inLastQuarter reports whether at most a quarter of the part is to come.
func (p *part) inLastQuarter() bool { return p.want-p.got <= p.want/4 }

// errGoexit is the fault of a part whose goroutine was ended by OnRequest.
var errGoexit = errors.New("runtime.Goexit was called in OnRequest")

// start fills a part.
func (f *fetch) start(p *part) {
	f.workers.Go(func() {
		err := errGoexit
		defer func() {
			p.rng.close()
			f.finish(p, err)
		}()
		err = f.fill(p)
	})
}

// fill reads the range into the part's chunks. It reads up to io.EOF, so that the
// connection can be used again.
func (f *fetch) fill(p *part) error {
	var beyond [1]byte
	for {
		dst := beyond[:]
		var c *chunk
		if p.got < p.want {
			var err error
			if c, err = f.room(p); err != nil {
				return p.rng.fail(err)
			}
			dst = c.buf[c.w:]
			dst = dst[:min(int64(len(dst)), p.want-p.got+1)]
		}
		n, err := p.rng.Read(dst)
		if n > 0 {
			f.publish(p, c, n)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// room returns the chunk to append to. It waits until there is memory for it.
func (f *fetch) room(p *part) (*chunk, error) {
	for {
		if c := f.tryRoom(p); c != nil {
			return c, nil
		}
		select {
		case <-p.wake:
		case <-p.rng.ctx.Done():
			return nil, p.rng.ctx.Err()
		}
	}
}

func (f *fetch) tryRoom(p *part) *chunk {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.cut {
		return nil
	}
	if n := len(p.chunks); n > 0 && p.chunks[n-1].w < len(p.chunks[n-1].buf) {
		return p.chunks[n-1]
	}
	first := f.isFirst(p)
	c := f.mem.get(first)
	if c != nil {
		p.chunks = append(p.chunks, c)
	} else if !first && !p.waits {
		f.window = max(1, f.window/2)
	}
	p.waits = c == nil
	return c
}

// publish passes n more bytes of the part's last chunk to the consumer.
func (f *fetch) publish(p *part, c *chunk, n int) {
	f.mu.Lock()
	if p.cut {
		f.mu.Unlock()
		return
	}
	c.w += n
	if p.got += int64(n); p.inLastQuarter() {
		f.extend()
	}
	first := f.isFirst(p)
	f.mu.Unlock()
	if first {
		ping(f.ready)
	}
}

// finish notes a part's outcome.
func (f *fetch) finish(p *part, err error) {
	f.mu.Lock()
	p.done = true
	if p.cut {
		f.discard(p.last)
		p.last, err = nil, nil // what was cut off is requested again
	} else {
		p.err = err
		f.failed = f.failed || err != nil
	}
	if !f.expects() {
		f.mem.trim()
	}
	if err != nil && f.leftErr == nil && !slices.Contains(f.parts, p) {
		f.leftErr = err
	}
	first := f.isFirst(p)
	f.mu.Unlock()
	if first {
		ping(f.ready)
	}
}

func (f *fetch) isFirst(p *part) bool { return len(f.parts) > 0 && f.parts[0] == p }

// expects reports whether bytes are to come. The caller holds the mutex.
func (f *fetch) expects() bool {
	if f.next < f.end && !f.failed {
		return true
	}
	for _, p := range f.parts {
		if !p.done {
			return true
		}
	}
	return false
}
