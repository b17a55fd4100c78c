package stream

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/meter"
	"github.com/thaw-go/thaw/stream/internal/listing"
)

// list makes tasks: first of the objects that an earlier run left unfinished,
// then of what the source lists behind the mark.
func (j *job) list(ctx context.Context) {
	defer j.settle()
	for _, e := range j.unfinished() {
		t := &task{ordinal: e.Ordinal, obj: e.object(), pos: e.position()}
		j.take(t, false)
		j.expect()
		if !j.send(ctx, t) {
			return
		}
	}
	j.mu.Lock()
	mark := j.mark
	j.mu.Unlock()
	for obj, err := range j.src.Objects(ctx, mark) {
		if err != nil {
			if ctx.Err() == nil {
				j.disorder(err)
				j.fail(listError(j.src.Name, err))
			}
			return
		}
		if ctx.Err() != nil {
			return // the source may yield without looking at it
		}
		mark.Ordinal++
		mark.Key = obj.Key
		t := &task{ordinal: mark.Ordinal, obj: obj}
		if j.restoring != nil && !j.restoring.admit(ctx) {
			return
		}
		hold := j.restoring != nil && archived(obj)
		if !j.take(t, true) {
			continue
		}
		j.expect()
		if hold {
			j.restoring.hold(t)
		} else if !j.send(ctx, t) {
			return
		}
	}
	if ctx.Err() != nil {
		return
	}
	j.mu.Lock()
	j.listed, j.dirty = true, true
	j.mu.Unlock()
	if j.restoring != nil {
		j.restoring.announce()
	}
}

// expect counts a task that is going to be settled: tasks end when the lister and
// all that it made are. Where nothing is restored, no lane makes a task anew,
// and the lister alone counts.
func (j *job) expect() {
	if j.restoring != nil {
		j.expected.Add(1)
	}
}

// settle says that the lister, or a task, makes no more tasks.
func (j *job) settle() {
	if j.expected.Add(-1) == 0 {
		close(j.tasks)
	}
}

// unfinished are the manifest's open objects in source order.
func (j *job) unfinished() []ManifestEntry {
	j.mu.Lock()
	defer j.mu.Unlock()
	entries, _ := j.durable()
	return entries
}

// take counts an object as listed and open. Folder markers and indexes are counted
// and left out: it returns false. One that an earlier run has begun is data, whatever
// reading it has told since.
func (j *job) take(t *task, fresh bool) bool {
	out, left := Counts{}, false
	if fresh {
		if out, left = notData(j.src, t.obj); !left && !j.src.Named && j.isOwn(t.obj) {
			out, left = Counts{Own: 1}, true
		}
	}
	t.tally = Tally{Objects: 1, Bytes: max(t.obj.Size, 0)}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts.Listed.add(t.tally)
	if fresh {
		j.mark = blob.Mark{Ordinal: t.ordinal, Key: t.obj.Key}
		j.settled(t, Counts{Listed: t.tally})
		j.dirty = true
	}
	if left {
		out.Skipped = t.tally
		j.counts.add(out)
		j.settled(t, out)
		return false
	}
	if fresh {
		j.open[t.ordinal] = entryAt(t.ordinal, t.obj, savepoint{})
	}
	return true
}

// settled adds c of t to the counts of the next manifest. mu is held.
func (j *job) settled(t *task, c Counts) {
	j.saved.add(c)
	if t.ordinal > j.begun.Ordinal {
		j.listedNow.add(c)
	}
}

// disorder takes the mark back if err says that the listing was out of order at a key
// before the mark: what this run has listed may have gaps anywhere before it. The
// next run begins where this one did, or before the key, if that lay before even that.
func (j *job) disorder(err error) {
	var at *blob.Error
	if !errors.Is(err, blob.ErrOrder) || !errors.As(err, &at) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if at.Key >= j.mark.Key {
		return
	}
	j.takenBack, j.dirty = true, true
	j.mark = j.begun
	if at.Key <= j.mark.Key {
		_, n := utf8.DecodeLastRuneInString(at.Key)
		j.mark.Key = at.Key[:len(at.Key)-n]
	}
}

// durable are the unfinished objects and the counts that the next manifest holds. mu
// is held.
func (j *job) durable() (open []ManifestEntry, counts Counts) {
	counts = j.saved
	if j.takenBack {
		counts = counts.sub(j.listedNow)
	}
	open = []ManifestEntry{}
	for _, e := range j.open {
		if !j.takenBack || e.Ordinal <= j.begun.Ordinal {
			open = append(open, e)
		}
	}
	slices.SortFunc(open, func(a, b ManifestEntry) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return open, counts
}

// listError is an error of the source, with the key that is out of order.
func listError(source string, err error) error {
	e := &Error{Source: source, Class: classOf(err), Err: err}
	if _, ok := err.(*blob.Error); !ok {
		e.Err = &stepError{"list", err}
	}
	var at *blob.Error
	if errors.Is(err, blob.ErrOrder) && errors.As(err, &at) {
		e.Key = at.Key
	}
	return e
}

// notData counts an object of a listing that is no data; left reports whether it is.
func notData(src blob.Source, obj blob.Object) (out Counts, left bool) {
	switch listing.KindOf(src, obj) {
	case listing.Index:
		return Counts{Indexes: 1}, true
	case listing.Marker:
		return Counts{Markers: 1}, true
	}
	return Counts{}, false
}

// waitingFor is the stage of a lane that has no object, until changed is closed.
func (j *job) waitingFor() (s meter.Stage, changed <-chan struct{}) {
	if j.restoring == nil {
		return meter.List, nil
	}
	held, full, changed := j.restoring.state()
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case !j.listed && !full:
		return meter.List, changed
	case held > 0:
		return meter.Restore, changed
	}
	return meter.Idle, changed
}

// send hands a task to a lane. Once tasks is full it waits for most of them to be
// taken: a lister that is woken for each drives a lane from its processor, whose
// cache it has filled.
func (j *job) send(ctx context.Context, t *task) bool {
	select {
	case j.tasks <- t:
		j.crew.grow()
		return true
	default:
	}
	select {
	case <-j.few:
	case <-ctx.Done():
		return false
	}
	select {
	case j.tasks <- t:
		j.crew.grow()
		return true
	case <-ctx.Done():
		return false
	}
}

// taken is called when a task was.
func (j *job) taken() {
	if len(j.tasks) <= cap(j.tasks)/4 {
		select {
		case j.few <- struct{}{}:
		default:
		}
	}
}
