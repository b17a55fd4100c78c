package driver

import (
	"context"
	"io"
	"iter"
	"time"
)

// Driver is one store of objects: a bucket, a folder, a map in memory. Package blob never
// passes an empty key.
type Driver interface {
	// List yields every object whose key begins with prefix and is greater than
	// after, in ascending byte order of keys, each once. prefix is matched as
	// bytes: "a" covers "a/b" and "a-b". An error is the last pair; the end of
	// ctx is one. Folder markers (keys that end in "/") are yielded like other
	// objects.
	//
	// A listing streams: its memory does not grow with the number of objects,
	// except for what the order of one directory demands.
	//
	// A driver never leaves out what it could not look at. If that does not end
	// the listing, as with one directory that may not be read, it is an object of
	// Size -1, with a slash at the end of its key if it is or may be a folder.
	// Stat and ReadRange of that key fail with the reason.
	List(ctx context.Context, prefix, after string) iter.Seq2[Object, error]

	// Stat describes one object. It is fs.ErrNotExist if no object has the key,
	// or [ErrFolder] if a folder has it, where the store knows folders.
	Stat(ctx context.Context, key string) (Object, error)

	// ReadRange opens length bytes of the object from offset on; -1 means all up
	// to the end. Neither a length of 0 nor a negative offset is ever passed. An
	// offset at or after the end is no error: the body is empty and Size shows
	// why. With a version, only that version is served, by the service's
	// precondition or by comparison with the response; another one is ErrChanged.
	ReadRange(ctx context.Context, key string, offset, length int64, version string) (Range, error)

	// Put writes one object of exactly size bytes, atomically: a reader sees the
	// old object or the new one. It returns the new version. If cond does not
	// hold the error is ErrConflict, and nothing is written. r returns exactly
	// size bytes and io.EOF, or an error, which Put wraps; then nothing is
	// written.
	Put(ctx context.Context, key string, r io.Reader, size int64, cond Condition) (version string, err error)
}

// Object describes one stored object at one version. Package blob has a struct of the
// same fields for its users and copies this one.
type Object struct {
	Key  string // as the service spells it
	Size int64  // stored bytes; -1 in a listing that could not look at the object

	// Version identifies the content: an ETag, a generation, or what stands in
	// for one (size and modification time for files). Empty means that the driver
	// cannot distinguish versions.
	Version string

	ModTime         time.Time    // zero if unknown
	ContentType     string       // as stored; empty if unknown
	ContentEncoding string       // as stored; most listings omit it
	StorageClass    string       // as the service spells it; empty if unknown
	Archive         ArchiveState // whether a read can succeed now
	RestoredUntil   time.Time    // end of the copy, for ArchiveRestored; zero if unknown
}

// ArchiveState is the state of an object in an archive tier.
type ArchiveState uint8

// The states of an object. They are those of package blob.
const (
	ArchiveOnline    ArchiveState = iota // reads at once
	ArchiveArchived                      // must be restored before it can be read
	ArchiveRestoring                     // a restore was requested and is not finished
	ArchiveRestored                      // a restored copy is readable, for a time
)

// String returns the state in lower case.
func (a ArchiveState) String() string {
	switch a {
	case ArchiveOnline:
		return "online"
	case ArchiveArchived:
		return "archived"
	case ArchiveRestoring:
		return "restoring"
	case ArchiveRestored:
		return "restored"
	}
	return "unknown"
}

// Range is an open part of one object version.
type Range struct {
	// Body returns the bytes as stored. It ends with [io.EOF] only after every
	// byte requested, or up to the object's end; a body that is cut short is
	// io.ErrUnexpectedEOF or ErrTransient. The caller closes it.
	Body io.ReadCloser

	// Offset is the object's byte that Body begins with, as the response states
	// it (Content-Range; 0 for a response that is the whole object). A driver
	// that has verified it, and one whose body is empty, sets the offset that was
	// requested. Package blob takes no other.
	Offset int64

	// Object is what the response states about the object: Size is that of the
	// whole object, Version the one that is served.
	Object Object
}

