package filestore_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
)

// madeUpFiles are files whose size is told as 0, whatever they hold.
type madeUpFiles struct{ filestore.OS }

func (m madeUpFiles) Stat(name string) (fs.FileInfo, error) { return sizeless(m.OS.Stat(name)) }

func (m madeUpFiles) Open(name string) (filestore.File, error) {
	f, err := m.OS.Open(name)
	return madeUpFile{f}, err
}

type madeUpFile struct{ filestore.File }

func (m madeUpFile) Stat() (fs.FileInfo, error) { return sizeless(m.File.Stat()) }

func sizeless(info fs.FileInfo, err error) (fs.FileInfo, error) { return sizelessInfo{info}, err }

type sizelessInfo struct{ fs.FileInfo }

func (sizelessInfo) Size() int64 { return 0 }

// A file that is told to be empty and gives bytes is refused: it is no empty
// object, and where it ends nothing tells. One that gives none is empty.
func TestSizeless(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]error{"": nil, "1": blob.ErrUnsupported, "processor: 0\n": blob.ErrUnsupported} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := filestore.New(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		store := blob.New(filestore.WithFiles(d, madeUpFiles{}), nil)
		r, err := store.NewReader(t.Context(), "f", nil)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			r.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", data, err, want)
		}
	}
}

// The files that a system makes up while they are read are refused.
func TestProc(t *testing.T) {
	t.Parallel()
	const made = "/proc/self/status"
	if info, err := os.Stat(made); err != nil || info.Size() != 0 {
		t.Skipf("no %s of size 0 on this system", made)
	}
	src, err := blob.OpenSource(t.Context(), made, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Store.Close()
	if r, err := src.Store.NewReader(t.Context(), "status", nil); !errors.Is(err, blob.ErrUnsupported) {
		t.Errorf("got %v, %v, want %v", r, err, blob.ErrUnsupported)
	}
}
