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

// ListOptions narrows a listing. Nil means the zero value, which selects every object.
// An object must satisfy all that is set. Keys, globs and prefixes are relative to the
// Store.
type ListOptions struct {
	// Prefix is what every key begins with, byte for byte: "a" covers "a/b" and
	// "a-b". Empty means every key.
	Prefix string

	// Glob is matched against the whole key. * and ? match within one path
	// element; ** as an element matches any number of elements; [a-z] and [^a-z]
	// match one character, {a,b} one of several texts. A backslash removes the
	// meaning of the next character. The text before the first of these is
	// requested as a prefix. Empty means every key.
	Glob string

	// Exclude lists globs of keys and folders to leave out even if they match Prefix
	// and Glob. A folder is left out with everything below it: "**/.snapshot". A glob that
	// ends in a slash is about folders alone. Nil means none.
	Exclude []string

	// After leaves out every key up to this one, itself included. Empty means
	// none.
	After string

	// ModifiedSince leaves out objects that were modified before it, and
	// ModifiedBefore those that were not. An object of unknown ModTime is kept,
	// so that nothing is lost. The zero time means no bound. Both are part of the
	// Source's name, and so of a manifest's job: a run that resumes it sets the
	// same times.
	ModifiedSince, ModifiedBefore time.Time

	// Archived selects by whether a read can succeed now. The zero value selects
	// all.
	Archived ArchivedFilter
}

// ArchivedFilter selects objects by whether a read can succeed now. An object whose
// listing does not state its state counts as online; a plan of package stream/archive
// looks it up.
type ArchivedFilter uint8

// The filters.
const (
	AllObjects   ArchivedFilter = iota // every state
	ReadableOnly                       // online or restored
	ArchivedOnly                       // archived or being restored
)

// String returns the filter in lower case: "all", "readable" or "archived".
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

// List returns a Source of the Store's objects in ascending byte order of keys. Nothing
// is requested before its Objects is ranged over. Nil opts selects every object.
//
// A listing streams: its memory does not grow with the number of objects. From a store
// that is not local it runs up to 1,024 objects ahead, on a goroutine that ends with
// the loop. A listing that fails for a moment resumes after the last key, as [Retry]
// says. One that is out of order, or names a key twice, is [ErrOrder]: a job that
// resumes by key would lose objects. Folders in which Glob and Exclude leave nothing
// are not entered where that saves requests.
//
// Markers of folders ([Object.IsFolder]) are yielded like other objects, except the
// marker of the folder that the Store stands for. What could not be looked at, such as a
// directory that may not be read, is an object of Size -1; opening it fails with the
// reason.
//
// The Source's name is the Store's with what opts sets. If a glob is malformed, that
// error is the only pair that Objects yields.
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

// name returns the name of the store with what is set.
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

// prefix returns the prefix to request; ok is false if nothing can match.
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

// selects reports whether an object is listed. It has the prefix already.
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
			yield(Object{}, s.wrap(ctx, "list", key, 0, err))
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

// follows checks what a driver promises about a listing.
func follows(last, prefix string, obj *driver.Object) error {
	switch {
	case obj.Key <= last:
		return &driver.OrderError{Key: obj.Key, After: last}
	case !strings.HasPrefix(obj.Key, prefix):
		return fmt.Errorf("listing of prefix %q has %q", prefix, obj.Key)
	case obj.Size < -1:
		return fmt.Errorf("listing states for %q a size of %d", obj.Key, obj.Size)
	}
	return nil
}
