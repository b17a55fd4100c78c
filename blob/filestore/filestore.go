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

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
)

func init() { driver.Register("file", openURL) }

// Options configures [New]. Nil means the zero value.
type Options struct {
	// Create makes the folder, and those above it, if it does not exist.
	Create bool
}

// Driver is a folder of files. Make one with [New]. It is safe for concurrent use.
type Driver struct {
	dir   string
	files files
}

// New returns a Driver of the folder dir; blob.New makes a Store of it. A relative
// dir is resolved against the current working directory, once. The error is
// fs.ErrNotExist if there is no such folder.
func New(dir string, opts *Options) (*Driver, error) {
	fail := func(err error) (*Driver, error) { return nil, fmt.Errorf("filestore: %q: %w", dir, err) }
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fail(err)
	}
	if opts != nil && opts.Create {
		if err := os.MkdirAll(abs, 0o777); err != nil {
			return fail(cause(err))
		}
	}
	info, err := os.Stat(abs)
	if err != nil {
		return fail(cause(err))
	}
	if !info.IsDir() {
		return fail(errNotFolder)
	}
	return newDriver(abs), nil
}

func newDriver(dir string) *Driver { return &Driver{dir: dir, files: osFiles{}} }

// Name returns the folder's URL, such as "file:///dir/".
func (d *Driver) Name() string { return dirURL(d.dir).String() }

// Location returns the folder's URL with every byte of the path as it is, so that an
// object has one name whichever folder above it is opened.
func (d *Driver) Location() string { return "file://" + dirURL(d.dir).Path }

// Traits reports that reads are local, that files can be written to in place, and that
// Put checks Absent.
func (d *Driver) Traits() driver.Traits {
	return driver.Traits{Local: true, Mutable: true, PutAbsent: true}
}

var (
	errNotFolder = errors.New("is a file, not a folder")
	errFolder    = driver.ErrFolder
)

// openURL roots the store at the longest part of the path that is a folder; the
// rest is the key, which may be a glob.
func openURL(_ context.Context, u *url.URL) (*driver.Opened, error) {
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
	o.NotFolder = driver.NotExist("no such file or folder")
	if slashed {
		o.Key += "/"
	}
	return o, nil
}

// parameters parses what the URL holds beside its path.
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

// splitFolder cuts a path after its longest part that is a folder.
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

func opened(dir, key string) *driver.Opened {
	return &driver.Opened{Driver: newDriver(dir), URL: dirURL(dir), Key: key}
}

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

// path returns where the object of a key lies.
func (d *Driver) path(key string) (string, error) {
	if strings.HasSuffix(key, "/") {
		return "", d.folderFault(key)
	}
	if err := checkKey(key); err != nil {
		return "", err
	}
	return filepath.Join(d.dir, filepath.FromSlash(key)), nil
}

// checkKey refuses what is no relative path as a listing has it.
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

// isMissing reports whether nothing has the path: a file in the place of a parent folder
// means the same.
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
