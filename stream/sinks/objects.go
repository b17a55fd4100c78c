package sinks

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream"
)

// Objects is a Sink that writes an object of lines for each object, under its [Name] as key,
// after the prefix of store (blob.Options.Prefix). The documentation of the package says
// what a line is, and what becomes of objects that fail. Nil opts means the zero value.
//
// A lane gathers the lines in a temporary file of the system (os.CreateTemp), so that its
// memory is bounded, and writes the object by one [blob.Store.Put] when it has ended. The
// largest object is the one that the service takes in one request. An object of the name is
// replaced, whoever wrote it: a job that is continued writes some objects twice, so a
// condition would fail. Put retries; its error ends the job with class
// [stream.ClassSinkFailed].
//
// The store is not closed. Where the job lists the objects of store too, it leaves all of
// them out, and counts them as its own ([stream.ObjectKeeper]): read from elsewhere than
// from where records go.
func Objects(store *blob.Store, opts *LineOptions) stream.Sink {
	root := store.ObjectName("")
	named := strings.Contains(root, "://") // else it is memory, and others have the same name
	return &wholeSink{
		open:  func(int) (draft, error) { return &objectDraft{store: store}, nil },
		keeps: func(name string) bool { return named && strings.HasPrefix(name, root) },
		opts:  opts,
	}
}

// objectDraft is the file of a lane.
type objectDraft struct {
	store *blob.Store
	file  *os.File // nil before the first object
	size  int64
}

func (d *objectDraft) begin() (err error) {
	if d.file == nil {
		if d.file, err = os.CreateTemp("", "thaw-*"); err != nil {
			return err
		}
		os.Remove(d.file.Name()) // where a file may be removed while it is open
	}
	return d.drop()
}

func (d *objectDraft) Write(p []byte) (int, error) {
	n, err := d.file.Write(p)
	d.size += int64(n)
	return n, err
}

func (d *objectDraft) publish(ctx context.Context, name string) error {
	_, err := d.store.Put(ctx, name, io.NewSectionReader(d.file, 0, d.size), d.size, nil)
	return err
}

// drop empties the file, which the next object uses.
func (d *objectDraft) drop() error {
	d.size = 0
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return d.file.Truncate(0)
}

func (d *objectDraft) close() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	if rerr := os.Remove(d.file.Name()); !errors.Is(rerr, os.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}
