package sinks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/internal/checkpoint"
)

// drafts is the folder of files that are being written. No Name begins with a dot.
const drafts = ".thaw-drafts"

// Files is a Sink that writes a file of lines for each object, under its [Name] in the
// folder dir, which is made if it is missing. The documentation of the package says what
// a line is, and what becomes of objects that fail. Nil opts means the zero value.
//
// A lane writes to a file in the folder .thaw-drafts of dir. When the object has ended, it
// syncs the file, renames it and syncs the folders of the new name; an older file is
// replaced. What a killed run has left in .thaw-drafts is removed when the next one starts:
// one job at a time may write to dir. Symbolic links inside dir are followed only where
// they stay inside.
//
// Where the job lists files in dir too, it leaves all of them out, and counts them as its
// own ([stream.ObjectKeeper]): read from elsewhere than from where records go.
//
// Each object costs at least two syncs: for many small ones, use many lanes. An error
// of the file system ends the job with class [stream.ClassSinkFailed].
func Files(dir string, opts *LineOptions) stream.Sink {
	f := &folder{dir: dir}
	return &wholeSink{f.draft, f.keeps, opts}
}

// folder is what the lanes share.
type folder struct {
	dir   string
	mu    sync.Mutex
	lanes int // open

	// Of keeps alone.
	asked  string // the folder of the last name
	inside bool   // whether that is in dir
}

// keeps reports whether the object of a name is a file in the folder, whatever links lead
// there.
func (f *folder) keeps(name string) bool {
	path, ok := checkpoint.PathOf(name)
	if !ok {
		return false
	}
	if dir := filepath.Dir(path); dir != f.asked {
		f.asked, f.inside = dir, isInside(dir, f.dir)
	}
	return f.inside
}

// isInside reports whether a folder is, or lies in, another one.
func isInside(dir, of string) bool {
	outer, err := os.Stat(of)
	if err != nil {
		return false // it is not made yet
	}
	dir, err = filepath.EvalSymlinks(dir)
	for err == nil {
		info, serr := os.Stat(dir)
		if serr == nil && os.SameFile(info, outer) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return false
}

// draft opens the file of a lane.
func (f *folder) draft(lane int) (draft, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	if f.lanes == 0 {
		err = root.RemoveAll(drafts)
	}
	if err == nil {
		err = root.MkdirAll(drafts, 0o777)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	f.lanes++
	return &fileDraft{folder: f, root: root, temp: path.Join(drafts, strconv.Itoa(lane))}, nil
}

// left ends a lane. The last one removes the folder of drafts, if it is empty.
func (f *folder) left(root *os.Root) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lanes--; f.lanes == 0 {
		root.Remove(drafts)
	}
	return root.Close()
}

// fileDraft is the file of a lane.
type fileDraft struct {
	folder *folder
	root   *os.Root
	temp   string
	file   *os.File // nil while there is none
	synced string   // the folder whose name, and those above, were synced
}

func (d *fileDraft) begin() (err error) {
	d.file, err = d.root.OpenFile(d.temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	return err
}

func (d *fileDraft) Write(p []byte) (int, error) { return d.file.Write(p) }

func (d *fileDraft) publish(_ context.Context, name string) error {
	if err := d.file.Sync(); err != nil {
		return err
	}
	// Closed first: Windows renames no open file.
	err := d.file.Close()
	d.file = nil
	dir := path.Dir(name)
	if err == nil {
		err = d.root.MkdirAll(dir, 0o777)
	}
	if err == nil {
		err = d.root.Rename(d.temp, name)
	}
	if err != nil {
		return errors.Join(err, d.root.Remove(d.temp))
	}
	return d.sync(dir)
}

// sync makes the names in dir last, and dir itself.
func (d *fileDraft) sync(dir string) error {
	for at := dir; ; at = path.Dir(at) {
		if err := syncFolder(d.root, at); err != nil {
			return err
		}
		if at == "." || dir == d.synced {
			d.synced = dir
			return nil
		}
	}
}

// syncFolder passes over systems that cannot sync a folder.
func syncFolder(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrInvalid) {
		return nil
	}
	return err
}

func (d *fileDraft) drop() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	d.file = nil
	return errors.Join(err, d.root.Remove(d.temp))
}

func (d *fileDraft) close() error { return d.folder.left(d.root) }
