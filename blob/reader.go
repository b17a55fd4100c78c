package blob

import (
	"context"
	"fmt"
	"io"
	"io/fs"
)

// smallObject is the size up to which the consumer reads by itself, without a goroutine
// and a buffer: so much arrives at once.
const smallObject = 64 << 10

// Reader reads the stored bytes of one version of one object, in order. Make one with
// [Store.NewReader]. It belongs to one goroutine; DropReadAhead alone may be called from
// others.
type Reader struct {
	obj    Object
	pin    *pin
	whole  context.Context // of NewReader
	ctx    context.Context
	cancel context.CancelFunc
	size   int64
	off    int64
	err    error // the outcome: the end or the fault

	// Exactly one of these is set: the one range of a local store or a small
	// object, or what fetches ahead.
	direct *healingRange
	ahead  *fetch
	buf    []byte // of WriteTo, if direct is set
	rest   []byte // of buf, not read yet
}

// NewReader opens one object for reading. It sends the first range request and returns
// when the response has arrived, so that [Reader.Object] is known; there is no separate
// look-up. Nil opts means the whole object, of the version that it has now.
//
// ctx bounds the Reader's whole life, not only this call: once it is over, reads fail
// with its error. The caller closes the Reader.
//
// The error is fs.ErrNotExist if no object has the key, [ErrArchived] if it must be
// restored first, [ErrChanged] if it is not the Object of opts, and fs.ErrInvalid if key
// is empty or an option makes no sense. An Offset at the end of the object is an empty
// read, and one beyond it an error.
func (s *Store) NewReader(ctx context.Context, key string, opts *ReaderOptions) (*Reader, error) {
	var o ReaderOptions
	if opts != nil {
		o = *opts
	}
	p, err := s.pin(ctx, key, &o)
	if err != nil {
		return nil, err
	}
	r := &Reader{pin: p, whole: ctx, off: o.Offset, size: -1}
	r.ctx, r.cancel = context.WithCancel(ctx)
	o.RangeSize = s.dividing(p.size-o.Offset, &o)
	length := o.RangeSize
	if s.traits.Local {
		length = -1
	} else if left := p.size - o.Offset; left > 0 {
		length = min(length, left)
	}
	first := newHealingRange(r.ctx, p, o.Offset, length)
	var f *fetch
	if p.size-o.Offset > length && length > 0 && o.InFlight > 1 {
		f = newFetch(r.ctx, p, &o)
		f.beginKnown(first, length, p.size)
	}
	if err := r.open(first, f, &o); err != nil {
		r.cancel()
		first.close()
		if f != nil {
			f.stop()
		}
		return nil, err
	}
	return r, nil
}

// leastRange is how small ranges become so that there are enough of them.
const leastRange = 1 << 20

// dividing returns the size of ranges for left bytes: that of o, or less where these bytes
// are so few that there would be fewer ranges than the service needs at once.
func (s *Store) dividing(left int64, o *ReaderOptions) int64 {
	n := min(s.service.ranges.Load(), int64(o.InFlight))
	if n < 2 || left <= leastRange {
		return o.RangeSize
	}
	return min(o.RangeSize, max(leastRange, (left+n-1)/n))
}

// open sends the first request. f is nil, or fetches the second range already.
func (r *Reader) open(first *healingRange, f *fetch, o *ReaderOptions) error {
	if err := first.open(); err != nil {
		return err
	}
	r.size, r.obj = r.pin.state()
	if o.Offset > r.size {
		return r.pin.fail(r.ctx, o.Offset, fmt.Errorf("offset is beyond the end of the object at %d", r.size))
	}
	if r.pin.store.traits.Local || f == nil && r.size-o.Offset <= min(smallObject, first.end-o.Offset) {
		r.direct = first
		return nil
	}
	if f == nil {
		f = newFetch(r.ctx, r.pin, o)
	}
	f.begin(first, r.size)
	r.ahead = f
	return nil
}

// Object returns what the first response stated: the size, the version, and what else
// the service sends with a read.
func (r *Reader) Object() Object { return r.obj }

