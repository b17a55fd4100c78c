package brotli_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// TestCuts: a stream that ends early is truncated, wherever that is.
func TestCuts(t *testing.T) {
	t.Parallel()
	s := newStreams()
	for i, stored := range small() {
		want, _, err := s.decode(stored)
		want = bytes.Clone(want)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(stored) {
			got, taken, err := s.decode(stored[:n])
			if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(want, got) || taken != n {
				t.Errorf("stream %d cut to %d of %d: got %s and %v, and %d bytes taken", i, n, len(stored), difference(got, want), err, taken)
			}
		}
	}
}

// TestFlips: with any bit flipped, a stream is what the library says.
func TestFlips(t *testing.T) {
	t.Parallel()
	s, library := newStreams(), newLibrary()
	s.limit = 1 << 24
	for i, stored := range small() {
		for bit := range 8 * len(stored) {
			damaged := bytes.Clone(stored)
			damaged[bit/8] ^= 1 << (bit % 8)
			compare(t, s, library, damaged, i, bit)
		}
	}
}

// TestFlipsInPieces: what is decoded before a fault, and which fault it is, does not
// depend on the pieces in which a source delivers its bytes.
func TestFlipsInPieces(t *testing.T) {
	t.Parallel()
	s, chopped := newStreams(), newStreams()
	s.limit, chopped.limit = 1<<20, 1<<20
	for i, stored := range small() {
		for bit := 0; bit < 8*len(stored); bit += 3 {
			damaged := bytes.Clone(stored)
			damaged[bit/8] ^= 1 << (bit % 8)
			want, _, wantErr := s.decode(damaged)
			chopped.step = 1 + bit%40
			got, _, err := chopped.decode(damaged)
			if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("stream %d, bit %d, pieces of %d: got %s and %v, want %v", i, bit, chopped.step, difference(got, want), err, wantErr)
			}
		}
	}
}
