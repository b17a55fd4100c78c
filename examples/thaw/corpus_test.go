package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// catCodecs are the formats of the manifest whose files go through cat, and their
// codecs.
var catCodecs = map[string]string{
	"gzip": "gzip", "zlib": "zlib", "deflate": "deflate", "zstd": "zstd", "lz4": "lz4", "lz4-block": "lz4",
	"snappy-framed": "snappy", "snappy-raw": "snappy-block", "snappy-hadoop": "snappy-hadoop", "snappy-xerial": "snappy-xerial",
	"bzip2": "bzip2", "xz": "xz", "lzma": "lzma", "lzip": "lzip", "brotli": "brotli",
}

// TestCorpus reads every corpus file of these formats with cat. Content that no
// format begins with is plain data to cat: with a name that says otherwise, -strict
// makes that a failure, and with one that says nothing, -codec has to.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files := manifest.Files(t)
	seen := map[string]int{}
	for _, f := range files {
		name, ok := catCodecs[f.Format]
		if !ok {
			continue
		}
		seen[f.Format]++
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			args := []string{"cat", "-q", "-memory", "1GiB"} // tests beside lower the process's limit, of which the default is a part
			switch d := detect(t, f.Path); {
			case d.Codec == name:
			case d.Codec == "none" && len(d.Conflicts) > 0:
				args = append(args, "-strict")
			default:
				args = append(args, "-codec", name)
			}
			hash := sha256.New()
			var stderr bytes.Buffer
			status := run(t.Context(), append(args, f.Path), hash, &stderr)
			var err error
			if status != 0 {
				err = errors.New(stderr.String())
			}
			if (status != 0) != (stderr.Len() > 0) {
				t.Errorf("got status %d and %q on stderr", status, stderr.String())
			}
			sum := hex.EncodeToString(hash.Sum(nil))
			if !f.Admits(sum, err) {
				t.Errorf("%v: got sha %.12s, status %d, %q; want sha %.12s: %s", args, sum, status, stderr.String(), f.SHA256, f.Expected)
			}
		})
	}
	for format := range catCodecs {
		if seen[format] == 0 {
			t.Errorf("got no file of format %s, want some", format)
		}
	}
}

// detect is what name and content of a file say.
func detect(t *testing.T, path string) codec.Detection {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		t.Fatal(err)
	}
	d, err := codec.Default().Detect(head, len(head) < 4<<10, codec.Hints{Key: path})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
