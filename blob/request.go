package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// maxEmptyReads bounds the reads in a row that return neither a byte nor an error.
const maxEmptyReads = 100

// pin is one version of one object. Every request of a read goes through it and must be
// answered with the same version and size. It is safe for concurrent use.
type pin struct {
	store *Store
	key   string

	mu      sync.Mutex
	version string // empty until a response carries one
	size    int64  // -1 until known
	object  Object // as first served

	hook      sync.Mutex // one call of onRequest at a time
	onRequest func(Request)
}

// request is one ranged read under way. It counts its body and compares it with what the
// response stated. It belongs to one goroutine; others may call cancel.
type request struct {
	pin    *pin
	ctx    context.Context
	cancel context.CancelCauseFunc
	body   io.ReadCloser
	info   Request
	want   int64 // bytes that the body must have
	empty  int   // reads in a row without a byte
	start  time.Time
	waited time.Duration // for the body
	stall  *time.Timer   // cancels it when nothing comes; nil: not needed yet
	limit  time.Duration // of the wait under way
	ended  bool

	prefetched  []byte // bytes that prefetch keeps for Read
	prefetchErr error  // after prefetched
}

// send requests info.Asked bytes from info.Offset on, -1 for all, and checks which
// bytes of which object answer. limit bounds the wait for the first byte; 0 means no
// limit. begun is called with the request before it is sent.
func (p *pin) send(ctx context.Context, info Request, limit time.Duration, begun func(*request)) (*request, error) {
	info.Key = p.key
	q := &request{pin: p, info: info, start: time.Now(), limit: limit}
	q.ctx, q.cancel = context.WithCancelCause(ctx)
	if limit > 0 {
		q.stall = time.AfterFunc(limit, func() { q.cancel(errStalled) })
	}
	if begun != nil {
		begun(q)
	}
	p.mu.Lock()
	version := p.version
	p.mu.Unlock()
	rng, err := p.store.drv.ReadRange(q.ctx, p.store.prefix+p.key, info.Offset, info.Asked, version)
	q.disarm()
	q.info.FirstByte = time.Since(q.start)
	if err == nil {
		q.body = rng.Body
		err = q.check(&rng)
	}
	if err != nil {
		err = q.cause(err)
		q.end(err)
		return nil, err
	}
	p.store.latency.noteFirstByte(q.info.FirstByte)
	p.store.noteAnswer(q.info.FirstByte)
	return q, nil
}

// check compares a response with what was requested and with earlier responses, whether
// or not the driver did.
func (q *request) check(rng *driver.Range) error {
	p, obj := q.pin, &rng.Object
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case obj.Size < 0:
		return fmt.Errorf("response states no size: %w", driver.ErrUnsupported)
	case p.version != "" && obj.Version != p.version:
		return fmt.Errorf("version %q instead of %q: %w", obj.Version, p.version, ErrChanged)
	case p.size >= 0 && obj.Size != p.size:
		return fmt.Errorf("size %d instead of %d: %w", obj.Size, p.size, ErrChanged)
	case rng.Offset != q.info.Offset:
		return fmt.Errorf("response begins at byte %d instead of %d: %w", rng.Offset, q.info.Offset, ErrTransient)
	}
	if p.object.Key == "" {
		p.object = objectOf(p.key, obj)
	}
	p.size, p.version = obj.Size, obj.Version
	q.want = max(0, obj.Size-q.info.Offset)
	if q.info.Asked >= 0 {
		q.want = min(q.want, q.info.Asked)
	}
	return nil
}

// changed reports by a request for the first byte whether the version has changed.
func (p *pin) changed(ctx context.Context) error {
	p.mu.Lock()
	version, size := p.version, p.size
	p.mu.Unlock()
	rng, err := p.store.drv.ReadRange(ctx, p.store.prefix+p.key, 0, 1, version)
	if err == nil {
		rng.Body.Close()
		if size >= 0 && rng.Object.Size != size {
			err = fmt.Errorf("size %d instead of %d: %w", rng.Object.Size, size, ErrChanged)
		}
	}
	if !errors.Is(err, ErrChanged) {
		return nil
	}
	return p.fail(ctx, 0, err)
}

