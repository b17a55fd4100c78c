package ahead

import (
	"context"

	"github.com/thaw-go/thaw/internal/slab"
	"github.com/thaw-go/thaw/stream/internal/ctxerr"
)

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

// HasPart reports whether the next data is of a part, so that Slab may return it.
func (d *Decoder) HasPart() bool { return d.head != nil }

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
	charged, err := d.c.Host.Await(&q.meter, func(ctx context.Context) error {
		d.hire() // the permit is free for another
		select {
		case <-q.ready:
			return nil
		case <-ctx.Done():
			return ctxerr.Of(ctx)
		}
	})
	d.helped -= charged
	return err
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
