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
	of, ok := PathOf(name)
	return ok && samePlace(of, path)
}

// PathOf returns the path of the file of an object's name; ok is false if it is no file.
func PathOf(name string) (path string, ok bool) {
	path, ok = strings.CutPrefix(name, "file://")
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), ok
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
