package filestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gocloud.dev/blob/fileblob"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/gocloudstore"
)

// A Reader tells whether the file was written to since, whoever reads it, also when it
// has ended and is closed. A file that is gone leaves its open readers whole.
func TestReaderChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(path string) error
		want error
	}{
		{"untouched", func(string) error { return nil }, nil},
		{"written to", func(path string) error { return os.WriteFile(path, []byte("atad"), 0o666) }, blob.ErrChanged},
		{"appended to", func(path string) error { return os.WriteFile(path, []byte("data+"), 0o666) }, blob.ErrChanged},
		{"emptied", func(path string) error { return os.Truncate(path, 0) }, blob.ErrChanged},
		{"deleted", os.Remove, nil},
		{"other rights", func(path string) error { return os.Chmod(path, 0o600) }, nil},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "k")
		if err := os.WriteFile(path, []byte("data"), 0o666); err != nil {
			t.Fatal(err)
		}
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
		files, err := filestore.New(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{Metadata: fileblob.MetadataDontWrite})
		if err != nil {
			t.Fatal(err)
		}
		defer bucket.Close()
		stores := map[string]*blob.Store{"filestore": blob.New(files, nil), "fileblob": blob.New(gocloudstore.New(bucket, nil), nil)}
		readers := map[string]*blob.Reader{}
		for name, s := range stores {
			r, err := s.NewReader(t.Context(), "k", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Read(make([]byte, 2))
			readers[name] = r
		}
		if err := c.do(path); err != nil {
			t.Fatal(err)
		}
		for name, r := range readers {
			for range 2 {
				if err := r.Changed(); !errors.Is(err, c.want) {
					t.Errorf("%s, %s: got %v, want %v", c.name, name, err, c.want)
				}
				r.Close()
			}
		}
	}
}
