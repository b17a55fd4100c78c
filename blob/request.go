package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// maxEmptyReads is how many reads in a row may give neither a byte nor an error.
const maxEmptyReads = 100

// pin is one version of one object: every request of a Reader goes through it
// and must be answered by the same version and size.
type pin struct {
	store     *Store
	key       string
	version   string // empty until a response carries one
	size      int64  // -1 until the first response
	onRequest func(Request)
}

// request is one ranged read under way. It counts its body and holds it to what
// the response said.
type request struct {
	pin    *pin
	ctx    context.Context
	body   io.ReadCloser
	object Object
	info   Request
	want   int64 // bytes that the body must have
	empty  int   // reads in a row without a byte
	start  time.Time
	ended  bool
}

// open asks for length bytes from offset on, -1 for all, and checks which
// object answered.
func (p *pin) open(ctx context.Context, offset, length int64) (*request, error) {
	q := &request{
		pin:   p,
		ctx:   ctx,
		info:  Request{Key: p.key, Offset: offset, Asked: length, Attempt: 1},
		start: time.Now(),
	}
	rng, err := p.store.drv.ReadRange(ctx, p.store.prefix+p.key, offset, length, p.version)
	q.info.FirstByte = time.Since(q.start)
	if err == nil {
		q.body = rng.Body
		q.object = rng.Object
		q.object.Key = p.key
		err = p.check(&q.object)
	}
	if err != nil {
		q.end(err)
		return nil, p.fail(ctx, offset, err)
	}
	q.want = max(0, p.size-offset)
	if length >= 0 {
		q.want = min(q.want, length)
	}
	return q, nil
}

// check compares what a response carries with what came before, whether or not
// the driver did.
func (p *pin) check(obj *Object) error {
	switch {
	case obj.Size < 0:
		return fmt.Errorf("response states no size: %w", driver.ErrUnsupported)
	case p.version != "" && obj.Version != p.version:
		return fmt.Errorf("version %q instead of %q: %w", obj.Version, p.version, ErrChanged)
	case p.size >= 0 && obj.Size != p.size:
		return fmt.Errorf("size %d instead of %d: %w", obj.Size, p.size, ErrChanged)
	}
	// Written once only: the consumer reads size while the producer checks.
	if p.size < 0 {
		p.size = obj.Size
	}
	p.version = obj.Version
	return nil
}

func (p *pin) fail(ctx context.Context, offset int64, err error) error {
	return p.store.wrap(ctx, "read", p.key, offset, err)
}

// Read gives io.EOF only when the body had all its bytes and no more. Other
// errors name the offset at which they struck.
func (q *request) Read(b []byte) (int, error) {
	n, err := q.body.Read(b)
	if left := q.want - q.info.Got; int64(n) > left {
		n, err = int(left), fmt.Errorf("body is longer than the %d bytes due", q.want)
	}
	q.info.Got += int64(n)
	if n > 0 {
		q.empty = 0
	} else if err == nil && len(b) > 0 {
		if q.empty++; q.empty >= maxEmptyReads {
			err = io.ErrNoProgress
		}
	}
	if err == nil {
		return n, nil
	}
	if err == io.EOF && q.info.Got == q.want {
		q.end(nil)
		return n, io.EOF
	}
	if err == io.EOF {
		err = fmt.Errorf("body ended after %d of %d bytes: %w", q.info.Got, q.want, io.ErrUnexpectedEOF)
	}
	q.end(err)
	return n, q.pin.fail(q.ctx, q.info.Offset+q.info.Got, err)
}

// errClosed is what a request reports that its reader did not read to the end.
var errClosed = errors.New("closed before its end")

// end closes the body and reports the request, once.
func (q *request) end(err error) {
	if q.ended {
		return
	}
	q.ended = true
	if q.body != nil {
		q.body.Close()
	}
	if q.pin.onRequest != nil {
		q.info.Total = time.Since(q.start)
		q.info.Err = err
		q.pin.onRequest(q.info)
	}
}
