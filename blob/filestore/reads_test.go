package filestore_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
)

// seenFiles note where each read of a file was to go.
type seenFiles struct {
	filestore.OS
	into  *[]*byte
	opens *int
}

func (c seenFiles) Open(name string) (filestore.File, error) {
	*c.opens++
	f, err := c.OS.Open(name)
	return seenFile{f, c.into}, err
}

type seenFile struct {
	filestore.File
	into *[]*byte
}

func (c seenFile) ReadAt(p []byte, off int64) (int, error) {
	*c.into = append(*c.into, unsafe.SliceData(p))
	return c.File.ReadAt(p, off)
}

// A file is opened once and read by as many reads as a loop over os.File makes
// with the same buffer, less the one that finds the end, each straight into the
// caller's buffer. That an empty one is empty takes a read of its own.
func TestReadsAreTheCallers(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 4095, 4096, 4097, 300_000} {
		for _, buffer := range []int{1000, 4096, 128 << 10} {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			if err := os.WriteFile(path, make([]byte, size), 0o666); err != nil {
				t.Fatal(err)
			}
			plain := 0 // reads that give bytes
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, buffer)
			for {
				n, err := f.Read(p)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if n > 0 {
					plain++
				}
			}
			f.Close()

			var into []*byte
			var opens int
			d, err := filestore.New(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			store := blob.New(filestore.WithFiles(d, seenFiles{into: &into, opens: &opens}), nil)
			r, err := store.NewReader(t.Context(), "f", nil)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for {
				n, err := r.Read(p)
				got += n
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			r.Close()
			if size == 0 {
				into = into[1:]
			}
			if got != size || opens != 1 || len(into) != plain {
				t.Errorf("%d bytes by %d: got %d bytes in %d reads, %d opens; want %d reads, 1 open", size, buffer, got, len(into), opens, plain)
			}
			for i, at := range into {
				if at != unsafe.SliceData(p) {
					t.Errorf("%d bytes by %d: read %d went to another buffer than the caller's", size, buffer, i)
				}
			}
		}
	}
}
