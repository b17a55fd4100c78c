package checkpoint

import (
	"os"
	"syscall"
)

// errSharingViolation is ERROR_SHARING_VIOLATION of the system.
const errSharingViolation = syscall.Errno(32)

// openLocked opens a lock file, making it if it is not there, so that nobody else
// can open it for writing or remove it until it is closed or the process ends.
// held says that another open file, of this process or another, is in the way.
func openLocked(path string) (f *os.File, held bool, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, false, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ,
		nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case err == errSharingViolation:
		return nil, true, nil
	case err != nil:
		return nil, false, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), false, nil
}

func closeLocked(f *os.File) error { return f.Close() }
