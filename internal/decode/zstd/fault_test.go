package zstd_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// small are files of some hundred bytes, without and with a checksum, that have
// all sections a block can have.
func small(checksum bool) [][]byte {
	check := kzstd.WithEncoderCRC(checksum)
	window := kzstd.WithWindowSize(1 << 10)
	return [][]byte{
		encode(corpus.NDJSONBytes(1, 5), false, check, window),
		encode(corpus.NDJSONBytes(2, 3), true, check, kzstd.WithEncoderLevel(kzstd.SpeedBestCompression)),
		encode(corpus.BinaryBytes(8, 1500), false, check, window, kzstd.WithEncoderLevel(kzstd.SpeedBetterCompression)),
		encode(bytes.Repeat([]byte("abc"), 500), true, check),
		encode(corpus.NoiseBytes(4, 200), true, check),
	}
}

// TestCuts: a file that ends early is truncated, wherever that is.
func TestCuts(t *testing.T) {
	t.Parallel()
	f := newFrames()
	for i, stored := range append(small(false), small(true)...) {
		want, err := f.decode(stored)
		want = bytes.Clone(want)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n < len(stored); n++ {
			got, err := f.decode(stored[:n])
			if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(want, got) {
				t.Errorf("file %d cut to %d of %d: got %s and %v", i, n, len(stored), difference(got, want), err)
			}
		}
	}
}

// TestFlips: a flipped bit is an error or changes nothing, if there is a checksum.
// If there is none, it is what the library says, but for an offset of 0.
func TestFlips(t *testing.T) {
	t.Parallel()
	f, library := newFrames(), newLibrary()
	for i, stored := range small(true) {
		want, _ := f.decode(stored)
		want = bytes.Clone(want)
		for bit := range 8 * len(stored) {
			damaged := bytes.Clone(stored)
			damaged[bit/8] ^= 1 << (bit % 8)
			if got, err := f.decode(damaged); err == nil && !bytes.Equal(got, want) && bit >= 8*6 {
				t.Errorf("file %d, bit %d: got %s and no error", i, bit, difference(got, want))
			}
		}
	}
	for i, stored := range small(false) {
		for bit := range 8 * len(stored) {
			damaged := bytes.Clone(stored)
			damaged[bit/8] ^= 1 << (bit % 8)
			compare(t, f, library, damaged, i, bit)
		}
	}
}

// compare holds frames to the library, on the same data.
func compare(t *testing.T, f *frames, library func([]byte) ([]byte, error), stored []byte, about ...any) {
	t.Helper()
	got, err := f.decode(stored)
	if errors.Is(err, errLimit) {
		return
	}
	want, wantErr := library(stored)
	switch {
	case err == nil && wantErr == nil && !bytes.Equal(got, want):
		t.Errorf("%v: got %s", about, difference(got, want))
	case err == nil && wantErr != nil && !stricterLibrary(wantErr):
		t.Errorf("%v: got %d bytes and no error; the library says %v", about, len(got), wantErr)
	case err != nil && wantErr == nil && !laxLibrary(err, stored):
		t.Errorf("%v: got %d bytes and %v; the library gives %d", about, len(got), err, len(want))
	}
}
