package blob

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"time"
)

// ReaderOptions configures [Store.NewReader]. Nil means the zero value.
type ReaderOptions struct {
	// Version pins the read to one version: another one is [ErrChanged].
	// Empty means whatever the first response carries, pinned from then on.
	Version string

	// Offset is the first stored byte to read. 0 means the start. An offset
	// at the object's end gives an empty read, one behind it an error.
	Offset int64

	// Size is what a listing says of the object's size; another one is
	// [ErrChanged]. A second range may then be asked for before the first is
	// answered. 0 means unknown.
	Size int64

	// RangeSize is how many bytes one request asks for. 0 means 8 MiB.
	// Ignored for local stores, which are read by one range to the end.
	RangeSize int64

	// InFlight is how many ranges may be under way at once; beyond one, a
	// range in its last quarter does not count. The Reader begins with one
	// and doubles their number when it has to wait. 0 means 16. Local stores
	// have one.
	InFlight int

	// ReadAhead is how many bytes may be held that were fetched and not yet
	// read. 0 means one and a half times InFlight ranges; less than 128 KiB
	// counts as that. A local store reads none ahead.
	ReadAhead int64

	// Budget is asked for memory beyond the first 256 KiB of read-ahead.
	// Where it refuses, fewer ranges are in flight. Nil means that ReadAhead
	// alone is the bound.
	Budget Budget

	// OnRequest is called once for each request that ended. Nil means not. It
	// may be called from other goroutines than the reader's, one call at a
	// time, and does not use the Reader.
	OnRequest func(Request)
}

// Budget grants memory. Both methods are safe for concurrent use and do not
// block.
type Budget interface {
	TryAcquire(n int64) bool // whether n more bytes may be held
	Release(n int64)         // gives n bytes back
}

// Request describes one request of a Reader or a ReaderAt that ended.
type Request struct {
	Key       string
	Offset    int64         // first byte asked for
	Asked     int64         // bytes asked for; -1 means to the end
	Got       int64         // bytes received
	Attempt   int           // 1 for the first try; counted anew after 64 KiB
	Hedged    bool          // sent since another one was late
	FirstByte time.Duration // from sending until the response was there
	Total     time.Duration // from sending until the body ended
	Err       error         // nil when everything asked for was received
}

// rangeSize is the default of RangeSize: long enough for the rate of a
// connection to outweigh the wait for the first byte.
const rangeSize = 8 << 20

// inFlight is the default of InFlight: 16 connections of 85 MB/s, which is what
// one of S3 gives, are more than 10 Gbit/s.
const inFlight = 16

// smallObject is how much is read by the consumer itself, without a goroutine and
// a buffer: it arrives at once.
const smallObject = 64 << 10

// Reader reads the stored bytes of one version of one object in order. It
// belongs to one goroutine.
type Reader struct {
	obj    Object
	pin    *pin
	ctx    context.Context
	cancel context.CancelFunc
	size   int64
	off    int64
	err    error // the end or the fault, which every later Read repeats

	// Exactly one of these is set: the one span of a local store or a small
	// object, or what fetches ahead.
	direct *span
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
	r := &Reader{pin: p, off: o.Offset, size: -1}
	r.ctx, r.cancel = context.WithCancel(ctx)
	length := o.RangeSize
	if s.traits.Local {
		length = -1
	} else if left := o.Size - o.Offset; left > 0 {
		length = min(length, left)
	}
	first := newSpan(r.ctx, p, o.Offset, length)
	var f *fetch
	if o.Size-o.Offset > length && length > 0 && o.InFlight > 1 {
		f = newFetch(r.ctx, p, &o)
		f.expect(first, length, o.Size)
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

// pin fills in the defaults of o and makes the pin of a read.
func (s *Store) pin(ctx context.Context, key string, o *ReaderOptions) (*pin, error) {
	p := &pin{store: s, key: key, version: o.Version, size: -1, onRequest: o.OnRequest}
	if o.Offset < 0 || o.Size < 0 || o.RangeSize < 0 || o.ReadAhead < 0 || o.InFlight < 0 {
		return nil, p.fail(ctx, -1, fmt.Errorf("negative offset %d, size %d, range size %d, ranges in flight %d or read-ahead %d",
			o.Offset, o.Size, o.RangeSize, o.InFlight, o.ReadAhead))
	}
	if err := ctx.Err(); err != nil {
		return nil, p.fail(ctx, -1, err)
	}
	if o.Size > 0 {
		p.size = o.Size
	}
	o.RangeSize = cmp.Or(o.RangeSize, rangeSize)
	o.InFlight = cmp.Or(o.InFlight, inFlight)
	if o.ReadAhead == 0 {
		parts := min(int64(o.InFlight), 1<<20)
		parts += parts / 2
		o.ReadAhead = min(o.RangeSize, math.MaxInt64/parts) * parts
	}
	return p, nil
}

// open sends the first request. f is nil or fetches the second range already.
func (r *Reader) open(first *span, f *fetch, o *ReaderOptions) error {
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
