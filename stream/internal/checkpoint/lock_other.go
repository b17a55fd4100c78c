//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package checkpoint

import (
	"fmt"
	"os"

	"github.com/thaw-go/thaw/blob"
)

func openLocked(string) (f *os.File, held bool, err error) {
	return nil, false, fmt.Errorf("this system has no file locks, use BlobCheckpoint over a file store: %w", blob.ErrUnsupported)
}

func closeLocked(f *os.File) error { return f.Close() }
