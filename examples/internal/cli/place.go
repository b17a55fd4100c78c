package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/blob"
)

// Place is where an argument led. It names objects as the user would: by path
// where the argument was one, else by URL. The zero value names them by key.
type Place struct {
	what  string // the argument
	store string // name of the store it led to
	alias string // the argument, if it was copied from elsewhere
}

// Open opens what an argument names. Messages of the console name objects of it
// from then on.
func Open(ctx context.Context, what string, c *Console) (blob.Source, error) {
	c.place = Place{}
	if c.isOwn(localPath(what)) {
		return blob.Source{}, fmt.Errorf("%s: %w", Key(what), errOwn)
	}
	place := Place{what: what}
	if isPipe(what) {
		path, err := c.spool(ctx, what)
		if err != nil {
			return blob.Source{}, fmt.Errorf("%s: %w", Key(what), err)
		}
		place.alias, what = what, path
	} else if info, err := os.Stat(what); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return blob.Source{}, fmt.Errorf("%s: %w", Key(what), errDevice)
	}
	c.asked(what)
	src, err := blob.OpenSource(ctx, what, c.source())
	if err != nil {
		c.answered()
		if e, ok := errors.AsType[*blob.Error](err); ok && e.Key != "" {
			place.store = e.Store
			c.place = place
		}
		return src, err
	}
	place.store = src.Store.Name()
	c.place = place
	objects := src.Objects
	src.Objects = func(ctx context.Context, after blob.Mark) iter.Seq2[blob.Object, error] {
		return c.inputs(src.Store, c.untilAnswered(objects(ctx, after)))
	}
	return src, nil
}

// Elsewhere opens what is read beside the objects, such as an index: messages go on
// naming those.
func (c *Console) Elsewhere(ctx context.Context, what string) (blob.Source, error) {
	return blob.OpenSource(ctx, what, &blob.SourceOptions{Open: *c.open()})
}

var (
	errDevice = usage("devices are not read: write it into a file first")
	errStdin  = usage("- : standard input is not read here: name a file, a folder, a glob or a URL (a file of this name is ./-)")

	errStdinTwice = usage("standard input can be named once: it is read to its end")
)

// usage is an error of the arguments.
type usage string

func (e usage) Error() string { return string(e) }

// isUsage reports whether an argument made no sense, whatever is stored.
func isUsage(err error) bool {
	if _, ok := errors.AsType[usage](err); ok {
		return true
	}
	e, ok := errors.AsType[*blob.Error](err)
	return ok && e.Op == "open" && (errors.Is(err, fs.ErrInvalid) || errors.Is(err, blob.ErrUnsupported))
}

// Name is the object of a key as messages show it: its [Place.Full] name, quoted
// where that could be mistaken.
func (p Place) Name(key string) string {
	if strings.Contains(p.store, "://") && !p.isPath() {
		return p.Full(key)
	}
	return Key(p.Full(key))
}

// isPath reports whether the argument was a path of the file system.
func (p Place) isPath() bool {
	return strings.HasPrefix(p.store, "file:") && !strings.HasPrefix(strings.ToLower(p.what), "file:")
}

// Full is the object of a key as the user would write it as an argument.
func (p Place) Full(key string) string {
	if p.alias != "" {
		return p.alias
	}
	u, err := url.Parse(p.store)
	if p.store == "" || err != nil {
		return key
	}
	if p.isPath() {
		return p.path(u.Path, key)
	}
	prefix := u.Query().Get("prefix")
	parts := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(part string) bool { return strings.HasPrefix(part, "prefix=") })
	u.RawQuery = strings.Join(parts, "&")
	if u.Host != "" && !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	u.Path, u.RawPath = u.Path+prefix+key, ""
	return u.String()
}

// path is a file below a folder, relative if the argument was.
func (p Place) path(folder, key string) string {
	path := filepath.FromSlash(folder + key)
	if len(path) > 2 && path[2] == ':' && filepath.Separator != '/' {
		path = path[1:] // a drive letter
	}
	if filepath.IsAbs(p.what) {
		return path
	}
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil {
			return rel
		}
	}
	return path
}
