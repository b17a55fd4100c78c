package stream

import (
	"time"

	"github.com/thaw-go/thaw/blob"
)

// beginFollowing begins or continues to follow, as the manifest says.
func (l *ledger) beginFollowing(late time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	b.follow = newFollowing(late, b.followBegun, time.Now())
	if b.followBegun == nil {
		b.followBegun = b.follow.manifest()
	}
}

// beginPass begins to list the source again.
func (l *ledger) beginPass() {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	b.follow.began = time.Now()
	b.mark.Key, b.listed, b.dirty = "", false, true
}

// place returns the mark after which a job that follows lists, and how many objects were
// taken before.
func (l *ledger) place() (after blob.Mark, ordinal int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	after, ordinal = l.backlog.mark, l.backlog.mark.Ordinal
	switch {
	case l.backlog.follow.passes == 0: // the ordinal is that of the listing
	case after.Key == "":
		after.Ordinal = 0
	default:
		after.Ordinal = -1
	}
	return after, ordinal
}

// knows reports whether an earlier listing has shown obj. If so, the mark moves past it.
func (l *ledger) knows(obj blob.Object) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &l.backlog
	if !b.follow.knows(obj) {
		return false
	}
	b.mark.Key = obj.Key
	return true
}
