package stream

import (
	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream/internal/checkpoint"
)

// FileCheckpoint keeps the manifest in the file at path. Folders above it are
// made if they are missing. A symbolic link is followed; a relative path is taken
// from the working directory at the time of Load.
//
// Load takes a lock of the operating system on the file path + ".lock", which
// stays locked until Close or the end of the process and is not removed. While
// it is locked, Load of another run, of this process or another, is [ErrOwner].
// A run whose lock file is removed ends with ErrOwner at its next Save.
//
// Save writes path + ".tmp", syncs it, renames it to path and syncs the folder. A
// run that is killed leaves the manifest as it was before or after; a left-over
// path + ".tmp" is overwritten. The permissions of an existing manifest are kept.
//
// Where system or file system have no locks, Load is blob.ErrUnsupported.
//
// The Checkpoint may serve one job after another. Two at a time are ErrOwner for
// the second.
func FileCheckpoint(path string) Checkpoint { return checkpoint.NewFile(path) }

// BlobCheckpoint keeps the manifest in an object of store. The newer run takes
// over: Load writes the manifest again, under a condition, so that the next Save
// of the older run is [ErrOwner]. The store is not closed.
//
// Where the store's Put honours absence and versions, the manifest is the object
// at key. Where it honours absence only, each save is an object of its own, key +
// ".000000001" and on, of which the last two are kept if the store can delete; key
// + ".000000000" then says that older ones were. Where it honours neither, Load is
// blob.ErrUnsupported. The store's [blob.Traits] say which it does.
//
// The last line of an object identifies the run that wrote it, in spaces and tabs, so
// that the object stays JSON. A run recognizes by it what it wrote itself if the response
// was lost. No two runs write the same bytes, which some services would give the same
// version.
//
// Load leaves an object alone that holds no manifest, and fails. After a failure
// other than ErrOwner, Save may be called again. The Checkpoint may serve one job
// after another. Two at a time are ErrOwner for the second.
func BlobCheckpoint(store *blob.Store, key string) Checkpoint {
	return checkpoint.NewBlob(store, key, func(manifest []byte) error {
		_, err := parseManifest(manifest)
		return err
	})
}
