package stream

import (
	"context"
	"sync/atomic"
)

// taskQueue hands tasks from those who make them, the lister and what restores archived
// objects, to the lanes. It is closed once all who may make one have ended.
type taskQueue struct {
	ready    chan *task
	lowWater chan struct{} // one token: at most a quarter of ready is in use
	makers   atomic.Int64  // the lister, and where objects are restored every task
}

// begin makes room for n tasks, and counts the lister.
func (q *taskQueue) begin(n int) {
	q.ready = make(chan *task, n)
	q.lowWater = make(chan struct{}, 1)
	q.makers.Store(1)
}

// done notes that one of the makers makes no more tasks.
func (q *taskQueue) done() {
	if q.makers.Add(-1) == 0 {
		close(q.ready)
	}
}

// send hands a task to a lane. Once the queue is full, it waits until lanes have received
// most of the tasks: a lister that wakes for each one takes the processor from a lane
// that has filled its cache. It reports false if ctx is over.
func (q *taskQueue) send(ctx context.Context, t *task) bool {
	select {
	case q.ready <- t:
		return true
	default:
	}
	select {
	case <-q.lowWater:
	case <-ctx.Done():
		return false
	}
	select {
	case q.ready <- t:
		return true
	case <-ctx.Done():
		return false
	}
}

// received wakes the sender at low water. It is called after each task received.
func (q *taskQueue) received() {
	if len(q.ready) <= cap(q.ready)/4 {
		select {
		case q.lowWater <- struct{}{}:
		default:
		}
	}
}
