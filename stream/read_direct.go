package stream

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
)

// directRead is the read of one object on the caller's goroutine: one lane, and a
// ledger.
type directRead struct {
	ctx    context.Context
	source string
	lane   *lane
	read   readConfig
	ledger *ledger
	posted CodecReport // what the ledger has of the object
	places redecodedPlaces
	done   chan struct{} // closed by end
	at     time.Time     // when it ended
}

// begin takes a lane of the pool. Its errors are of the object named key.
func (r *directRead) begin(ctx context.Context, store *blob.Store, key string, opts *ReadOptions) error {
	err := r.prepare(ctx, store, opts)
	if err != nil {
		return &Error{Source: store.Name(), Key: key, Class: classOf(err), Err: err}
	}
	return nil
}

func (r *directRead) prepare(ctx context.Context, store *blob.Store, opts *ReadOptions) error {
	pool := opts.Pool
	if pool == nil {
		pool = NewPool(nil)
	}
	var err error
	if r.read, err = opts.resolve(pool); err != nil {
		return err
	}
	terms, err := pool.terms(&r.read)
	if err != nil {
		return err
	}
	r.ctx, r.source, r.done, r.ledger = ctx, store.Name(), make(chan struct{}), newLedger()
	terms.Outer = pool.budget.LaneOf(ctx)
	m, err := pool.budget.Enter(ctx, terms)
	if err != nil {
		return err
	}
	r.lane = newLane(ctx, 0, pool, m, r.ledger.countRequests(Trace{}))
	r.lane.borrow()
	r.lane.meter.Start(r.ledger.start, meter.Queue)
	return nil
}

// account counts what was read of the object up to err, which is nil before its end.
func (r *directRead) account(o objectReader, err error) {
	stored, decoded, again := o.progress()
	now := CodecReport{Objects: 1, Stored: stored, Decoded: decoded, Busy: r.lane.meter.At(time.Now())[meter.Decode] + o.helped()}
	r.ledger.readTo(o.facts(), now, r.posted, again, &r.places, err)
	r.posted = now
}

// report is that of the one lane, up to now or to its end.
func (r *directRead) report() *Report {
	rep := reported{source: r.source, pool: r.lane.pool, lanes: []*lane{r.lane}, ledger: r.ledger}
	select {
	case <-r.done:
		return rep.report(r.at, nil)
	default:
		return rep.report(time.Now(), nil)
	}
}

func (r *directRead) closed() error { return fmt.Errorf("stream: %w", fs.ErrClosed) }

// end returns what the lane holds.
func (r *directRead) end() {
	_, r.at = r.lane.enter(meter.Sink)
	r.lane.close()
	close(r.done)
}
