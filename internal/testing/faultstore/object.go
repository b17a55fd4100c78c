package faultstore

import (
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// Storage classes of which objects can be archived. Of the last, listings do not
// tell whether one is.
const (
	Glacier            = "GLACIER"
	DeepArchive        = "DEEP_ARCHIVE"
	IntelligentTiering = "INTELLIGENT_TIERING"
)

// object is one version. What can change is under the store's mutex.
type object struct {
	item    Item
	version string
	modTime time.Time
	thaws   time.Time // when the restore is done; zero: none was asked for
	until   time.Time // when the restored copy goes; zero: never
	tags    tagging
}

// archive is the state of an object.
func (o *object) archive(now time.Time) (a driver.ArchiveState, until time.Time) {
	switch {
	case !o.item.Archived:
		return driver.ArchiveOnline, until
	case o.thaws.IsZero() || !o.until.IsZero() && !now.Before(o.until):
		return driver.ArchiveArchived, until
	case now.Before(o.thaws):
		return driver.ArchiveRestoring, until
	case o.until.IsZero():
		return driver.ArchiveOnline, until
	}
	return driver.ArchiveRestored, o.until
}

// described is what a call for the object itself tells.
func (o *object) described(now time.Time) driver.Object {
	d := driver.Object{
		Key: o.item.Key, Size: o.item.Content.Size(), Version: o.version, ModTime: o.modTime,
		ContentType: o.item.ContentType, ContentEncoding: o.item.ContentEncoding, StorageClass: o.item.StorageClass,
	}
	d.Archive, d.RestoredUntil = o.archive(now)
	return d
}

// listed is what a listing tells.
func (o *object) listed(now time.Time) driver.Object {
	d := o.described(now)
	d.ContentType, d.ContentEncoding = "", ""
	if d.StorageClass == IntelligentTiering {
		d.Archive, d.RestoredUntil = driver.ArchiveOnline, time.Time{}
	}
	return d
}

// readable tells whether a read is answered.
func readable(a driver.ArchiveState) bool {
	return a == driver.ArchiveOnline || a == driver.ArchiveRestored
}

// Restored is a restore that was asked for.
type Restored struct {
	Key     string
	Request driver.RestoreRequest
}

// Restores are all restores that were asked for and begun, in order.
func (s *Store) Restores() []Restored {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Restored(nil), s.restores...)
}

// describe tells of an object with its state of now.
func (s *Store) describe(o *object) driver.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return o.described(time.Now())
}

// thaw begins a restore, or prolongs the life of a copy, and tells the state
// before.
func (s *Store) thaw(o *object, req driver.RestoreRequest) driver.ArchiveState {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	before, _ := o.archive(now)
	switch before {
	case driver.ArchiveArchived:
		o.thaws = now.Add(s.opts.Thaw)
		s.restores = append(s.restores, Restored{o.item.Key, req})
	case driver.ArchiveOnline, driver.ArchiveRestoring:
		return before
	}
	if o.item.StorageClass != IntelligentTiering {
		from := now
		if o.thaws.After(from) {
			from = o.thaws
		}
		o.until = from.Add(time.Duration(max(req.Days, 1)) * 24 * time.Hour)
	}
	return before
}
