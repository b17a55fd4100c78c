package stream

import (
	"context"
	"sync/atomic"
)

// taskQueue hands tasks from those who make them, the lister and what restores archived
// objects, to the lanes. It is closed once all who may make one have ended.
type taskQueue struct {
	tasks    chan *task
	lowWater chan struct{} // one token: tasks holds few
	makers   atomic.Int64  // the lister, and where objects are restored every task
}

// begin makes room for n tasks, and counts the lister.
func (q *taskQueue) begin(n int) {
	q.tasks = make(chan *task, n)
	q.lowWater = make(chan struct{}, 1)
	q.makers.Store(1)
}

// done says that one who might make tasks makes no more.
func (q *taskQueue) done() {
	if q.makers.Add(-1) == 0 {
		close(q.tasks)
	}
}

// send hands a task out. Once the queue is full it waits for most of the tasks to be
// taken: a lister that is woken for each drives a lane from its processor, whose cache
// it has filled. False is the end of ctx.
func (q *taskQueue) send(ctx context.Context, t *task) bool {
	select {
	case q.tasks <- t:
		return true
	default:
	}
	select {
	case <-q.lowWater:
	case <-ctx.Done():
		return false
	}
	select {
	case q.tasks <- t:
		return true
	case <-ctx.Done():
		return false
	}
}

// taken is called when a task was.
func (q *taskQueue) taken() {
	if len(q.tasks) <= cap(q.tasks)/4 {
		select {
		case q.lowWater <- struct{}{}:
		default:
		}
	}
}
