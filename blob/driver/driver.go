package driver

import (
	"context"
	"io"
	"iter"
	"time"
)

// Driver is one store of objects: a bucket, a folder, a map in memory. Package blob
// never passes an empty key.
type Driver interface {
	// List yields every object whose key begins with prefix and is greater
	// than after, in ascending byte order of keys, each once. It streams: what
	// it holds in memory does not grow with the number of objects beyond what
	// the order itself demands of one directory. A failure is the last pair
	// yielded. Folder markers (keys ending in "/") are yielded like any other
	// object.
	//
	// A driver never leaves out what it could not look at. What does not end
	// the listing, such as one directory that may not be read, is yielded as
	// an object of Size -1, with a slash at the end of its key where it is or
	// may be a folder; Stat and ReadRange of that key fail with the reason.
	//
	// prefix is matched as bytes: "a" covers "a/b" and "a-b".
	List(ctx context.Context, prefix, after string) iter.Seq2[Object, error]

	// Stat describes one object.
	Stat(ctx context.Context, key string) (Object, error)

	// ReadRange opens length bytes of the object from offset on; length -1
	// means to the end. The caller never asks for zero bytes and never for a
	// negative offset. With a version, only that version is served: another
	// one is ErrChanged, either through the service's precondition or by
	// comparison with what the response carries. An offset at or past the
	// end is no error: the body is empty and Size tells why.
	ReadRange(ctx context.Context, key string, offset, length int64, version string) (Range, error)

	// Put writes one object of exactly size bytes, atomically: a reader sees
	// the old object or the new one. It returns the new version. When cond
	// does not hold the error is ErrConflict and nothing is written. r gives
	// exactly size bytes and io.EOF, or an error: then nothing is written and
	// the error is wrapped.
	Put(ctx context.Context, key string, r io.Reader, size int64, cond Condition) (version string, err error)
}

// Object describes one stored object at one version.
type Object struct {
	Key  string // as the service spells it
	Size int64  // stored bytes; -1 in listings where it could not be looked at

	// Version identifies the content: an ETag, a generation, or what stands
	// in for one (size and modification time for files). Empty means that
	// the driver cannot tell versions apart.
	Version string

	ModTime         time.Time    // zero when unknown
	ContentType     string       // as stored; empty when unknown
	ContentEncoding string       // as stored; listings of most services lack it
	StorageClass    string       // as the service spells it; empty when unknown
	Archive         ArchiveState // whether a read can succeed now
	RestoredUntil   time.Time    // for [ArchiveRestored], where the service says
}

// ArchiveState is the state of an object in an archive tier.
type ArchiveState uint8

const (
	ArchiveOnline    ArchiveState = iota // reads at once
	ArchiveArchived                      // must be restored before it can be read
	ArchiveRestoring                     // a restore is under way
	ArchiveRestored                      // a restored copy is readable for a time
)

// String gives the state in lower case.
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
	// Body yields the stored bytes as stored. It ends with [io.EOF] only when
	// every byte asked for (or up to the object's end) was given; a body cut
	// short is io.ErrUnexpectedEOF or a transient error. The caller closes it.
	Body io.ReadCloser

	// Offset is the object's byte that Body begins with, as the response says
	// (Content-Range; 0 for an answer that is the whole object). A driver
	// that has made sure itself, and one whose body is empty, sets it to the
	// offset asked for. The caller takes no other for an answer.
	Offset int64

	// Object is what the response says of the object: Size is that of the
	// whole object, Version the one served.
	Object Object
}

// Condition is what must hold for a Put. The zero value always holds.
type Condition struct {
	Absent  bool   // no object has the key
	Version string // the object has this version
}

// Traits are facts about a driver that change how it is best used.
type Traits struct {
	// Local marks stores whose reads cost about a memory copy: no read-ahead
	// goroutine, one range to the end, as many lanes as cores.
	Local bool

	// Mutable marks stores whose objects can be written to in place, as files
	// are: a body that is open may give bytes of two versions. What is wrong
	// with the bytes may then be no more than that.
	Mutable bool

	// PutAbsent and PutVersion tell which conditions Put honours atomically.
	// A condition that is not honoured is ErrUnsupported.
	PutAbsent, PutVersion bool
}

// Describer is implemented by drivers with traits other than the zero value.
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
// walk. ListFolders is List that asks enter for each folder below prefix before it
// reads it, by a key that ends in a slash, and passes over what lies in a folder that
// enter refuses.
type FolderLister interface {
	ListFolders(ctx context.Context, prefix, after string, enter func(folder string) bool) iter.Seq2[Object, error]
}

// Deleter is implemented by drivers that can delete. Deleting what is not
// there is fs.ErrNotExist.
type Deleter interface {
	Delete(ctx context.Context, key string) error
}

// Restorer is implemented by drivers of services with archive tiers. A request
// for an object that is online or already under way is no error.
type Restorer interface {
	Restore(ctx context.Context, key string, req RestoreRequest) error
}

// RestoreChecker is implemented by drivers that know which restores their service takes.
// CheckRestore asks nothing of the service: a request that no service of the kind takes
// is fs.ErrInvalid.
type RestoreChecker interface {
	CheckRestore(req RestoreRequest) error
}

// RestoreRequest asks for a readable copy of an archived object.
type RestoreRequest struct {
	Days int    // how long the copy is kept; 0 means the service's least
	Tier string // speed, as the service spells it; empty means its standard
}
