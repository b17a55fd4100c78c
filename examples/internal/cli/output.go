package cli

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// output returns where a program writes its results. A process that was started
// without standard output (>&-) must not succeed with the output lost: every
// Write then fails, where Go opens the null device instead.
func output() io.Writer {
	if startedClosed(1) {
		return closedOutput{}
	}
	return os.Stdout
}

type closedOutput struct{}

func (closedOutput) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "standard output", Err: syscall.EBADF}
}
