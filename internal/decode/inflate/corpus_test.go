package inflate_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/inflate"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// TestCorpus decodes the gzip, zlib and deflate files of the corpus that are
// whole, and resumes at every block of each stream.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files := 0
	for _, f := range manifest.Files(t) {
		head, ok := heads[f.Format]
		if !ok || f.Expected != "ok" {
			continue
		}
		files++
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.New()
			for len(data) > 0 && (f.Format != "gzip" || data[0] != 0) {
				body, foot := head(data)
				src := bufio.NewReader(bytes.NewReader(body))
				out, err := io.ReadAll(inflate.NewReader(src))
				if err != nil {
					t.Fatal(err)
				}
				rest, _ := io.ReadAll(src)
				if len(out) < 1<<20 {
					resumeAll(t, body[:len(body)-len(rest)], out, 64<<10)
				}
				sum.Write(out)
				data = rest[min(len(rest), foot):]
			}
			if got, want := hex.EncodeToString(sum.Sum(nil)), f.SHA256; got != want && want != "" {
				t.Errorf("got sha256 %s, want %s", got, want)
			}
		})
	}
	t.Logf("%d files", files)
}

// heads strip what comes before a deflate stream and tell how many bytes follow it.
var heads = map[string]func([]byte) (body []byte, foot int){
	"deflate": func(b []byte) ([]byte, int) { return b, 0 },
	"zlib":    func(b []byte) ([]byte, int) { return b[2:], 4 },
	"gzip": func(b []byte) ([]byte, int) {
		flags, b := b[3], b[10:]
		if flags&4 != 0 {
			b = b[2+int(b[0])+int(b[1])<<8:]
		}
		for _, text := range []byte{8, 16} {
			if flags&text != 0 {
				b = b[bytes.IndexByte(b, 0)+1:]
			}
		}
		if flags&2 != 0 {
			b = b[2:]
		}
		return b, 8
	},
}
