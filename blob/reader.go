package blob

import (
	"context"
	"fmt"
	"io"
	"io/fs"
)

// smallObject is how much is read by the consumer itself, without a goroutine and
// a buffer: it arrives at once.
const smallObject = 64 << 10

// Reader reads the stored bytes of one version of one object in order. It
// belongs to one goroutine.
type Reader struct {
	obj    Object
	pin    *pin
	whole  context.Context // of NewReader
	ctx    context.Context
	cancel context.CancelFunc
	size   int64
	off    int64
	err    error // the end or the fault, which every later Read repeats

	// Exactly one of these is set: the one span of a local store or a small
	// object, or what fetches ahead.
	direct *healingRange
	ahead  *fetch
	buf    []byte // of WriteTo, where direct is set
	rest   []byte // of buf, that the Writer did not take
}

// NewReader opens one object and returns when the first response is there, so
// that Object is known. ctx bounds the Reader's whole life. The first request is
// a read, not a look-up. Faults of the connection heal, as [Retry] says. The caller
// closes the Reader.
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

// open sends the first request. f is nil or fetches the second range already.
func (r *Reader) open(first *healingRange, f *fetch, o *ReaderOptions) error {
	if err := first.open(); err != nil {
		return err
	}
	r.size, r.obj = r.pin.state()
	if o.Offset > r.size {
		return r.pin.fail(r.ctx, o.Offset, fmt.Errorf("offset is behind the end of the object at %d", r.size))
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

// Object describes what is read: size and version as served.
func (r *Reader) Object() Object { return r.obj }

// Changed looks again, on a store whose objects can be written to in place
// ([Traits.Mutable]), whether the object is still the version that is read: it is
// [ErrChanged] when it is not, nil when it is or when that cannot be found out. A
// caller that finds the bytes wrong asks it before it blames them. It may be called
// after the end and after Close; on other stores it asks nothing.
func (r *Reader) Changed() error {
	if !r.pin.store.traits.Mutable {
		return nil
	}
	return r.pin.changed(r.whole)
}

// Offset is the stored offset of the next byte.
func (r *Reader) Offset() int64 { return r.off }

// Buffered is how many bytes Read can give without waiting for the store. It is
// always 0 for local stores and may be for small objects.
func (r *Reader) Buffered() int {
	if r.err != nil {
		return 0
	}
	if r.ahead == nil {
		return len(r.rest)
	}
	return r.ahead.buffered()
}

// Read reads the next stored bytes. It gives [io.EOF] only when as many bytes
// were read as the object has; a body that ends early is io.ErrUnexpectedEOF.
// Bytes that arrived before a fault are given before its error. Later calls
// repeat the end or the error.
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

// WriteTo writes what is left of the object to w as it arrives. The object's end is
// no error. After an error of w the Reader goes on behind what w took.
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
			return sum, fmt.Errorf("blob: Write of %d bytes gave %d", len(b), n)
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

// peek waits for the next bytes and keeps them. Without any it gives the outcome.
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

// usable is the outcome or the end of the context.
func (r *Reader) usable() error {
	if r.err != nil {
		return r.err
	}
	if err := r.ctx.Err(); err != nil {
		return r.stop(err)
	}
	return nil
}

// stop keeps the outcome and frees everything at once: a reader that was read to
// its end holds no connection even if nobody closes it.
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

// Close ends requests under way and returns when no goroutine of the Reader is
// left. Closing twice is no error. Reads after Close fail.
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
