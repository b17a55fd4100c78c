package cli

import (
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/thaw-go/thaw/blob"
)

// errOwn says that what is read would be written at the same time.
var errOwn = usage("it is read and written at once: send the output somewhere else")

// Writes remembers a file that the program writes, such as the one that standard
// output goes to: it is no input. It is left out of folders and globs with a note,
// and refused where an argument names it.
func (c *Console) Writes(w io.Writer) {
	f, ok := w.(*os.File)
	if !ok || f == nil {
		return
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		c.own = append(c.own, info)
	}
}

// Target remembers a file that the program will write, as Writes does, and refuses
// what is no file of its own: the object would take the place of a device or a pipe.
func (c *Console) Target(path string) error {
	switch info, err := os.Stat(path); {
	case path == stdin || strings.Contains(path, "://"):
		return fmt.Errorf("%s: %w", Key(path), errTarget)
	case err != nil: // it is made, or says why not
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w", Key(path), errTarget)
	default:
		c.own = append(c.own, info)
		return nil
	}
}

// Output remembers where results go: a file is no input, and where they appear on
// a terminal there is no progress line.
func (c *Console) Output(w io.Writer) {
	c.Writes(w)
	if IsTerminal(w) {
		c.still = true
	}
}

var errTarget = usage("the result goes into a file of this machine: name one, not a folder, a device, a pipe or a URL (a file named - is ./-)")

// ErrForeign is the error of a result that would replace what was not written by the same
// verb.
var ErrForeign error = usage("something else lies there, and stays: name another file")

// isOwn reports whether the program writes the file.
func (c *Console) isOwn(path string) bool {
	if len(c.own) == 0 {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, own := range c.own {
		if os.SameFile(own, info) {
			return true
		}
	}
	return false
}

// leftOut reports whether an object of a store of files is one that the program
// writes, and notes it.
func (c *Console) leftOut(store *blob.Store, key string) bool {
	u, err := url.Parse(store.Name())
	if err != nil || u.Scheme != "file" || !c.isOwn(filepath.FromSlash(u.Path+u.Query().Get("prefix")+key)) {
		return false
	}
	c.Note("%s: left out: the output goes there", c.Object(key))
	return true
}

// inputs passes on the objects that the program does not write.
func (c *Console) inputs(store *blob.Store, objects iter.Seq2[blob.Object, error]) iter.Seq2[blob.Object, error] {
	if len(c.own) == 0 {
		return objects
	}
	return func(yield func(blob.Object, error) bool) {
		for obj, err := range objects {
			if err == nil && c.leftOut(store, obj.Key) {
				continue
			}
			if !yield(obj, err) {
				return
			}
		}
	}
}

// localPath returns the path that an argument may name.
func localPath(what string) string {
	if strings.HasPrefix(strings.ToLower(what), "file:") {
		if u, err := url.Parse(what); err == nil {
			return filepath.FromSlash(u.Path)
		}
	}
	return what
}
