package seek_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// TestIndexCorpus indexes every real file that can be decoded by a codec with
// restart points, and reads anywhere in it.
func TestIndexCorpus(t *testing.T) {
	t.Parallel()
	const most = 256 << 10
	for _, f := range manifest.Files(t) {
		name := f.Format // raw and framed snappy have no restart points or another name
		if name == "snappy-framed" {
			name = "snappy"
		}
		c, err := codec.Default().Lookup(name)
		if err != nil || c.Restart == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			stored, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			d, err := c.NewReader(bytes.NewReader(stored), &codec.Options{MaxDecoded: most})
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(d)
			d.Close()
			if err != nil || len(data) == 0 {
				return // codec.TestCorpus says what is right
			}
			spacing := max(1, int64(len(data))/10)
			checkIndex(t, indexed{f.Name, name, stored, data, spacing, 0, 0})
		})
	}
}
