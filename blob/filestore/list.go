package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/thaw-go/thaw/blob/driver"
)

// List yields the files below the folder in byte order of keys. It begins in the
// directory that prefix names, and enters only directories that can hold a key with the
// prefix, after the key after.
func (d *Driver) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return d.ListFolders(ctx, prefix, after, nil)
}

// ListFolders is List without the directories that enter refuses. Nil refuses none.
func (d *Driver) ListFolders(ctx context.Context, prefix, after string, enter func(folder string) bool) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		l := &lister{Driver: d, ctx: ctx, prefix: prefix, after: after, enter: enter, yield: yield}
		if err := l.start(); err != nil && err != errStop {
			yield(driver.Object{}, err)
		}
	}
}

// errStop says that the caller of the listing wants no more.
var errStop = errors.New("stop")

// lister is one walk.
type lister struct {
	*Driver
	ctx           context.Context
	prefix, after string
	enter         func(folder string) bool
	yield         func(driver.Object, error) bool
	above         []fs.FileInfo // the directories from the start to here
}

// start finds the directory of the prefix. That it is missing means that there
// is no key; that the folder itself is missing is an error.
func (l *lister) start() error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	info, err := l.files.Stat(l.dir)
	if err != nil {
		return cause(err)
	}
	dir := l.prefix[:strings.LastIndexByte(l.prefix, '/')+1]
	if dir != "" {
		if checkKey(dir[:len(dir)-1]) != nil {
			return nil // no key of this store begins so
		}
		info, err = l.files.Stat(l.where(dir))
		if err != nil && !isMissing(err) {
			return failed(dir, err)
		}
		if err != nil || !info.IsDir() {
			return nil
		}
	}
	return l.walk(dir, info)
}

// where is the path of a directory whose key ends in a slash or is empty.
func (l *lister) where(dir string) string { return filepath.Join(l.dir, filepath.FromSlash(dir)) }

// entry is a name in a directory. A directory's name ends in a slash: that is
// its place among the keys.
type entry struct {
	name  string
	kind  fs.DirEntry
	blind bool // a link that could not be followed
}

func (e entry) isDir() bool { return strings.HasSuffix(e.name, "/") }

// walk yields what lies in one directory, in order. info describes it.
func (l *lister) walk(dir string, info fs.FileInfo) error {
	for _, above := range l.above {
		if os.SameFile(above, info) {
			return l.unknown(dir, errLoop)
		}
	}
	entries, fault := l.entries(dir)
	if fault != nil {
		if err := l.unknown(dir, fault); err != nil {
			return err
		}
	}
	l.above = append(l.above, info)
	defer func() { l.above = l.above[:len(l.above)-1] }()
	for _, e := range entries {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if err := l.visit(dir+e.name, e); err != nil {
			return err
		}
	}
	return nil
}

// unknown yields what could not be looked at as an object without a size; opening it
// fails with the reason. If its key is not to be listed, as that of the listed folder or
// of one in whose middle the listing begins, the fault is the listing's.
func (l *lister) unknown(key string, fault error) error {
	if key == "" || !l.wants(key, false) {
		return failed(key, fault)
	}
	obj := driver.Object{Key: key, Size: -1}
	if strings.HasSuffix(key, "/") {
		obj.Version = unread
	}
	if !l.yield(obj, nil) {
		return errStop
	}
	return nil
}

// entries returns the names of a directory that can matter. A directory that vanished
// has none. With an error it returns the names that were read before it.
func (l *lister) entries(dir string) ([]entry, error) {
	list, fault := l.files.ReadDir(l.where(dir))
	if fault != nil && isMissing(fault) && dir != "" && l.gone(dir) {
		return nil, nil
	}
	entries := make([]entry, 0, len(list))
	for _, kind := range list {
		e := entry{name: kind.Name(), kind: kind}
		if isTemp(e.name) {
			continue
		}
		isDir := kind.IsDir()
		if !l.wants(dir+e.name, false) && !l.wants(dir+e.name+"/", true) {
			continue
		}
		if kind.Type()&fs.ModeSymlink != 0 {
			info, err := l.files.Stat(l.where(dir + e.name))
			switch {
			case err == nil:
				isDir = info.IsDir()
			case leadsNowhere(err):
				if _, err := kind.Info(); err != nil && isMissing(err) {
					continue // vanished
				}
				e.blind = true
			default:
				isDir, e.blind = true, true // it may be
			}
		}
		if isDir {
			e.name += "/"
		}
		if !l.wants(dir+e.name, isDir) || isDir && !e.blind && l.enter != nil && !l.enter(dir+e.name) {
			continue
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return entries, fault
}

// leadsNowhere reports whether err is that of a link to nothing or to itself.
func leadsNowhere(err error) bool { return isMissing(err) || errors.Is(err, syscall.ELOOP) }

// wants reports whether a key, or one below a directory, can be listed.
func (l *lister) wants(key string, isDir bool) bool {
	if isDir {
		return (strings.HasPrefix(key, l.prefix) || strings.HasPrefix(l.prefix, key)) &&
			(key > l.after || strings.HasPrefix(l.after, key))
	}
	return strings.HasPrefix(key, l.prefix) && key > l.after
}

// visit yields a file or walks a directory.
func (l *lister) visit(key string, e entry) error {
	linked := e.kind.Type()&fs.ModeSymlink != 0
	if e.blind || !linked && !e.isDir() && !e.kind.Type().IsRegular() {
		return l.unknown(key, errNoFile) // device, pipe or socket
	}
	info, err := l.look(key, e, linked)
	if err != nil {
		return l.unknown(key, err)
	}
	switch {
	case info == nil:
		return nil
	case info.IsDir() && e.isDir():
		return l.walk(key, info)
	case info.IsDir() || e.isDir() || !info.Mode().IsRegular():
		return l.unknown(key, errNoFile) // another kind of thing by now, or a link to one
	}
	if !l.wants(key, false) {
		return nil
	}
	if !l.yield(describe(key, info), nil) {
		return errStop
	}
	return nil
}

// look describes what an entry stands for, nil when it vanished. What came in
// its place meanwhile counts.
func (l *lister) look(key string, e entry, linked bool) (info fs.FileInfo, err error) {
	if !linked && !e.isDir() {
		info, err = e.kind.Info()
		if err == nil && info.Mode()&fs.ModeSymlink == 0 || err != nil && !isMissing(err) {
			return info, err
		}
	}
	info, err = l.files.Stat(l.where(key))
	if err != nil && isMissing(err) {
		return nil, nil
	}
	return info, err
}

// gone reports whether nothing has the key any more.
func (l *lister) gone(key string) bool {
	_, err := l.files.Stat(l.where(key))
	return err != nil && isMissing(err)
}

// failed names what could not be looked at.
func failed(key string, err error) error {
	return fmt.Errorf("%q: %w", key, cause(err))
}
