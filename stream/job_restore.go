package stream

import (
	"cmp"
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// restoring holds the archived objects of a job back until they can be read. It
// requests each, checks it at growing intervals, and makes it a task again once it is
// readable or the restore has failed.
//
//	lister ─┐                    ┌─▶ tasks
//	        ├─▶ waiting ─▶ look ─┤
//	lanes ──┘      ▲             │ not yet
//	               └─────────────┘
type restoring struct {
	RestoreOptions
	job  *job
	wake chan struct{} // one token: waiting has a new first

	mu      sync.Mutex
	waiting deferrals
	held    int           // those waiting, looked at, or about to be a task
	full    bool          // the lister waits for held to go down
	changed chan struct{} // closed and replaced when held or full change
}

// deferral is one object held back.
type deferral struct {
	task  *task
	asked bool
	due   time.Time
	wait  time.Duration // between this look and the next
}

// looksAtOnce is how many requests about archived objects are under way at once.
const looksAtOnce = 8

func newRestoring(j *job, o RestoreOptions) *restoring {
	return &restoring{RestoreOptions: o.resolve(), job: j, wake: make(chan struct{}, 1), changed: make(chan struct{})}
}

// archived reports whether obj, as listed, cannot be read yet.
func archived(obj blob.Object) bool {
	return obj.Archive == blob.ArchiveArchived || obj.Archive == blob.ArchiveRestoring
}

// admit waits until one more object may be held back. False is the end of ctx.
func (r *restoring) admit(ctx context.Context) bool {
	for {
		r.mu.Lock()
		full, changed := r.held >= r.MaxDeferred, r.changed
		if full != r.full {
			r.full = full
			r.notifyLocked()
		}
		r.mu.Unlock()
		if !full {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// hold keeps an object until it is readable. Each time that it comes back it waits
// longer, for whatever reason.
func (r *restoring) hold(t *task) {
	r.job.ledger.outcome(t, Counts{Deferred: 1})
	d := &deferral{task: t, due: time.Now(), wait: cmp.Or(t.restoreWait, r.Poll)}
	if t.restoreWait > 0 {
		d.later()
	}
	t.restoreWait, t.failure.refused = min(2*d.wait, r.MaxPoll), false
	if t.obj.Archive == blob.ArchiveRestoring {
		d.asked = true
		d.later()
	}
	r.mu.Lock()
	r.held++
	r.notifyLocked()
	r.mu.Unlock()
	r.push(d)
}

// notify wakes those who wait for a change.
func (r *restoring) notify() {
	r.mu.Lock()
	r.notifyLocked()
	r.mu.Unlock()
}

// notifyLocked is notify with mu held.
func (r *restoring) notifyLocked() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *restoring) push(d *deferral) {
	r.mu.Lock()
	heap.Push(&r.waiting, d)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// state returns how many objects are held back, whether the lister waits for room, and a
// channel that is closed when either changes.
func (r *restoring) state() (held int, full bool, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held, r.full, r.changed
}

// run looks at objects that are due until ctx ends.
func (r *restoring) run(ctx context.Context) {
	var looks sync.WaitGroup
	defer looks.Wait()
	slots := make(chan struct{}, looksAtOnce)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		d, wait := r.next()
		if d == nil {
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-r.wake:
			case <-ctx.Done():
				return
			}
			continue
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		looks.Go(func() {
			defer func() { <-slots }()
			r.job.guard(func() { r.look(ctx, d) })
		})
	}
}

// next removes and returns the first object if it is due, else how long to wait.
func (r *restoring) next() (*deferral, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		return nil, r.MaxPoll
	}
	if wait := time.Until(r.waiting[0].due); wait > 0 {
		return nil, wait
	}
	return heap.Pop(&r.waiting).(*deferral), 0
}

// look requests the restore of an object, or checks whether it is readable.
func (r *restoring) look(ctx context.Context, d *deferral) {
	t, store := d.task, r.job.src.Store
	if !d.asked {
		if err := store.Restore(ctx, t.obj.Key, r.request()); err != nil {
			r.requeue(ctx, t, err)
			return
		}
		d.asked = true
		d.later()
		r.push(d)
		return
	}
	obj, err := store.Stat(ctx, t.obj.Key)
	switch {
	case err != nil:
		r.requeue(ctx, t, err)
		return
	case !archived(obj):
		t.obj.Archive, t.obj.RestoredUntil = obj.Archive, obj.RestoredUntil
		r.requeue(ctx, t, nil)
		return
	case obj.Archive == blob.ArchiveArchived:
		d.asked = false // the copy has lapsed, or the request was lost
	}
	d.wait = min(2*d.wait, r.MaxPoll)
	d.later()
	r.push(d)
}

func (d *deferral) later() { d.due = time.Now().Add(d.wait) }

// requeue makes an object a task again; err is why it cannot be restored.
func (r *restoring) requeue(ctx context.Context, t *task, err error) {
	if err != nil {
		t.failure = restoreFailure{refused: true, err: &Error{
			Source: r.job.src.Name, Key: t.obj.Key, Version: t.obj.Version, Class: classOf(err), Err: err, place: place{stage: "restore"},
		}}
	}
	if r.job.send(ctx, t) {
		r.mu.Lock()
		r.held--
		r.notifyLocked()
		r.mu.Unlock()
	}
}

// deferrals is a heap, the first one due on top.
type deferrals []*deferral

func (q deferrals) Len() int           { return len(q) }
func (q deferrals) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q deferrals) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *deferrals) Push(x any)        { *q = append(*q, x.(*deferral)) }
func (q *deferrals) Pop() any {
	old := *q
	d := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return d
}
