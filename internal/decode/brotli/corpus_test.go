package brotli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus/manifest"
)

// errBehind says that bytes follow a stream, which is for the Reader's caller to find.
var errBehind = errors.New("bytes behind the stream")

// TestCorpus gives the outcome that the manifest states for each brotli file, and
// what the library gives for it.
func TestCorpus(t *testing.T) {
	t.Parallel()
	s, library := newStreams(), newLibrary()
	for _, file := range manifest.Files(t) {
		if file.Format != "brotli" {
			continue
		}
		stored, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		got, taken, err := s.decode(stored)
		if err == nil && taken < len(stored) {
			err = errBehind
		}
		sum := sha256.Sum256(got)
		if !file.Admits(hex.EncodeToString(sum[:]), err) {
			t.Errorf("%s: got %d bytes and %v, want %s", file.Name, len(got), err, file.Expected)
		}
		compare(t, s, library, stored, file.Name)
	}
}