// Condition is what must hold for a Put. The zero value always holds. At most one field
// is set.
type Condition struct {
	Absent  bool   // no object has the key
	Version string // the object has this version
}

// Traits are facts about a driver that change how it is best used. The zero value is
// that of a remote store whose Put takes no conditions.
type Traits struct {
	// Local reports that a read costs about as much as a copy of memory. Package
	// blob then reads by one range to the end, without read-ahead, hedges and
	// time-outs.
	Local bool

	// Mutable reports that objects can be written to in place, as files can: an
	// open body may return bytes of two versions.
	Mutable bool

	// PutAbsent and PutVersion report which conditions Put checks in one step
	// with the write. Package blob passes no other.
	PutAbsent, PutVersion bool

	// DeleteVersion reports that a Delete of a version checks it in one step with
	// the deletion.
	DeleteVersion bool
}

// Describer is implemented by drivers with traits other than the zero value. Traits is
// called once, by blob.New.
type Describer interface{ Traits() Traits }

// Namer is implemented by drivers that know the name of what they reach. Neither name
// may hold credentials.
type Namer interface {
	// Name is how errors and manifests name the store, such as "s3://bucket".
	Name() string

	// Location is how record ids name the bucket, container or folder: the same
	// however it is reached, with every byte as it is. A slash at its end has no
	// meaning. Empty means unknown.
	Location() string
}

// FolderLister is implemented by drivers whose listings cost by the folders that they
// walk. ListFolders is List, but calls enter for each folder below prefix before it
// reads it, with a key that ends in a slash, and skips the folder if enter returns
// false. A nil enter skips none.
type FolderLister interface {
	ListFolders(ctx context.Context, prefix, after string, enter func(folder string) bool) iter.Seq2[Object, error]
}

// Deleter is implemented by drivers that can delete. Delete is fs.ErrNotExist if no
// object has the key, where the service reports that. With a version, it deletes only
// that one: another is [ErrChanged], and so may be none. The service checks it in the same step, or the
// driver looks before; Traits.DeleteVersion says which.
type Deleter interface {
	Delete(ctx context.Context, key, version string) error
}

// Copier is implemented by drivers that copy an object within the store without its
// bytes passing through the program. Copy copies from, of which Key, Size and Version
// matter, to key, replaces what is there, and returns when the copy is whole. An object
// that is gone is fs.ErrNotExist, another Version [ErrChanged], and one that cannot be
// copied so, as for its size, [ErrUnsupported]. An empty Version is any, and Size may be
// -1.
type Copier interface {
	Copy(ctx context.Context, from Object, key string) error
}

// Tagger is implemented by drivers that keep texts by name beside an object: tags, or
// metadata that does not change its version. Tag adds tags, in place of those of the same
// names, and keeps the others. An object that is gone is fs.ErrNotExist, another version
// [ErrChanged]; an empty version is any. Tags returns all tags of an object.
type Tagger interface {
	Tag(ctx context.Context, key, version string, tags map[string]string) error
	Tags(ctx context.Context, key string) (map[string]string, error)
}

// Restorer is implemented by drivers of services with archive tiers. Restore returns
// when the service has accepted the request. An object that is online or being restored
// is no error.
type Restorer interface {
	Restore(ctx context.Context, key string, req RestoreRequest) error
}

// RestoreChecker is implemented by drivers that know which restores their service takes.
// CheckRestore sends no request; a restore that the service would refuse for every
// object is fs.ErrInvalid.
type RestoreChecker interface {
	CheckRestore(req RestoreRequest) error
}

// RestoreRequest says how an archived object is restored.
type RestoreRequest struct {
	Days int    // how long the copy is kept; 0 means the service's least
	Tier string // speed, as the service spells it; empty means its standard
}
