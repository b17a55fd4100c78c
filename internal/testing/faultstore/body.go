package faultstore

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/thaw-go/thaw/blob/driver"
)

// body gives a range of one version, and meets at most one fault. Close may be
// called while a Read waits.
type body struct {
	ctx    context.Context
	store  *Store
	object *object
	offset int64
	end    int64

	fault  Fault
	strike int64 // where, in the object; -1: no more

	err    error
	once   sync.Once
	closed chan struct{}
}

func (s *Store) body(ctx context.Context, o *object, offset, length int64, f Fault) *body {
	b := &body{
		ctx: ctx, store: s, object: o, offset: offset, end: offset + length,
		fault: f, strike: -1, closed: make(chan struct{}),
	}
	switch f.Kind {
	case Reset, Cut, Short, Stall, Replace, ReplaceReset:
		b.strike = offset + min(max(f.At, 0), length)
	}
	s.opened()
	return b
}

// Read gives bytes up to where the fault strikes. The error of a fault at an odd
// place comes with the bytes before it, at an even one alone.
func (b *body) Read(p []byte) (int, error) {
	for b.err == nil && len(p) > 0 {
		if b.err = b.over(); b.err != nil {
			break
		}
		limit := b.end
		if b.strike >= 0 {
			limit = b.strike
		}
		if b.offset < limit {
			n := copy(p, b.object.item.Content.Part(b.offset, min(int64(len(p)), limit-b.offset)))
			b.offset += int64(n)
			b.store.gave(n)
			if b.offset == b.strike && b.strike%2 == 1 && b.fault.Kind != Stall {
				b.hit()
			}
			return n, b.err
		}
		if b.strike >= 0 {
			b.hit()
		} else {
			b.err = io.EOF
		}
	}
	return 0, b.err
}

// over tells whether the body ended from outside.
func (b *body) over() error {
	select {
	case <-b.closed:
		return fs.ErrClosed
	default:
		return b.ctx.Err()
	}
}

// hit lets the fault strike.
func (b *body) hit() {
	given := b.fault.At
	b.strike = -1
	switch b.fault.Kind {
	case Stall:
		b.err = wait(b.ctx, b.fault.Wait, b.closed)
	case Cut:
		b.err = io.ErrUnexpectedEOF
	case Short:
		b.err = io.EOF
	case Replace:
		b.store.Replace(b.object.item.Key)
	case ReplaceReset:
		b.store.Replace(b.object.item.Key)
		fallthrough
	case Reset:
		b.err = fmt.Errorf("connection reset after %d bytes: %w", given, driver.ErrTransient)
	}
}

// Close ends a Read that waits.
func (b *body) Close() error {
	b.once.Do(func() {
		close(b.closed)
		b.store.closed()
	})
	return nil
}
