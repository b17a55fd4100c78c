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

// maxEmptyReads is how many reads in a row may give neither a byte nor an error.
const maxEmptyReads = 100

// pin is one version of one object: every request of a read goes through it and
// must be answered by the same version and size. It is safe for concurrent use.
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

// request is one ranged read under way. It counts its body and holds it to what
// the response said. It belongs to one goroutine; cancel may be called by others.
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
	stall  *time.Timer   // ends what gives nothing; nil: no limit yet
	limit  time.Duration // of the wait under way
	ended  bool

	taste    []byte // read ahead of Read by foretaste
	tasteErr error  // behind taste
}

// send asks for length bytes from info.Offset on, -1 for all, and checks which
// bytes of which object answer. It may take as long as limit for the first byte, 0 for
// ever. The request is given to begun before it is sent.
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
	p.store.pace.answered(q.info.FirstByte)
	p.store.answered(q.info.FirstByte)
	return q, nil
}

// check compares what a response carries with what was asked for and what came
// before, whether or not the driver did.
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

// changed asks for the first byte of the version that was read so far.
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
	return p.fail(ctx, -1, err)
}

// state is the size, -1 when it is unknown, and the object as first served.
func (p *pin) state() (size int64, object Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size, p.object
}

func (p *pin) fail(ctx context.Context, offset int64, err error) error {
	return p.store.wrap(ctx, "read", p.key, offset, err)
}

var (
	errLong   = errors.New("body goes on behind the bytes due")
	errClosed = errors.New("closed before its end") // reported when nobody wants the rest
	errPassed = errors.New("overtaken by another")  // the cause with which one of two ends the other
)

// foretaste waits for the first bytes and keeps them for Read.
func (q *request) foretaste() bool {
	buf := make([]byte, min(4<<10, q.want+1))
	for len(q.taste) == 0 && q.tasteErr == nil {
		n, err := q.Read(buf)
		q.taste, q.tasteErr = buf[:n], err
	}
	return len(q.taste) > 0 || q.tasteErr == io.EOF
}

// Read gives io.EOF when the body had all its bytes. What strikes behind them
// counts only if it is about the object: a version that changed, bytes behind its
// end.
func (q *request) Read(b []byte) (int, error) {
	if len(q.taste) > 0 {
		n := copy(b, q.taste)
		q.taste = q.taste[n:]
		return n, nil
	}
	if q.tasteErr != nil {
		return 0, q.tasteErr
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
		// The object is not what the response said, and behind it is nothing to
		// ask for.
		err = fmt.Errorf("%w: %w", errLong, driver.ErrChanged)
	case err == errLong:
		// The range was ignored, from its first byte on.
		q.end(err)
		return n, io.EOF
	case err == io.EOF || !isFinal(err):
		q.pin.store.pace.finished(q.start, q.info.Got)
		q.end(nil)
		return n, io.EOF
	}
	q.end(err)
	return n, err
}

// read waits for the body under watch.
func (q *request) read(b []byte) (int, error) {
	if q.pin.store.retry.local {
		return q.body.Read(b)
	}
	q.arm()
	began := time.Now()
	n, err := q.body.Read(b)
	q.waited += time.Since(began)
	q.disarm()
	return n, err
}

// atEnd tells whether the body's last byte is the object's.
func (q *request) atEnd() bool {
	size, _ := q.pin.state()
	return q.info.Offset+q.want == size
}

// arm lets the watchdog run for one wait.
func (q *request) arm() {
	q.limit = q.pin.store.retry.stall
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

// cause names what ended the request from this side.
func (q *request) cause(err error) error {
	if context.Cause(q.ctx) == errPassed {
		return errPassed
	}
	return stalled(q.ctx, err, q.limit)
}

// end closes the body and reports the request, once.
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
