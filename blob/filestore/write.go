package filestore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/thaw-go/thaw/blob/driver"
)

// tempPrefix and 16 hexadecimal digits make the name of a temporary file.
const tempPrefix = ".thaw-tmp-"

func tempName() string {
	var b [8]byte
	rand.Read(b[:])
	return tempPrefix + hex.EncodeToString(b[:])
}

// isTemp reports whether tempName makes such names.
func isTemp(name string) bool {
	digits, ok := strings.CutPrefix(name, tempPrefix)
	if !ok || len(digits) != 16 {
		return false
	}
	_, err := hex.DecodeString(digits)
	return err == nil
}

// Put writes one file and the folders above it.
func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	path, err := d.path(key)
	if err != nil {
		return "", err
	}
	if cond.Version != "" {
		return "", fmt.Errorf("put if version: %w", driver.ErrUnsupported)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", fmt.Errorf("a folder has this name: %w", fs.ErrInvalid)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	temp := filepath.Join(dir, tempName())
	info, err := writeTemp(ctx, temp, r, size)
	if err != nil {
		os.Remove(temp)
		return "", err
	}
	if cond.Absent {
		err = linkNew(temp, path)
	} else {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
		return "", err
	}
	if err := syncDir(dir); err != nil {
		return "", err
	}
	return version(info), nil
}

// writeTemp writes and syncs a file that nobody sees yet.
func writeTemp(ctx context.Context, temp string, r io.Reader, size int64) (info fs.FileInfo, err error) {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	n, err := io.Copy(f, &ctxReader{ctx: ctx, r: r})
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, fmt.Errorf("%d bytes instead of %d", n, size)
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f.Stat()
}

// linkNew links a file under its name if no file has that. A link fails where a
// rename would replace.
func linkNew(temp, path string) error {
	err := os.Link(temp, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("object exists: %w", driver.ErrConflict)
	case errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("the file system has no hard links: %w", driver.ErrUnsupported)
	case err != nil:
		return err
	}
	return os.Remove(temp)
}

// syncDir makes the new name last. Systems that cannot sync a directory keep
// names by themselves.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Delete removes one file. Folders that become empty stay. With a version it looks
// before: the file system cannot.
func (d *Driver) Delete(ctx context.Context, key, version string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	obj, err := d.Stat(ctx, key)
	if err != nil {
		return err
	}
	if version != "" && obj.Version != version {
		return fmt.Errorf("version is %s: %w", obj.Version, driver.ErrChanged)
	}
	path, err := d.path(key)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return cause(err)
	}
	return nil
}

// ctxReader ends with its context.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
