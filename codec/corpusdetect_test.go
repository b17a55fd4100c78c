package codec_test

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// TestCorpusDetect: what has a magic is told without its name.
func TestCorpusDetect(t *testing.T) {
	t.Parallel()
	dir, files := corpusFiles(t)
	seen := 0
	for _, f := range files {
		c, ok := codec.Default().Lookup(f.format)
		if !ok || c.Magic == nil || f.expected != "ok" {
			continue
		}
		stored, err := os.ReadFile(filepath.Join(dir, f.path))
		if err != nil {
			t.Fatal(err)
		}
		head := stored[:min(len(stored), codec.HeadSize)]
		d, err := codec.Default().Detect(head, len(head) == len(stored), codec.Hints{Key: "x" + path.Ext(f.path)})
		if err != nil || d.Codec != f.format || d.Evidence != codec.ByMagic {
			t.Errorf("%s: got %+v, %v; want %s", f.path, d, err, f.format)
		}
		seen++
	}
	if seen == 0 {
		t.Error("got no file, want some")
	}
}
