package codec_test

import (
	"os"
	"path"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/limits"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// TestCorpusDetect: what has a magic is told without its name.
func TestCorpusDetect(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, f := range manifest.Files(t) {
		c, err := codec.Default().Lookup(f.Format)
		if err != nil || c.Magic == nil || f.Expected != "ok" {
			continue
		}
		stored, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		head := stored[:min(len(stored), limits.Head)]
		d, err := codec.Default().Detect(head, len(head) == len(stored), codec.Hints{Key: "x" + path.Ext(f.Name)})
		if err != nil || d.Codec != f.Format || d.Evidence != codec.ByMagic {
			t.Errorf("%s: got %+v, %v; want %s", f.Name, d, err, f.Format)
		}
		seen++
	}
	if seen == 0 {
		t.Error("got no file, want some")
	}
}
