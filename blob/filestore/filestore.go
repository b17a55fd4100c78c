package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
)

func init() { blob.Register("file", openURL) }

// Driver is a folder of files. Make one with [New].
type Driver struct {
	dir   string
	files files
}

// New is the folder dir. A relative one is taken from the working directory of
// this moment. An error answers fs.ErrNotExist if dir is missing.
func New(dir string) (*Driver, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, cause(err)
	}
	if !info.IsDir() {
		return nil, errNotFolder
	}
	return &Driver{dir: abs, files: osFiles{}}, nil
}

// Open is the folder dir as a store, named by its file URL.
func Open(dir string) (*blob.Store, error) {
	d, err := New(dir)
	if err != nil {
		return nil, &blob.Error{Op: "open", Store: dir, Offset: -1, Err: err}
	}
	return blob.New(d, &blob.Options{Name: dirURL(d.dir).String(), Location: location(d.dir)}), nil
}

// Traits tells that reads are local, that files can be written to in place, and that
// Put honours Absent.
func (d *Driver) Traits() driver.Traits {
	return driver.Traits{Local: true, Mutable: true, PutAbsent: true}
}

var (
	errNotFolder = errors.New("is a file, not a folder")
	errFolder    = driver.ErrFolder
)

// openURL roots the store at the longest part of the path that is a folder; the
// rest is the key, which may be a glob.
func openURL(_ context.Context, u *url.URL) (*blob.Opened, error) {
	create, err := parameters(u)
	if err != nil {
		return nil, err
	}
	slashed := strings.HasSuffix(u.Path, "/")
	path := localPath(u.Path)
	if create {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return opened(path, ""), nil
	case err == nil:
		o := opened(filepath.Dir(path), filepath.Base(path))
		o.IsObject = !slashed
		o.NotFolder = errNotFolder
		if slashed {
			o.Key += "/"
		}
		return o, nil
	case !isMissing(err):
		return nil, cause(err)
	}
	o := opened(splitFolder(path))
	o.NotFolder = fmt.Errorf("no such file or folder: %w", fs.ErrNotExist)
	if slashed {
		o.Key += "/"
	}
	return o, nil
}

// parameters looks at what the URL holds beside its path.
func parameters(u *url.URL) (create bool, err error) {
	if u.Opaque != "" || u.User != nil || u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") {
		return false, badurl.Errorf("a file URL has the form file:///path")
	}
	for name, values := range u.Query() {
		if name != "create" || len(values) != 1 || values[0] != "true" {
			return false, badurl.Errorf("unknown parameter %q: only create=true is known; ? in a path is written %%3F", name)
		}
		create = true
	}
	return create, nil
}

// splitFolder cuts a path behind its longest part that is a folder.
func splitFolder(path string) (dir, key string) {
	dir = path
	for {
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
	}
	key = strings.TrimPrefix(path[len(dir):], string(filepath.Separator))
	return dir, filepath.ToSlash(key)
}

func opened(dir, key string) *blob.Opened {
	return &blob.Opened{
		Driver:   &Driver{dir: dir, files: osFiles{}},
		URL:      dirURL(dir),
		Location: location(dir),
		Key:      key,
	}
}

// location is a folder with every byte of its name, so that an object has one name
// whatever folder above it is opened.
func location(dir string) string { return "file://" + dirURL(dir).Path }

// dirURL spells a folder as a URL with a slash at the end.
func dirURL(dir string) *url.URL {
	path := filepath.ToSlash(dir)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	if !strings.HasSuffix(path, "/") {
		path += "/"
	}
	return &url.URL{Scheme: "file", Path: path}
}

// localPath is the path of a file URL as the system spells it. It is cleaned:
// the URL is the user's, unlike a key.
func localPath(path string) string {
	if runtime.GOOS == "windows" && len(path) > 2 && path[2] == ':' {
		path = path[1:]
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// path is where the object of a key lies.
func (d *Driver) path(key string) (string, error) {
	if strings.HasSuffix(key, "/") {
		return "", d.folderFault(key)
	}
	if err := checkKey(key); err != nil {
		return "", err
	}
	return filepath.Join(d.dir, filepath.FromSlash(key)), nil
}

// checkKey refuses what is no relative path as a listing gives it.
func checkKey(key string) error {
	refuse := func(why string) error { return fmt.Errorf("key %s: %w", why, fs.ErrInvalid) }
	switch {
	case key == "":
		return refuse("is empty")
	case strings.HasSuffix(key, "/"):
		return errFolder
	case strings.IndexByte(key, 0) >= 0:
		return refuse("holds a zero byte")
	case filepath.Separator != '/' && !filepath.IsLocal(filepath.FromSlash(key)),
		filepath.Separator != '/' && strings.ContainsRune(key, filepath.Separator):
		return refuse("is no path of this system")
	}
	for elem := range strings.SplitSeq(key, "/") {
		switch {
		case elem == "", elem == ".", elem == "..":
			return refuse(fmt.Sprintf("holds the element %q", elem))
		case isTemp(elem):
			return refuse("is the name of a temporary file")
		}
	}
	return nil
}

// isMissing tells whether nothing has the path: a file in the place of a parent
// folder means the same.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// cause is err without the path, which the store and the key name already, and
// answers fs.ErrNotExist whenever nothing has the path.
func cause(err error) error {
	if isMissing(err) {
		return fs.ErrNotExist
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		if pe.Op == "stat" || pe.Op == "lstat" { // says nothing to who reads
			return pe.Err
		}
		return fmt.Errorf("%s: %w", pe.Op, pe.Err)
	}
	return err
}
