package checkpoint

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// IsFile reports whether an object's name, as blob.Store.ObjectName has it, is that of
// the file at path, whatever links lead to its folder.
func IsFile(name, path string) bool {
	of, ok := strings.CutPrefix(name, "file://")
	if !ok {
		return false
	}
	if runtime.GOOS == "windows" {
		of = strings.TrimPrefix(of, "/")
	}
	return samePlace(filepath.FromSlash(of), path)
}

// samePlace reports whether two paths are one name in one folder.
func samePlace(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	one, err := os.Stat(filepath.Dir(a))
	if err != nil {
		return false
	}
	other, err := os.Stat(filepath.Dir(b))
	return err == nil && os.SameFile(one, other)
}
