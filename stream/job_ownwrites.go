package stream

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/thaw-go/thaw/blob"
)

// ObjectKeeper is implemented by a Checkpoint whose objects a source may list. Keeps
// reports whether the object of a name, as [blob.Store.ObjectName] has it, is one of
// those that the Checkpoint writes: the job leaves it out and counts it as Own.
type ObjectKeeper interface {
	Keeps(name string) bool
}

// isOwn tells objects that the job itself writes.
func (j *job) isOwn(obj blob.Object) bool {
	keeper, keeps := j.opts.Checkpoint.(ObjectKeeper)
	if !keeps && len(j.opts.Writes) == 0 {
		return false
	}
	name := j.src.Store.ObjectName(obj.Key)
	if keeps && keeper.Keeps(name) {
		return true
	}
	path, local := localPath(name)
	for _, w := range j.opts.Writes {
		if w == name || local && !strings.Contains(w, "://") && samePlace(path, w) {
			return true
		}
	}
	return false
}

// localPath is the path of an object of files.
func localPath(name string) (path string, ok bool) {
	path, ok = strings.CutPrefix(name, "file://")
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), ok
}

// samePlace tells whether two paths are one name in one folder, whatever links lead
// there.
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

// Keeps implements [ObjectKeeper].
func (c *fileCheckpoint) Keeps(name string) bool {
	path, ok := localPath(name)
	if !ok {
		return false
	}
	c.mu.Lock()
	target := c.target
	c.mu.Unlock()
	return samePlace(path, c.path) || target != "" &&
		(samePlace(path, target) || samePlace(path, target+".lock") || samePlace(path, target+".tmp"))
}

// Keeps implements [ObjectKeeper].
func (c *blobCheckpoint) Keeps(name string) bool {
	own := c.store.ObjectName(c.key)
	if t := c.store.Traits(); t.PutVersion || !t.PutAbsent {
		return name == own
	}
	number, ok := strings.CutPrefix(name, own+".")
	return ok && len(number) >= 9 && strings.Trim(number, "0123456789") == ""
}