// state returns the size, -1 if unknown, and the object as first served.
func (p *pin) state() (size int64, object Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size, p.object
}

func (p *pin) fail(ctx context.Context, offset int64, err error) error {
	return p.store.wrap(ctx, "read", p.key, offset, err)
}

var (
	errLong   = errors.New("body continues after the bytes requested")
	errClosed = errors.New("closed before its end") // reported when nobody wants the rest
	errPassed = errors.New("overtaken by another")  // the cause with which one of two cancels the other
)

// prefetch waits for the first bytes and keeps them for Read. It reports whether the
// body has any, or none to have.
func (q *request) prefetch() bool {
	buf := make([]byte, min(4<<10, q.want+1))
	for len(q.prefetched) == 0 && q.prefetchErr == nil {
		n, err := q.Read(buf)
		q.prefetched, q.prefetchErr = buf[:n], err
	}
	return len(q.prefetched) > 0 || q.prefetchErr == io.EOF
}

// Read returns io.EOF when the body had all its bytes. A fault after them counts only
// if it is about the object: a version that changed, bytes after its end.
func (q *request) Read(b []byte) (int, error) {
	if len(q.prefetched) > 0 {
		n := copy(b, q.prefetched)
		q.prefetched = q.prefetched[n:]
		return n, nil
	}
	if q.prefetchErr != nil {
		return 0, q.prefetchErr
	}
	n, err := q.read(b)
	long := int64(n) > q.want-q.info.Got
	if long {
		n = int(q.want - q.info.Got)
	}
	q.info.Got += int64(n)
	all := q.info.Got == q.want
	switch {
	case long:
		err = errLong
	case n > 0:
		q.empty = 0
	case err == nil && len(b) > 0:
		if q.empty++; q.empty >= maxEmptyReads {
			err = io.ErrNoProgress
		}
	}
	switch {
	case err == nil:
		return n, nil
	case !all && err == io.EOF:
		err = fmt.Errorf("body ended after %d of %d bytes: %w", q.info.Got, q.want, io.ErrUnexpectedEOF)
	case !all:
		err = q.cause(err)
	case err == errLong && q.atEnd():
		// The object is not what the response stated, and there is nothing left
		// to request.
		err = fmt.Errorf("%w: %w", errLong, driver.ErrChanged)
	case err == errLong:
		// The range was ignored, from its first byte on.
		q.end(err)
		return n, io.EOF
	case err == io.EOF || !isFinal(err):
		q.pin.store.latency.noteBody(q.start, q.info.Got)
		q.end(nil)
		return n, io.EOF
	}
	q.end(err)
	return n, err
}

// read reads the body under the watchdog.
func (q *request) read(b []byte) (int, error) {
	if q.pin.store.policy.local {
		return q.body.Read(b)
	}
	q.arm()
	began := time.Now()
	n, err := q.body.Read(b)
	q.waited += time.Since(began)
	q.disarm()
	return n, err
}

// atEnd reports whether the body's last byte is the object's.
func (q *request) atEnd() bool {
	size, _ := q.pin.state()
	return q.info.Offset+q.want == size
}

// arm starts the watchdog for one wait.
func (q *request) arm() {
	q.limit = q.pin.store.policy.stall
	switch {
	case q.limit == 0:
	case q.stall == nil:
		q.stall = time.AfterFunc(q.limit, func() { q.cancel(errStalled) })
	default:
		q.stall.Reset(q.limit)
	}
}

func (q *request) disarm() {
	if q.stall != nil {
		q.stall.Stop()
	}
}

// cause returns why this side canceled the request; else it returns err.
func (q *request) cause(err error) error {
	if context.Cause(q.ctx) == errPassed {
		return errPassed
	}
	return stalled(q.ctx, err, q.limit)
}

// end closes the body and reports the request to OnRequest, once.
func (q *request) end(err error) {
	if q.ended {
		return
	}
	q.ended = true
	if q.body != nil {
		q.body.Close()
	}
	q.cancel(nil)
	if q.pin.onRequest == nil {
		return
	}
	q.info.Total = time.Since(q.start)
	q.info.Err = err
	q.pin.hook.Lock()
	defer q.pin.hook.Unlock()
	q.pin.onRequest(q.info)
}
