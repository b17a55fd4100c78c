package stream_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
	"github.com/thaw-go/thaw/stream"
)

// byName are the formats that have no magic: the codec is given.
var byName = map[string]string{
	"brotli": "brotli", "deflate": "deflate", "zlib": "zlib", "snappy-raw": "snappy-block",
	"snappy-hadoop": "snappy-hadoop", "lz4-block": "lz4-block", "lzma": "lzma",
}

// magical are the formats that are detected.
var magical = map[string]string{
	"gzip": "gzip", "zstd": "zstd", "lz4": "lz4", "snappy-framed": "snappy", "s2": "s2",
	"snappy-xerial": "snappy-xerial", "bzip2": "bzip2", "xz": "xz", "lzip": "lzip",
}

// Every compressed file of the corpus gives its expected outcome through Open: the
// right bytes, or a typed error, never a panic and never a short clean end.
func TestCorpus(t *testing.T) {
	for _, f := range manifest.Files(t) {
		name, given := byName[f.Format]
		_, detected := magical[f.Format]
		if !given && !detected {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			s := folderStore(t, filepath.Dir(f.Path))
			defer s.Close()
			sum, chosen, err := openAndHash(t, s, filepath.Base(f.Path), name)
			if chosen == "none" {
				// Without its magic a file is plain data to detection. By name
				// it must err.
				sum, _, err = openAndHash(t, s, filepath.Base(f.Path), magical[f.Format])
			}
			if !f.Admits(sum, err) {
				t.Errorf("got sha %.12s and %v; want %s (%.12s)", sum, err, f.Expected, f.SHA256)
			}
			var e *stream.Error
			if err != nil && (!errors.As(err, &e) || e.Class == stream.ClassOther) {
				t.Errorf("error %v has no class", err)
			}
			var ce *codec.Error
			if err != nil && errors.As(err, &ce) && ce.StoredOffset < 0 {
				t.Errorf("error %v has no offset", err)
			}
		})
	}
}

func openAndHash(t *testing.T, s *blob.Store, key, name string) (sum, chosen string, err error) {
	h := sha256.New()
	r, err := stream.Open(t.Context(), s, key, &stream.OpenOptions{Read: stream.ReadOptions{Codec: name, Decode: codec.Options{MaxDecoded: 512 << 20}}})
	if err == nil {
		_, err = io.Copy(h, r)
		chosen = r.Detection().Codec
		r.Close()
	}
	return hex.EncodeToString(h.Sum(nil)), chosen, err
}