// Changed returns [ErrChanged] if the object is no longer the version that is read, and
// nil if it is or if that is unknown. It matters on stores whose objects can be written
// to in place ([Traits].Mutable), where it looks again: a caller that finds the bytes
// wrong calls it before it blames the object. On other stores it returns nil at once. It
// may be called after the end and after Close.
func (r *Reader) Changed() error {
	if !r.pin.store.traits.Mutable {
		return nil
	}
	return r.pin.changed(r.whole)
}

// Offset returns the stored offset of the next byte.
func (r *Reader) Offset() int64 { return r.off }

// Buffered returns the number of bytes that can be read without waiting for the store.
// It is 0 for local stores, and may be for small objects.
func (r *Reader) Buffered() int {
	if r.err != nil {
		return 0
	}
	if r.ahead == nil {
		return len(r.rest)
	}
	return r.ahead.buffered()
}

// Read implements [io.Reader]. It returns [io.EOF] only after as many bytes as the
// object has; a body that ends early, after all retries, is io.ErrUnexpectedEOF. Bytes
// that arrived before a fault are returned before its error. Later calls return the same
// end or error.
func (r *Reader) Read(p []byte) (int, error) {
	if err := r.usable(); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	var n int
	var err error
	switch {
	case len(r.rest) > 0:
		n = copy(p, r.rest)
		r.rest = r.rest[n:]
	case r.direct != nil:
		n, err = r.direct.Read(p)
	default:
		n, err = r.ahead.read(p)
	}
	r.off += int64(n)
	if err != nil {
		return n, r.stop(err)
	}
	return n, nil
}

// WriteTo implements [io.WriterTo]: it writes what is left of the object to w, as it
// arrives and without a copy. The object's end is no error. After an error of w the
// Reader continues after the bytes that w has taken.
func (r *Reader) WriteTo(w io.Writer) (sum int64, err error) {
	for {
		if err := r.usable(); err != nil {
			return sum, unlessEOF(err)
		}
		b, err := r.peek()
		if len(b) == 0 {
			return sum, unlessEOF(r.stop(err))
		}
		n, err := w.Write(b)
		if n < 0 || n > len(b) {
			return sum, fmt.Errorf("blob: Write of %d bytes returned %d", len(b), n)
		}
		if r.direct != nil {
			r.rest = r.rest[n:]
		} else {
			r.ahead.consume(n)
		}
		r.off += int64(n)
		sum += int64(n)
		if err == nil && n < len(b) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return sum, err
		}
	}
}

// peek waits for the next bytes and keeps them. If there are none it returns the outcome.
func (r *Reader) peek() ([]byte, error) {
	if r.direct == nil {
		return r.ahead.peek(true)
	}
	if len(r.rest) > 0 {
		return r.rest, nil
	}
	if r.buf == nil {
		r.buf = make([]byte, min(largeChunk, r.size-r.off+1))
	}
	n, err := r.direct.Read(r.buf)
	r.rest = r.buf[:n]
	if n > 0 {
		err = nil
	}
	return r.rest, err
}

// usable returns the outcome, or the end of the context.
func (r *Reader) usable() error {
	if r.err != nil {
		return r.err
	}
	if err := r.ctx.Err(); err != nil {
		return r.stop(err)
	}
	return nil
}

// stop keeps the outcome and frees everything: a Reader that was read to its end holds
// no connection even if nobody closes it.
func (r *Reader) stop(err error) error {
	if err == io.EOF && r.off != r.size {
		err = io.ErrUnexpectedEOF
	}
	if err != io.EOF {
		err = r.pin.fail(r.ctx, r.off, err)
	}
	r.err = err
	r.cancel()
	if r.direct != nil {
		r.direct.close()
	} else {
		r.ahead.stop()
	}
	return err
}

// Close cancels the requests under way, waits for the Reader's goroutines and releases
// its memory to the Budget. Reads after Close fail with fs.ErrClosed; if Read had already
// returned io.EOF or an error, it returns that again. Close returns nil, also when called
// again.
func (r *Reader) Close() error {
	if r.err == nil {
		r.stop(fs.ErrClosed)
	}
	return nil
}

func unlessEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
