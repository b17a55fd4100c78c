package blob

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// ListOptions narrows a listing. Nil means the zero value. All that is set must
// hold; everything is relative to the Store.
type ListOptions struct {
	// Prefix is what every key begins with, byte for byte: "a" covers "a/b"
	// and "a-b". Empty means every key.
	Prefix string

	// Glob is matched against the whole key: * and ? stay within one path
	// element, ** as an element stands for any number of them, [a-z] and
	// [^a-z] for one character, {a,b} for one of several; a backslash takes
	// the meaning from the next character. What comes before the first of
	// these is asked of the store as a prefix. Empty means every key.
	Glob string

	// Exclude are globs of what is left out, although it matches: keys, and
	// folders with all that lies below them, such as "**/.snapshot". One with
	// a slash at its end is about folders alone. Nil means none.
	Exclude []string

	// After leaves out every key up to and including this one. Empty means
	// none.
	After string

	// ModifiedSince and ModifiedBefore leave out objects that were modified
	// earlier than the one, or not earlier than the other. An object whose
	// ModTime the store does not tell is kept: what may belong to the job is
	// not lost. The zero time means no bound. Both are part of the Source's name,
	// and so of a manifest's job: a later run that is to go on gives the same.
	ModifiedSince, ModifiedBefore time.Time

	// Archived says what becomes of objects in archive tiers. The zero value
	// keeps all.
	Archived ArchivedFilter
}

// ArchivedFilter chooses objects by whether a read can succeed now.
type ArchivedFilter uint8

const (
	AllObjects   ArchivedFilter = iota // all objects
	ReadableOnly                       // only what is readable: online or restored
	ArchivedOnly                       // only what is not: archived or restoring
)

// String gives the filter in lower case.
func (f ArchivedFilter) String() string {
	switch f {
	case AllObjects:
		return "all"
	case ReadableOnly:
		return "readable"
	case ArchivedOnly:
		return "archived"
	}
	return "unknown"
}

// List is a Source of the store's objects in ascending byte order of keys.
// Nothing is asked of the store before Objects is ranged over. It streams: memory
// does not grow with the number of objects. From a store that is not local it runs
// up to 1,024 objects ahead, on a goroutine that ends with the loop; a listing that
// fails for a moment goes on behind the last key, as [Retry] says. A listing that
// is out of order or names a key twice is [ErrOrder], since a job that resumes by key
// would lose objects. Markers of folders ([Object.IsFolder]) are yielded like other
// objects, but for that of the folder that the Store stands for. What could not be
// looked at, such as a directory that may not be read, is an object of Size -1: to open
// it fails with the reason. Folders in which Glob and Exclude leave nothing are not
// entered where that saves work.
//
// The Source's name is the store's with what opts sets. A malformed glob is
// the only pair that Objects yields.
func (s *Store) List(opts *ListOptions) Source {
	var o ListOptions
	if opts != nil {
		o = *opts
	}
	return Source{
		Store: s,
		Name:  o.name(s.name),
		Objects: func(ctx context.Context, after Mark) iter.Seq2[Object, error] {
			return s.list(ctx, o, max(o.After, after.Key))
		},
	}
}

// name adds what is set to the name of the store.
func (o *ListOptions) name(store string) string {
	var b strings.Builder
	b.WriteString(store)
	if o.Prefix != "" {
		fmt.Fprintf(&b, " prefix %q", o.Prefix)
	}
	if o.Glob != "" {
		fmt.Fprintf(&b, " glob %q", o.Glob)
	}
	for _, glob := range o.Exclude {
		fmt.Fprintf(&b, " except %q", glob)
	}
	if o.After != "" {
		fmt.Fprintf(&b, " after %q", o.After)
	}
	if !o.ModifiedSince.IsZero() {
		b.WriteString(" since " + o.ModifiedSince.UTC().Format(time.RFC3339Nano))
	}
	if !o.ModifiedBefore.IsZero() {
		b.WriteString(" before " + o.ModifiedBefore.UTC().Format(time.RFC3339Nano))
	}
	if o.Archived != AllObjects {
		b.WriteString(" only " + o.Archived.String())
	}
	return b.String()
}

// prefix is what the store is asked for; ok is false when nothing can match.
func (o *ListOptions) prefix() (prefix string, ok bool) {
	head := globHead(o.Glob)
	switch {
	case strings.HasPrefix(head, o.Prefix):
		return head, true
	case strings.HasPrefix(o.Prefix, head):
		return o.Prefix, true
	}
	return "", false
}

// selects tells whether an object is listed. The prefix is matched already.
func (o *ListOptions) selects(obj *Object) bool {
	if !obj.ModTime.IsZero() {
		if !o.ModifiedSince.IsZero() && obj.ModTime.Before(o.ModifiedSince) {
			return false
		}
		if !o.ModifiedBefore.IsZero() && !obj.ModTime.Before(o.ModifiedBefore) {
			return false
		}
	}
	readable := obj.Archive == ArchiveOnline || obj.Archive == ArchiveRestored
	switch o.Archived {
	case ReadableOnly:
		if !readable {
			return false
		}
	case ArchivedOnly:
		if readable {
			return false
		}
	}
	return o.matches(obj)
}

// list yields what o selects of the keys greater than after.
func (s *Store) list(ctx context.Context, o ListOptions, after string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		fail := func(err error) {
			key := ""
			if e, ok := errors.AsType[*driver.OrderError](err); ok {
				key = strings.TrimPrefix(e.Key, s.prefix)
			}
			yield(Object{}, s.wrap(ctx, "list", key, -1, err))
		}
		if err := o.valid(); err != nil {
			fail(err)
			return
		}
		prefix, ok := o.prefix()
		if !ok {
			return
		}
		full := s.prefix + prefix
		last := ""
		if after != "" {
			last = s.prefix + after
		}
		for listed, err := range s.listed(ctx, full, last, s.enter(&o)) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				fail(err)
				return
			}
			obj := objectOf(listed.Key[len(s.prefix):], &listed)
			if obj.Key == "" && obj.Size < 0 {
				fail(s.unlisted(ctx))
				return
			}
			if obj.Key == "" && obj.Size == 0 {
				continue
			}
			if o.selects(&obj) && !yield(obj, nil) {
				return
			}
		}
	}
}

// follows checks what a driver promises of a listing.
func follows(last, prefix string, obj *driver.Object) error {
	switch {
	case obj.Key <= last:
		return &driver.OrderError{Key: obj.Key, After: last}
	case !strings.HasPrefix(obj.Key, prefix):
		return fmt.Errorf("listing of prefix %q gave %q", prefix, obj.Key)
	case obj.Size < -1:
		return fmt.Errorf("listing gave %q a size of %d", obj.Key, obj.Size)
	}
	return nil
}
