package filestore

import (
	"io"
	"io/fs"
	"os"
)

// files is what the driver reads of a file system. Names are those of the
// system; links are followed but by ReadDir, whose entries are what lies there.
type files interface {
	Open(name string) (file, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
}

// file is an open file.
type file interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// osFiles is the file system of the machine.
type osFiles struct{}

func (osFiles) Open(name string) (file, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

func (osFiles) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// ReadDir returns the entries in the order of the system.
func (osFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
