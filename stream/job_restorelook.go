package stream

import (
	"sync/atomic"

	"github.com/thaw-go/thaw/blob"
)

// lookSample is how many archived objects are looked up to find out whether listings
// tell what was restored, and after how many more another one is.
const (
	lookSample = 100
	lookEvery  = 1000
)

// looking decides which archived objects are looked up one by one. S3 tells in a
// listing which of them are restored or on their way. Services that speak its protocol
// may leave that out: everything then looks archived for good. A listing that told it
// once is believed, and one that was found wrong never is again.
type looking struct {
	archived int  // listed so
	told     bool // a listing told of a restore
	silent   atomic.Bool
}

// at reports whether an object is to be looked up. The lister alone calls it.
func (l *looking) at(obj blob.Object) bool {
	switch obj.Archive {
	case blob.ArchiveRestored, blob.ArchiveRestoring:
		l.told = true
		return false
	case blob.ArchiveArchived:
	default:
		return false
	}
	if obj.StorageClass != "GLACIER" && obj.StorageClass != "DEEP_ARCHIVE" {
		return false
	}
	l.archived++
	return l.silent.Load() || !l.told && (l.archived <= lookSample || l.archived%lookEvery == 0)
}

// saw compares what a listing said with what a look-up does.
func (l *looking) saw(listed, found blob.Object) {
	if listed.Archive == blob.ArchiveArchived && found.Archive != blob.ArchiveArchived {
		l.silent.Store(true)
	}
}
