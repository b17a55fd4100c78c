package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// fileLock is a lock file held. It is never removed: a file removed by one run
// could already be open in another, which would then lock a file without a name
// while a third makes a new one.
type fileLock struct {
	path string
	file *os.File
}

// lockTries bounds how often the lock file may vanish while it is being locked.
const lockTries = 10

// lockPath locks a file at path. An [ErrOwner] names who holds it, if that is known.
func lockPath(path string) (*fileLock, error) {
	for range lockTries {
		f, held, err := openLocked(path)
		if err != nil {
			return nil, err
		}
		if held {
			return nil, lockError(path, fmt.Errorf("%w%s; wait for that run, end it, or use another manifest", ErrOwner, holder(path)))
		}
		l := &fileLock{path: path, file: f}
		if l.check() == nil {
			l.sign()
			return l, nil
		}
		closeLocked(f)
	}
	return nil, lockError(path, fmt.Errorf("%w: the file keeps being removed", ErrOwner))
}

func lockError(path string, err error) error {
	return &fs.PathError{Op: "lock", Path: path, Err: err}
}

// sign writes who holds the lock. It only serves messages, so it may fail.
func (l *fileLock) sign() {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if l.file.Truncate(0) == nil {
		fmt.Fprintf(l.file, "process %d on %s\n", os.Getpid(), host)
	}
}

// holder is what the holder of a lock file has written into it.
func holder(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 200))
	line, _, whole := strings.Cut(string(text), "\n")
	if !whole {
		return ""
	}
	return " (" + line + ")"
}

// check finds out whether the file locked still has its name. Without it another
// run may hold a lock too.
func (l *fileLock) check() error {
	named, err := os.Stat(l.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	mine, err := l.file.Stat()
	if err != nil {
		return err
	}
	if named == nil || !os.SameFile(named, mine) {
		return lockError(l.path, fmt.Errorf("%w: the file was removed or replaced while this run held it", ErrOwner))
	}
	return nil
}

func (l *fileLock) release() error { return closeLocked(l.file) }
