package codec_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// knownGaps are corpus files that do not give their expected outcome, with the
// reason.
var knownGaps = map[string]string{
	"zstd/golden-decompression-errors/off0.bin.zst": "a sequence with offset 0, which klauspost/compress takes for 1; " +
		"seen only by decoding sequences, which costs a third of the speed",
}

// corpusCodecs maps the manifest's formats to codecs where the names differ.
var corpusCodecs = map[string]string{
	"snappy-raw":    "snappy-block",
	"snappy-framed": "snappy",
}

type corpusFile struct {
	path, format, expected, sha string
}

// corpusFiles lists the files of the corpus, or skips the test where there is none.
func corpusFiles(t testing.TB) (dir string, files []corpusFile) {
	t.Helper()
	dir = os.Getenv("THAW_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	f, err := os.Open(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Skip("no corpus: ", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		col := strings.Split(lines.Text(), "\t")
		files = append(files, corpusFile{path: col[0], format: col[3], expected: col[5], sha: col[7]})
	}
	return dir, files
}

// allowed is what the words of the manifest allow: right bytes and a clean end,
// an error, or all bytes of the manifest and then an error.
func (f corpusFile) allowed() (ok, fail, dataThenFail bool) {
	e := f.expected
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(e, p) {
				return true
			}
		}
		return false
	}
	either := strings.Contains(e, " or ") || strings.Contains(e, ", or ") || strings.Contains(e, "; else") || strings.Contains(e, ", else")
	switch {
	case has("error or ok", "one layer", "error that says it is no lz4 frame"):
		return true, true, false
	case has("all of both members, or an error"):
		return true, true, false
	case has("all ") && strings.Contains(e, "clean end or"):
		return true, false, true
	case has("all ", "data of the first", "error after the first"):
		return false, false, true
	case has("error"):
		return false, true, false
	case either:
		return true, true, false
	}
	return true, false, false
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	dir, files := corpusFiles(t)
	for _, f := range files {
		name := f.format
		if n, ok := corpusCodecs[name]; ok {
			name = n
		}
		c, ok := codec.Default().Lookup(name)
		if !ok || name == "none" {
			continue
		}
		t.Run(f.path, func(t *testing.T) {
			t.Parallel()
			stored, err := os.ReadFile(filepath.Join(dir, f.path))
			if err != nil {
				t.Fatal(err)
			}
			opts := &codec.Options{MaxDecoded: 512 << 20}
			got, err := decodeHash(c, stored, opts)
			ok, fail, dataThenFail := f.allowed()
			right := got == f.sha || f.sha == ""
			fine := err == nil && ok && right || err != nil && (fail || dataThenFail && right)
			if reason, known := knownGaps[f.path]; known {
				if fine {
					t.Fatalf("a known gap is closed: %s", reason)
				}
				t.Skip(reason)
			}
			if !fine {
				t.Errorf("got sha %.12s, error %v; want sha %.12s: %s", got, err, f.sha, f.expected)
			}
			checkTyped(t, err)
		})
	}
}

// TestCorpusDictionaries reads the frames whose dictionary is beside them.
func TestCorpusDictionaries(t *testing.T) {
	t.Parallel()
	dir, files := corpusFiles(t)
	c, _ := codec.Default().Lookup("zstd")
	seen := 0
	for _, f := range files {
		if f.expected != "error without the dictionary; ok with it" {
			continue
		}
		stored, err := os.ReadFile(filepath.Join(dir, f.path))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeHash(c, stored, nil); !errors.Is(err, codec.ErrDictionary) {
			t.Errorf("%s without dictionary: got %v, want %v", f.path, err, codec.ErrDictionary)
		}
		dict, err := os.ReadFile(filepath.Join(dir, filepath.Dir(f.path)+".dict"))
		if err != nil {
			continue // the corpus does not have all of them
		}
		seen++
		got, err := decodeHash(c, stored, &codec.Options{Dictionaries: [][]byte{dict}})
		if err != nil || got != f.sha {
			t.Errorf("%s with dictionary: got sha %.12s, error %v; want sha %.12s", f.path, got, err, f.sha)
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
	for _, cause := range []error{
		codec.ErrCorrupt, codec.ErrChecksum, codec.ErrLimit, codec.ErrTrailing,
		codec.ErrDictionary, codec.ErrUnsupported, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, cause) {
			return
		}
	}
	t.Errorf("got %v, want one of the causes of package codec", err)
}
