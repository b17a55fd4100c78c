package blob

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
)

// SourceOptions configures [OpenSource]. Nil means the zero value.
type SourceOptions struct {
	// Open configures the Source's Store.
	Open OpenOptions

	// List narrows the listing of a folder or a bucket, relative to the folder.
	// Its Glob must be empty if the URL holds a glob. If the URL names one object,
	// Exclude is ignored, and other fields that are set are fs.ErrInvalid.
	List ListOptions
}

// OpenSource opens what a URL or a path names, as the argument of a tool does:
//
//	file:///dir/  dir             every object of the folder
//	file:///dir/a.gz  dir/a.gz    one object
//	s3://logs/2026/**/*.gz        a glob, as in [ListOptions]
//
// An argument without a scheme is a path of the file system. In a URL, "?" and "#"
// within a key are written %3F and %23, and a backslash removes the meaning of the next
// glob character. A name is looked up literally before it is taken for a glob: on every
// store, "x[1].log" is the object of that name if there is one. A name that is no object
// and does not end in a slash is a folder, if anything lies in it or it has a marker;
// else the error is fs.ErrNotExist. Other errors are those of [Open].
//
// Nil opts means the defaults. ctx bounds the opening and the look-up. The caller closes
// the Source's Store.
func OpenSource(ctx context.Context, rawURL string, opts *SourceOptions) (Source, error) {
	var o SourceOptions
	if opts != nil {
		o = *opts
	}
	t, err := openTarget(ctx, rawURL, &o.Open)
	if err != nil {
		return Source{}, err
	}
	src, err := t.source(ctx, &o.List)
	if err != nil {
		t.close()
		return Source{}, err
	}
	return src, nil
}

// source returns what the URL names: an object, a folder or a glob, in this order. What
// exists by its literal name is never taken for a glob.
func (t *target) source(ctx context.Context, opts *ListOptions) (Source, error) {
	var o ListOptions
	if opts != nil {
		o = *opts
	}
	if t.IsObject {
		return t.object(&o)
	}
	folder, rest, err := t.literal(ctx)
	switch {
	case err != nil:
		return Source{}, err
	case t.IsObject:
		return t.object(&o)
	case rest == "":
		return t.folder(folder, &o)
	case hasMeta(rest):
		return t.glob(folder, rest, &o)
	}
	inner, last := cutFolder(rest)
	if last == "" {
		return t.folder(t.Key, &o)
	}
	switch obj, err := t.store(folder+inner).Stat(ctx, last); {
	case err == nil && !obj.IsFolder():
		return t.object(&o)
	case err == nil || errors.Is(err, driver.ErrFolder):
		return t.folder(t.Key, &o)
	case !errors.Is(err, fs.ErrNotExist):
		return Source{}, err
	}
	if t.NotFolder == nil && !t.holds(ctx, t.Key+"/", &t.NotFolder) && errors.Is(t.NotFolder, fs.ErrNotExist) {
		return Source{}, t.fail(driver.NotExist("no such object or folder"))
	}
	return t.folder(t.Key, &o)
}

// object returns the Source of the one object of the key.
func (t *target) object(o *ListOptions) (Source, error) {
	rest := *o
	rest.Exclude = nil // the object was named
	if rest.name("") != "" {
		return Source{}, t.fail(badurl.Errorf("one object takes no list options"))
	}
	folder, last := cutFolder(t.Key)
	return Keys(t.store(folder), last), nil
}

// folder returns the Source of what lies below a key.
func (t *target) folder(key string, o *ListOptions) (Source, error) {
	if key != "" && t.NotFolder != nil {
		return Source{}, t.fail(t.NotFolder)
	}
	return t.list(t.store(key), o)
}

// glob returns the Source of what matches a glob below a folder.
func (t *target) glob(folder, glob string, o *ListOptions) (Source, error) {
	if o.Glob != "" {
		return Source{}, t.fail(badurl.Errorf("two globs, in the URL and in the options"))
	}
	head, glob := cutGlob(glob)
	o.Glob = glob
	return t.folder(folder+head, o)
}

// list checks the globs at once, so that a mistake is an error of the opening.
func (t *target) list(s *Store, o *ListOptions) (Source, error) {
	if err := o.valid(); err != nil {
		return Source{}, t.fail(badurl.Errorf("%w", err))
	}
	return s.List(o), nil
}

// cutFolder splits a key after its last slash.
func cutFolder(key string) (folder, last string) {
	i := strings.LastIndexByte(key, '/') + 1
	return key[:i], key[i:]
}
