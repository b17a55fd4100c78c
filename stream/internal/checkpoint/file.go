package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// File keeps the manifest in a file. stream.FileCheckpoint says how.
type File struct {
	path string
	tenancy[*heldFile]
}

// heldFile is a file with its lock.
type heldFile struct {
	path string // absolute, links followed
	lock *fileLock
}

// NewFile returns the File at path, which is looked at by Load.
func NewFile(path string) *File { return &File{path: path} }

// Load takes the lock and reads the manifest, nil if there is none.
func (c *File) Load(ctx context.Context) ([]byte, error) {
	if err := c.enter(); err != nil {
		return nil, c.fail("load", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, c.fail("load", err)
	}
	path, err := manifestTarget(c.path)
	if err != nil {
		return nil, c.fail("load", err)
	}
	lock, err := lockPath(path + ".lock")
	if err != nil {
		return nil, c.fail("load", err)
	}
	c.hold(&heldFile{path, lock})
	data, err := readManifestFile(path)
	if err != nil {
		return nil, c.fail("load", err)
	}
	return data, nil
}

// Save replaces the manifest.
func (c *File) Save(ctx context.Context, manifest []byte) error {
	if err := c.save(ctx, manifest); err != nil {
		return c.fail("save", err)
	}
	return nil
}

func (c *File) save(ctx context.Context, manifest []byte) error {
	held := c.holds()
	if held == nil {
		return fs.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(manifest) > maxManifest {
		return errManifestSize(int64(len(manifest)))
	}
	if err := held.lock.check(); err != nil {
		return err
	}
	temp := held.path + ".tmp"
	if err := writeNew(temp, manifest, permissions(held.path)); err != nil {
		return errors.Join(err, removeIfThere(temp))
	}
	if err := os.Rename(temp, held.path); err != nil {
		return errors.Join(err, removeIfThere(temp))
	}
	return syncFolder(filepath.Dir(held.path))
}

// Close gives the lock up.
func (c *File) Close() error {
	held := c.leave()
	if held == nil {
		return nil
	}
	if err := held.lock.release(); err != nil {
		return c.fail("close", err)
	}
	return nil
}

// Keeps reports whether the object of a name is the manifest's file or one beside
// it that Save and Load write.
func (c *File) Keeps(name string) bool {
	if IsFile(name, c.path) {
		return true
	}
	held := c.holds()
	return held != nil && (IsFile(name, held.path) || IsFile(name, held.path+".lock") || IsFile(name, held.path+".tmp"))
}

// String is the path.
func (c *File) String() string { return c.path }

// fail names the manifest's file, unless err names a file already.
func (c *File) fail(op string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*os.LinkError](err); ok {
		return err
	}
	return &fs.PathError{Op: op, Path: c.path, Err: err}
}

// manifestTarget is the file that path means. Its folder exists afterwards.
func manifestTarget(path string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("empty path: %w", fs.ErrInvalid)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	switch target, err := filepath.EvalSymlinks(path); {
	case err == nil:
		path = target
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, makeFolder(filepath.Dir(path))
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		return "", fmt.Errorf("a symbolic link that leads nowhere: %w", fs.ErrInvalid)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("not a regular file (%s): %w", info.Mode().Type(), fs.ErrInvalid)
	}
	return path, nil
}

// makeFolder makes dir and what is missing above it, each name synced.
func makeFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return fmt.Errorf("%s is not a folder: %w", dir, fs.ErrInvalid)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	parent := filepath.Dir(dir)
	if err := makeFolder(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

// readManifestFile returns nil if there is no file.
func readManifestFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readManifest(f)
}

// permissions are those of the file at path, or the usual ones.
func permissions(path string) fs.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0
}

// writeNew writes a file that was not there, or is left over, and syncs it. A
// mode of 0 means the usual one.
func writeNew(path string, data []byte, mode fs.FileMode) (err error) {
	if err := removeIfThere(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFolder makes new names in dir last. Systems that cannot sync a folder keep
// names by themselves.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
