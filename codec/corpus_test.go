package codec_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// corpusCodecs maps the manifest's formats to codecs where the names differ.
var corpusCodecs = map[string]string{
	"snappy-raw":    "snappy-block",
	"snappy-framed": "snappy",
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, f := range manifest.Files(t) {
		name := f.Format
		if n, ok := corpusCodecs[name]; ok {
			name = n
		}
		c, err := codec.Default().Lookup(name)
		if err != nil || name == "none" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			stored, err := os.ReadFile(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := decodeHash(c, stored, &codec.Options{MaxDecoded: 512 << 20})
			if !f.Admits(got, err) {
				t.Errorf("got sha %.12s, error %v; want sha %.12s: %s", got, err, f.SHA256, f.Expected)
			}
			checkTyped(t, err)
		})
	}
}

// TestCorpusDictionaries reads the frames whose dictionary is beside them.
func TestCorpusDictionaries(t *testing.T) {
	t.Parallel()
	c, _ := codec.Default().Lookup("zstd")
	seen := 0
	for _, f := range manifest.Files(t) {
		if f.Expected != "error without the dictionary; ok with it" {
			continue
		}
		stored, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeHash(c, stored, nil); !errors.Is(err, codec.ErrDictionary) {
			t.Errorf("%s without dictionary: got %v, want %v", f.Name, err, codec.ErrDictionary)
		}
		dict, err := os.ReadFile(filepath.Dir(f.Path) + ".dict")
		if err != nil {
			continue // the corpus does not have all of them
		}
		seen++
		got, err := decodeHash(c, stored, &codec.Options{Dictionaries: [][]byte{dict}})
		if err != nil || got != f.SHA256 {
			t.Errorf("%s with dictionary: got sha %.12s, error %v; want sha %.12s", f.Name, got, err, f.SHA256)
		}
	}
	if seen == 0 {
		t.Error("got no dictionary, want some")
	}
}

// decodeHash is the hash of what stored decodes to, and nil at a clean end.
func decodeHash(c codec.Codec, stored []byte, opts *codec.Options) (string, error) {
	h := sha256.New()
	err := decodeTo(h, c, stored, opts)
	return hex.EncodeToString(h.Sum(nil)), err
}

func decodeTo(w io.Writer, c codec.Codec, stored []byte, opts *codec.Options) error {
	if opts == nil {
		opts = new(codec.Options)
	}
	d, err := c.NewReader(bytes.NewReader(stored), opts)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = io.Copy(w, d)
	return err
}

// causes are those that package codec documents.
var causes = []error{
	codec.ErrCorrupt, codec.ErrChecksum, codec.ErrLimit, codec.ErrTrailing,
	codec.ErrDictionary, codec.ErrUnsupported, io.ErrUnexpectedEOF,
}

// checkTyped demands that err is nil or a [codec.Error] around a cause that the
// package documents.
func checkTyped(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *codec.Error
	if !errors.As(err, &e) {
		t.Errorf("got %T (%v), want a *codec.Error", err, err)
	}
	for _, cause := range causes {
		if errors.Is(err, cause) {
			return
		}
	}
	t.Errorf("got %v, want one of the causes of package codec", err)
}
