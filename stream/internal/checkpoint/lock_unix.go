//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/thaw-go/thaw/blob"
)

// openLocked opens a lock file, making it if it is not there, and locks it until
// it is closed or the process ends. held says that another open file, of this
// process or another, has the lock.
func openLocked(path string) (f *os.File, held bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, false, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		return f, false, nil
	}
	f.Close()
	switch {
	case err == syscall.EWOULDBLOCK:
		return nil, true, nil
	case errors.Is(err, errors.ErrUnsupported) || err == syscall.ENOLCK:
		return nil, false, fmt.Errorf("the file system has no locks (%v): %w", err, blob.ErrUnsupported)
	}
	return nil, false, &os.PathError{Op: "lock", Path: path, Err: err}
}

// closeLocked unlocks before it closes: a child process between fork and exec
// may hold a copy of the descriptor, which would keep the lock.
func closeLocked(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
