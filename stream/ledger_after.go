package stream

import (
	"cmp"
	"maps"
	"slices"

	"github.com/thaw-go/thaw/stream/internal/kept"
)

// mostPending is how many objects may wait for their action when a lane takes another
// one. Each is an entry of the manifest. A lane adds up to mostFinished at once.
const mostPending = 1024

// mostActing is how many actions are under way at once: deletes of S3 take two requests
// each, and are to keep up with 16 lanes that read small objects by one.
const mostActing = 32

// pending are the objects that are done and not known to be acted upon. The ledger's
// mutex guards it.
//
//	post ─▶ unsaved ─ save ─▶ ready ─▶ under way ─▶ gone
//	                                        └─ failed, for the next run
type pending struct {
	on      bool                    // Options.After is set
	saves   bool                    // a save must cover an object first
	objects map[int64]PendingObject // all, by ordinal
	unsaved []int64                 // that no save covers
	saving  int                     // how many of unsaved the save that is under way covers
	ready   []int64
	acting  int           // goroutines
	limit   int64         // objects after it are read again: the listing had gaps; 0 is none
	room    chan struct{} // closed when there is room again; nil if nobody waits
	crowded chan struct{} // one token: a save is wanted before it is due
	report  AfterReport
}

// actAfter switches the actions on. saves reports whether there is a Checkpoint.
func (l *ledger) actAfter(saves bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.backlog.pending
	p.on, p.saves = true, saves
	p.crowded = make(chan struct{}, 1)
}

// load takes over what an earlier run has left: its manifest covers them.
func (p *pending) load(objects []PendingObject) {
	for _, o := range objects {
		p.add(o.Ordinal, o)
		p.ready = append(p.ready, o.Ordinal)
	}
}

func (p *pending) add(ordinal int64, o PendingObject) {
	if p.objects == nil {
		p.objects = map[int64]PendingObject{}
	}
	p.objects[ordinal] = o
}

// posted adds an object that a flush covers.
func (p *pending) posted(t *task) {
	switch {
	case !p.on || !t.entry.done || p.limit > 0 && t.ordinal >= p.limit:
		return
	case t.entry.doubtful || t.entry.leftOut() > 0 || t.obj.Version == "":
		p.report.LeftOut++
		return
	}
	p.add(t.ordinal, PendingObject{Ordinal: t.ordinal, Key: t.obj.Key, Size: t.obj.Size, Version: t.obj.Version})
	if p.saves {
		p.unsaved = append(p.unsaved, t.ordinal)
		p.wantSave()
	} else {
		p.ready = append(p.ready, t.ordinal)
	}
}

// isCrowded reports whether objects wait for a save and many are pending.
func (p *pending) isCrowded() bool { return len(p.unsaved) > 0 && len(p.objects) >= mostPending/2 }

// wantSave wakes the keeper if a save is wanted before it is due.
func (p *pending) wantSave() {
	if !p.isCrowded() {
		return
	}
	select {
	case p.crowded <- struct{}{}:
	default:
	}
}

// rewind drops the objects from ordinal limit on, which the next run reads again.
func (p *pending) rewind(limit int64) {
	again := func(ordinal int64) bool { return ordinal >= limit }
	maps.DeleteFunc(p.objects, func(ordinal int64, _ PendingObject) bool { return again(ordinal) })
	p.unsaved, p.ready = slices.DeleteFunc(p.unsaved, again), slices.DeleteFunc(p.ready, again)
	p.limit, p.saving = limit, 0
}

// snapshot returns the objects for a manifest, in source order, and notes which of them
// its save covers.
func (p *pending) snapshot() []PendingObject {
	p.saving = len(p.unsaved)
	return slices.SortedFunc(maps.Values(p.objects), func(a, b PendingObject) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
}

// saved makes ready what a save has covered.
func (p *pending) saved() {
	p.ready = append(p.ready, p.unsaved[:p.saving]...)
	p.unsaved = slices.Delete(p.unsaved, 0, p.saving)
	p.saving = 0
	p.wantSave()
}

// startActing returns how many goroutines are to start acting.
func (l *ledger) startActing() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.backlog.pending
	n := min(mostActing-p.acting, len(p.ready))
	p.acting += n
	return n
}

// nextAction returns the next object to act upon. If there is none, or the caller ends
// otherwise, it no longer counts as acting.
func (l *ledger) nextAction(ended bool) (o PendingObject, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.backlog.pending
	if ended || len(p.ready) == 0 {
		p.acting--
		return o, false
	}
	o = p.objects[p.ready[0]]
	p.ready = p.ready[1:]
	return o, true
}

// acted notes that an action is done, or was not wanted any more: another version is
// there.
func (l *ledger) acted(o PendingObject, isKept bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	p := &b.pending
	delete(p.objects, o.Ordinal)
	b.dirty = true
	if isKept {
		p.report.Kept++
	} else {
		p.report.Done++
	}
	if p.room != nil && len(p.objects) < mostPending {
		close(p.room)
		p.room = nil
	}
}

// actionFailed notes that an action has failed, and reports whether failed ones leave no
// room for others.
func (l *ledger) actionFailed(err error) (full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.backlog.pending.report
	if r.Failed++; r.Error == "" {
		r.Error = kept.Text(err.Error())
	}
	return r.Failed >= mostPending
}

// actionsLeft reports whether an object is neither acted upon nor failed.
func (l *ledger) actionsLeft() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.backlog.pending
	return int64(len(p.objects)) > p.report.Failed
}

// pendingRoom returns nil if one more object may be read, else a channel that is closed
// when it may.
func (l *ledger) pendingRoom() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.backlog.pending
	if len(p.objects) < mostPending {
		return nil
	}
	if p.room == nil {
		p.room = make(chan struct{})
	}
	return p.room
}

// wantsSave reports whether objects wait for a save and many are pending, and whether
// lanes wait for it.
func (l *ledger) wantsSave() (soon, now bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.backlog.pending
	return p.isCrowded(), p.isCrowded() && len(p.objects) >= mostPending
}

// crowded receives when a save is wanted before it is due.
func (l *ledger) crowded() <-chan struct{} { return l.backlog.pending.crowded }

// afterReport is the report of the actions.
func (p *pending) afterReport() (r AfterReport) {
	if !p.on {
		return r
	}
	r = p.report
	r.Pending = int64(len(p.objects))
	return r
}
