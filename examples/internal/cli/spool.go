package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/thaw-go/thaw/internal/amount"
)

// stdin is the argument for standard input.
const stdin = "-"

// isPipe reports whether an argument is standard input or a pipe, such as a shell's
// <(command).
func isPipe(what string) bool {
	if what == stdin {
		return true
	}
	info, err := os.Stat(what)
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// spool copies standard input or a pipe into a temporary file, which the end of
// the program removes, and returns its path. An object has a size, by which its
// end is proven; a pipe has none until it has ended.
func (c *Console) spool(ctx context.Context, what string) (path string, err error) {
	name := "standard input"
	if what != stdin {
		name = filepath.Base(what)
	}
	dir, err := os.MkdirTemp("", "thaw-input-")
	if err != nil {
		return "", err
	}
	c.atEnd = append(c.atEnd, func() { os.RemoveAll(dir) })
	path = filepath.Join(dir, name)
	to, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer to.Close()
	copied := make(chan error, 1)
	go func() { // neither open nor read of a pipe knows a context
		from, err := input(what)
		if err == nil {
			_, err = io.Copy(&spooled{w: to, console: c, name: name}, from)
			from.Close()
		}
		copied <- err
	}()
	select {
	case err = <-copied:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return path, err
}

// input opens standard input or a pipe. A pipe waits for its writer. A standard input
// that was closed when the program started holds nothing that can be read completely,
// where Go opens the null device instead.
func input(what string) (*os.File, error) {
	switch {
	case what != stdin:
		return os.Open(what)
	case startedClosed(0):
		return nil, &fs.PathError{Op: "read", Path: "standard input", Err: syscall.EBADF}
	}
	return os.Stdin, nil
}

// spooled shows how much was copied, about once a second.
type spooled struct {
	w       io.Writer
	console *Console
	name    string
	total   int64
	shown   time.Time
}

func (s *spooled) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.total += int64(n)
	if now := time.Now(); now.Sub(s.shown) >= time.Second {
		if !s.shown.IsZero() {
			s.console.Progress(fmt.Sprintf("%s: %s copied to a temporary file", s.name, amount.Data(s.total)))
		}
		s.shown = now
	}
	return n, err
}
