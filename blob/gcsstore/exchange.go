package gcsstore

import (
	"context"
	"fmt"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/thaw-go/thaw/blob/driver"
)

// errBroken stands for whatever broke a body: the client library keeps the cause to
// itself.
var errBroken = fmt.Errorf("connection broken within the body: %w", driver.ErrTransient)

// exchange is one request and its response. The client library requests again when a
// body breaks, even with retries off, and does not check where the second response
// begins. An exchange ends there instead: package blob resumes, counts and checks.
type exchange struct {
	ctx      context.Context
	end      context.CancelCauseFunc
	answered atomic.Bool // the response is there
	resumed  atomic.Bool // a second request began
	mixed    atomic.Bool // a second response came nevertheless
}

func newExchange(ctx context.Context) *exchange {
	e := &exchange{}
	ctx, e.end = context.WithCancelCause(ctx)
	e.ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) {
			if e.answered.Load() {
				e.resumed.Store(true)
				e.end(errBroken)
			}
		},
		GotFirstResponseByte: func() {
			if e.answered.Load() {
				e.mixed.Store(true)
			}
		},
	})
	return e
}

// broken reports whether the library has sent another request, and whether bytes of its
// response may be among those of this one.
func (e *exchange) broken() (resumed, mixed bool) { return e.resumed.Load(), e.mixed.Load() }
