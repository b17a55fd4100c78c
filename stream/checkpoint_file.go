package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// maxManifest bounds a manifest in bytes. It is far beyond what lanes and kept
// failures need, and keeps a data file named by mistake out of memory.
const maxManifest = 1 << 30

// FileCheckpoint keeps the manifest in the file at path. Folders above it are
// made if they are missing. A symbolic link is followed; a relative path is taken
// from the working directory at the time of Load.
//
// Load takes a lock of the operating system on the file path + ".lock", which
// stays locked until Close or the end of the process and is not removed. While
// it is locked, Load of another run, of this process or another, is [ErrOwner].
// A run whose lock file is removed ends with ErrOwner at its next Save.
//
// Save writes path + ".tmp", syncs it, renames it to path and syncs the folder. A
// run that is killed leaves the manifest as it was before or after; a left-over
// path + ".tmp" is overwritten. The permissions of an existing manifest are kept.
//
// Where system or file system have no locks, Load is blob.ErrUnsupported.
//
// The Checkpoint may serve one job after another. Two at a time are ErrOwner for
// the second.
func FileCheckpoint(path string) Checkpoint { return &fileCheckpoint{path: path} }

type fileCheckpoint struct {
	path string

	mu     sync.Mutex
	jobs   int       // between Load and Close
	lock   *fileLock // nil when not owned
	target string    // path made absolute, links followed
}

func (c *fileCheckpoint) Load(ctx context.Context) ([]byte, error) {
	c.mu.Lock()
	c.jobs++
	busy := c.jobs > 1
	c.mu.Unlock()
	if busy {
		return nil, c.fail(fmt.Errorf("%w: another job of this process uses the same Checkpoint", ErrOwner))
	}
	if err := ctx.Err(); err != nil {
		return nil, c.fail(err)
	}
	target, err := manifestTarget(c.path)
	if err != nil {
		return nil, c.fail(err)
	}
	lock, err := lockPath(target + ".lock")
	if err != nil {
		return nil, c.fail(err)
	}
	c.mu.Lock()
	c.lock, c.target = lock, target
	c.mu.Unlock()
	data, err := readManifestFile(target)
	if err != nil {
		return nil, c.fail(err)
	}
	return data, nil
}

func (c *fileCheckpoint) Save(ctx context.Context, manifest []byte) error {
	c.mu.Lock()
	lock, target := c.lock, c.target
	c.mu.Unlock()
	if lock == nil {
		return c.fail(fs.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return c.fail(err)
	}
	if len(manifest) > maxManifest {
		return c.fail(errManifestSize(int64(len(manifest))))
	}
	if err := lock.check(); err != nil {
		return c.fail(err)
	}
	temp := target + ".tmp"
	if err := writeNew(temp, manifest, permissions(target)); err != nil {
		return c.fail(errors.Join(err, removeIfThere(temp)))
	}
	if err := os.Rename(temp, target); err != nil {
		return c.fail(errors.Join(err, removeIfThere(temp)))
	}
	if err := syncFolder(filepath.Dir(target)); err != nil {
		return c.fail(err)
	}
	return nil
}

func (c *fileCheckpoint) Close() error {
	c.mu.Lock()
	c.jobs--
	var lock *fileLock
	if c.jobs <= 0 {
		c.jobs, lock, c.lock = 0, c.lock, nil
	}
	c.mu.Unlock()
	if lock == nil {
		return nil
	}
	if err := lock.release(); err != nil {
		return c.fail(err)
	}
	return nil
}

// String is the path.
func (c *fileCheckpoint) String() string { return c.path }

func (c *fileCheckpoint) fail(err error) error {
	return fmt.Errorf("%s: %w", c, err)
}

func errManifestSize(size int64) error {
	return fmt.Errorf("%d bytes, a manifest has at most %d", size, maxManifest)
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

// readManifestFile gives nil if there is no file.
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

func readManifest(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err == nil && len(data) > maxManifest {
		err = errManifestSize(int64(len(data)))
	}
	if err != nil {
		return nil, err
	}
	return data, nil
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
