package archive

import (
	"sync/atomic"

	"github.com/thaw-go/thaw/blob"
)

// sampleFirst is how many archived objects are looked up to find out whether listings
// state what was restored, and sampleEvery after how many more another one is.
const (
	sampleFirst = 100
	sampleEvery = 1000
)

// sample decides which archived objects are looked up one by one. A listing of S3 states
// which of them are restored or being restored. Services that speak its protocol may
// omit that: everything then looks archived for good. A listing that stated it once is
// believed, and one that was found wrong never is again.
type sample struct {
	archived int         // listed so
	states   bool        // a listing stated a restore
	wrong    atomic.Bool // a listing omitted one
}

// due reports whether an object is to be looked up. One goroutine calls it.
func (s *sample) due(obj blob.Object) bool {
	switch obj.Archive {
	case blob.ArchiveRestored, blob.ArchiveRestoring:
		s.states = true
		return false
	case blob.ArchiveArchived:
	default:
		return false
	}
	if obj.StorageClass != "GLACIER" && obj.StorageClass != "DEEP_ARCHIVE" {
		return false
	}
	s.archived++
	return s.wrong.Load() || !s.states && (s.archived <= sampleFirst || s.archived%sampleEvery == 0)
}

// compare compares what a listing stated with what a look-up did.
func (s *sample) compare(listed, found blob.Object) {
	if listed.Archive == blob.ArchiveArchived && found.Archive != blob.ArchiveArchived {
		s.wrong.Store(true)
	}
}
