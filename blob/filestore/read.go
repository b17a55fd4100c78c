package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/thaw-go/thaw/blob/driver"
)

// version returns size and modification time: see the package comment.
func version(info fs.FileInfo) string {
	return fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano())
}

// describe returns the object of a file.
func describe(key string, info fs.FileInfo) driver.Object {
	return driver.Object{Key: key, Size: info.Size(), Version: version(info), ModTime: info.ModTime()}
}

// isObject returns why a file is no object; nil if it is one.
func isObject(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errFolder
	case !info.Mode().IsRegular():
		return fmt.Errorf("is no regular file but a %s", kind(info.Mode()))
	}
	return nil
}

// kind returns the word for what is no regular file.
func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "file of the system"
}

// Stat describes one file.
func (d *Driver) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return driver.Object{}, err
	}
	info, err := d.stat(key)
	if err != nil {
		return driver.Object{}, err
	}
	return describe(key, info), nil
}

func (d *Driver) stat(key string) (fs.FileInfo, error) {
	path, err := d.path(key)
	if err != nil {
		return nil, err
	}
	info, err := d.files.Stat(path)
	if err != nil {
		if link, lerr := os.Lstat(path); lerr == nil && isMissing(err) && link.Mode()&fs.ModeSymlink != 0 {
			return nil, errDangling
		}
		return nil, cause(err)
	}
	return info, isObject(info)
}

// ReadRange opens a file; the body reads it in place, straight into the caller's
// buffer.
func (d *Driver) ReadRange(ctx context.Context, key string, offset, length int64, want string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	// Looked at before it is opened: to open a pipe would wait for a writer.
	if _, err := d.stat(key); err != nil {
		if want == unread && errors.Is(err, errFolder) {
			err = errReadable
		}
		return driver.Range{}, err
	}
	path, err := d.path(key)
	if err != nil {
		return driver.Range{}, err
	}
	f, err := d.files.Open(path)
	if err != nil {
		return driver.Range{}, cause(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = isObject(info)
	}
	if err == nil && want != "" && want != version(info) {
		err = fmt.Errorf("version is %s: %w", version(info), driver.ErrChanged)
	}
	if err == nil && info.Size() == 0 {
		err = proveEmpty(f, info)
	}
	if err != nil {
		f.Close()
		return driver.Range{}, cause(err)
	}
	end := info.Size()
	if length >= 0 && length < end-offset {
		end = offset + length
	}
	b := &body{ctx: ctx, file: f, off: offset, end: max(offset, end), opened: info}
	return driver.Range{Body: b, Offset: offset, Object: describe(key, info)}, nil
}

// proveEmpty refuses a file that has bytes although its size is 0, as those that
// the system makes up while they are read do: nothing could show where they end.
func proveEmpty(f file, info fs.FileInfo) error {
	var b [1]byte
	n, err := f.ReadAt(b[:], 0)
	switch {
	case n > 0:
		return cmp.Or(unchanged(f, info), errSizeless)
	case err == io.EOF:
		return nil
	}
	return err
}

var errSizeless = fmt.Errorf("a file of size 0 that gives bytes, as those of /proc do, is %w: read a copy of it", driver.ErrUnsupported)

// body is a part of an open file.
type body struct {
	ctx      context.Context
	file     file
	off, end int64
	opened   fs.FileInfo
}

// Read reads in place. At the end, and where the file is shorter than it was,
// the file is looked at again.
func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if b.off >= b.end {
		if err := b.unchanged(); err != nil {
			return 0, err
		}
		return 0, io.EOF
	}
	n, err := b.file.ReadAt(p[:min(int64(len(p)), b.end-b.off)], b.off)
	b.off += int64(n)
	if err == io.EOF && b.off < b.end {
		if err = b.unchanged(); err == nil {
			err = io.ErrUnexpectedEOF
		}
		return n, err
	}
	if err == io.EOF {
		err = nil
	}
	if err != nil {
		err = cause(err)
	}
	return n, err
}

func (b *body) unchanged() error { return unchanged(b.file, b.opened) }

// unchanged compares an open file with what it was when it was opened.
func unchanged(f file, was fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return cause(err)
	}
	if now.Size() != was.Size() || !now.ModTime().Equal(was.ModTime()) {
		return fmt.Errorf("size %d and time %s, were %d and %s: %w",
			now.Size(), now.ModTime(), was.Size(), was.ModTime(), driver.ErrChanged)
	}
	return nil
}

// Close closes the file.
func (b *body) Close() error { return b.file.Close() }
