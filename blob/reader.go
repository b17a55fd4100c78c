package blob

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
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

	// RangeSize is how many bytes one request asks for. 0 means 8 MiB.
	// Ignored for local stores, which are read by one range to the end.
	RangeSize int64

	// ReadAhead is how many bytes may be held that were fetched and not yet
	// read. 0 means one RangeSize; less than 128 KiB counts as that. A local
	// store reads none ahead.
	ReadAhead int64

	// Budget is asked for memory beyond the first 256 KiB of read-ahead. Nil
	// means that ReadAhead alone is the bound.
	Budget Budget

	// OnRequest is called when a request ends. Nil means not. It may be called
	// from another goroutine than the reader's, one call at a time.
	OnRequest func(Request)
}

// Budget grants memory. Both methods are safe for concurrent use and do not
// block.
type Budget interface {
	TryAcquire(n int64) bool // whether n more bytes may be held
	Release(n int64)         // gives n bytes back
}

// Request describes one request of a Reader that ended.
type Request struct {
	Key       string
	Offset    int64         // first byte asked for
	Asked     int64         // bytes asked for; -1 means to the end
	Got       int64         // bytes received
	Attempt   int           // 1 for the first try
	FirstByte time.Duration // from sending until the response was there
	Total     time.Duration // from sending until the body ended
	Err       error         // nil when everything asked for was received
}

// rangeSize is the default of RangeSize: long enough for the rate of a
// connection to outweigh the wait for the first byte.
const rangeSize = 8 << 20

// Reader reads the stored bytes of one version of one object in order. It
// belongs to one goroutine.
type Reader struct {
	obj    Object
	pin    *pin
	ctx    context.Context
	cancel context.CancelFunc
	off    int64
	err    error // the end or the fault, which every later Read repeats

	// Exactly one of these is set: the one request of a local store, or what
	// fetches ahead.
	direct *request
	ahead  *readAhead
}

// NewReader opens one object and returns when the first response is there, so
// that Object is known. ctx bounds the Reader's whole life. The first request is
// a read, not a look-up. The caller closes the Reader.
func (s *Store) NewReader(ctx context.Context, key string, opts *ReaderOptions) (*Reader, error) {
	var o ReaderOptions
	if opts != nil {
		o = *opts
	}
	p := &pin{store: s, key: key, version: o.Version, size: -1, onRequest: o.OnRequest}
	if o.Offset < 0 || o.RangeSize < 0 || o.ReadAhead < 0 {
		return nil, p.fail(ctx, -1, fmt.Errorf("negative offset %d, range size %d or read-ahead %d", o.Offset, o.RangeSize, o.ReadAhead))
	}
	if err := ctx.Err(); err != nil {
		return nil, p.fail(ctx, -1, err)
	}
	o.RangeSize = cmp.Or(o.RangeSize, rangeSize)
	o.ReadAhead = cmp.Or(o.ReadAhead, o.RangeSize)
	length := o.RangeSize
	if s.traits.Local {
		length = -1
	}

	r := &Reader{pin: p, off: o.Offset}
	r.ctx, r.cancel = context.WithCancel(ctx)
	first, err := p.open(r.ctx, o.Offset, length)
	if err != nil {
		r.cancel()
		return nil, err
	}
	r.obj = first.object
	if o.Offset > p.size {
		first.end(errClosed)
		r.cancel()
		return nil, p.fail(ctx, o.Offset, fmt.Errorf("offset is behind the end of the object at %d", p.size))
	}
	if s.traits.Local {
		r.direct = first
	} else {
		r.ahead = startReadAhead(r.ctx, first, &o)
	}
	return r, nil
}

// Object describes what is read: size and version as served.
func (r *Reader) Object() Object { return r.obj }

// Offset is the stored offset of the next byte.
func (r *Reader) Offset() int64 { return r.off }

// Buffered is how many bytes Read can give without waiting for the store. It is
// always 0 for local stores.
func (r *Reader) Buffered() int {
	if r.ahead == nil || r.err != nil {
		return 0
	}
	return r.ahead.buffered()
}

// Read reads the next stored bytes. It gives [io.EOF] only when as many bytes
// were read as the object has; a body that ends early is io.ErrUnexpectedEOF.
// Bytes that arrived before a fault are given before its error. Later calls
// repeat the end or the error.
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if err := r.ctx.Err(); err != nil {
		return 0, r.stop(r.pin.fail(r.ctx, r.off, err))
	}
	if len(p) == 0 {
		return 0, nil
	}
	var n int
	var err error
	if r.direct != nil {
		n, err = r.direct.Read(p)
	} else {
		n, err = r.ahead.read(p)
	}
	r.off += int64(n)
	if err == io.EOF && r.off != r.pin.size {
		err = r.pin.fail(r.ctx, r.off, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return n, r.stop(err)
	}
	return n, nil
}

// stop keeps the outcome and frees everything at once: a reader that was read to
// its end holds no connection even if nobody closes it.
func (r *Reader) stop(err error) error {
	r.err = err
	if r.direct != nil {
		r.direct.end(errClosed)
	} else {
		r.ahead.stop(r.cancel)
	}
	r.cancel()
	return err
}

// Close ends requests under way and returns when no goroutine of the Reader is
// left. Closing twice is no error. Reads after Close fail.
func (r *Reader) Close() error {
	if r.err == nil {
		r.stop(r.pin.fail(r.ctx, r.off, fs.ErrClosed))
	}
	return nil
}
