package blob

import (
	"context"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// Object describes one stored object at one version.
type Object struct {
	// Key names the object within its Store, byte for byte as the service
	// spells it, without the Store's prefix.
	Key string

	// Size is the number of stored bytes, before any decompression. -1 means
	// unknown: key lists do not state it, and a listing does not where it could
	// not look at the object.
	Size int64

	// Version identifies the content: an ETag, a generation, or size and
	// modification time for files. Two versions are only ever compared for
	// equality. Empty means unknown.
	Version string

	// ModTime is when the object was last written. The zero time means unknown.
	ModTime time.Time

	// ContentType is the media type that was stored with the object. Empty
	// means none or unknown.
	ContentType string

	// ContentEncoding is the encoding that was stored with the object, as in
	// HTTP. Nothing decodes it. Empty means none or unknown: listings of most
	// services omit it.
	ContentEncoding string

	// StorageClass is the class or tier, as the service spells it. Empty means
	// unknown.
	StorageClass string

	// Archive reports whether a read can succeed now.
	Archive ArchiveState

	// RestoredUntil is when the readable copy of an [ArchiveRestored] object
	// ends. The zero time means unknown.
	RestoredUntil time.Time
}

// IsFolder reports whether the object is the marker of a folder. Tools write such
// markers on services without folders: empty objects whose key ends in "/" or
// "_$folder$", or whose content type says so. A marker holds no data.
func (o *Object) IsFolder() bool {
	if o.Size != 0 {
		return false
	}
	switch o.ContentType {
	case "application/x-directory", "httpd/unix-directory":
		return true
	}
	return strings.HasSuffix(o.Key, "/") || strings.HasSuffix(o.Key, "_$folder$")
}

// ArchiveState is the state of an object in an archive tier.
type ArchiveState uint8

// The states of an object.
const (
	ArchiveOnline    ArchiveState = iota // reads at once; the state of all objects outside archive tiers
	ArchiveArchived                      // must be restored before it can be read
	ArchiveRestoring                     // a restore was requested and is not finished
	ArchiveRestored                      // a restored copy is readable, for a time
)

// String returns the state in lower case: "online", "archived", "restoring" or
// "restored".
func (a ArchiveState) String() string { return driver.ArchiveState(a).String() }

// objectOf is a driver's object under the key that this Store has for it.
func objectOf(key string, o *driver.Object) Object {
	return Object{
		Key:             key,
		Size:            o.Size,
		Version:         o.Version,
		ModTime:         o.ModTime,
		ContentType:     o.ContentType,
		ContentEncoding: o.ContentEncoding,
		StorageClass:    o.StorageClass,
		Archive:         ArchiveState(o.Archive),
		RestoredUntil:   o.RestoredUntil,
	}
}

// Stat describes one object by one request. The error is fs.ErrNotExist if no object
// has the key, also if the key is that of a folder, and fs.ErrInvalid if key is empty.
func (s *Store) Stat(ctx context.Context, key string) (Object, error) {
	if err := s.named(key); err != nil {
		return Object{}, s.wrap(ctx, "stat", key, 0, err)
	}
	obj, err := try(ctx, s, "stat", key, func(ctx context.Context) (driver.Object, error) {
		return s.drv.Stat(ctx, s.prefix+key)
	})
	if err != nil {
		return Object{}, s.wrap(ctx, "stat", key, 0, err)
	}
	return objectOf(key, &obj), nil
}

// DeleteOptions configures Delete. Nil means the zero value.
type DeleteOptions struct {
	// IfVersion deletes only if the object has this version; else the error is
	// [ErrChanged]. Empty means any version. The service checks it in one step with
	// the deletion if the store has the trait DeleteVersion. Otherwise Delete checks
	// first, and deletes the new object if it is replaced between check and deletion.
	IfVersion string
}

// Delete removes one object. The error is fs.ErrNotExist if no object has the key,
// where the service reports that, and [ErrUnsupported] if the store cannot delete.
// Delete is never retried. Nil opts mean the zero value.
func (s *Store) Delete(ctx context.Context, key string, opts *DeleteOptions) error {
	if opts == nil {
		opts = &DeleteOptions{}
	}
	d, ok := s.drv.(driver.Deleter)
	if !ok {
		return s.wrap(ctx, "delete", key, 0, ErrUnsupported)
	}
	if err := s.named(key); err != nil {
		return s.wrap(ctx, "delete", key, 0, err)
	}
	return s.wrap(ctx, "delete", key, 0, d.Delete(ctx, s.prefix+key, opts.IfVersion))
}
