package zstd_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/zstd"
	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// TestCorpus gives the outcome that the manifest states for each zstd file, and
// what the library gives for it, but for the file that the library takes wrongly.
func TestCorpus(t *testing.T) {
	t.Parallel()
	library := newLibrary()
	f := newFrames()
	for _, file := range manifest.Files(t) {
		if file.Format != "zstd" {
			continue
		}
		stored, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		var options []kzstd.DOption
		f.dicts = nil
		if dict, err := os.ReadFile(filepath.Dir(file.Path) + ".dict"); err == nil {
			d, err := zstd.ParseDict(dict)
			if err != nil {
				t.Fatalf("%s: %v", file.Name, err)
			}
			f.dicts = map[uint32]*zstd.Dict{d.ID(): d}
			options = append(options, kzstd.WithDecoderDicts(dict))
		}
		got, err := f.decode(stored)
		sum := sha256.Sum256(got)
		if right := hex.EncodeToString(sum[:]) == file.SHA256; err == nil && !file.Admits(hex.EncodeToString(sum[:]), nil) && !(options != nil && right) {
			t.Errorf("%s: got %d bytes and no error, want %s", file.Name, len(got), file.Expected)
		} else if err != nil && (!file.Admits(hex.EncodeToString(sum[:]), err) || options != nil) {
			t.Errorf("%s: got %d bytes and %v, want %s", file.Name, len(got), err, file.Expected)
		}
		if options != nil {
			library = newLibrary(options...)
		}
		want, wantErr := library(stored)
		if (err == nil) != (wantErr == nil) && !laxLibrary(err, stored) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes and %v, the library gives %d and %v", file.Name, len(got), err, len(want), wantErr)
		}
	}
}

// newLibrary makes a function that decodes files with klauspost's library.
func newLibrary(options ...kzstd.DOption) func([]byte) ([]byte, error) {
	r, err := kzstd.NewReader(nil, append(options, kzstd.WithDecoderConcurrency(1), kzstd.WithDecoderMaxWindow(128<<20))...)
	if err != nil {
		panic(err)
	}
	return func(data []byte) ([]byte, error) {
		if err := r.Reset(struct{ io.Reader }{bytes.NewReader(data)}); err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
}

// stricterLibrary reports whether an error of the library is for what the format
// allows: coded weights that leave fewer bits than the next state needs.
func stricterLibrary(err error) bool {
	return strings.Contains(err.Error(), "fse decompress returned")
}

// laxLibrary reports whether err is for what the library takes and the format rules
// out: an offset of 0, and a block that is larger than the small content which is
// the window of its frame.
func laxLibrary(err error, stored []byte) bool {
	return isReason(err, "offset of 0") ||
		isReason(err, "block of more bytes than allowed") && len(stored) > 4 && stored[4]&0x20 != 0
}

// isReason reports whether err is a fault of the data for that reason.
func isReason(err error, reason string) bool {
	wrong, ok := errors.AsType[*fault.Error](err)
	return ok && wrong.What == reason
}
