package brotli_test

import (
	"bytes"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// compare holds a Reader to the library, on the same stream: both give the same, or
// both find a fault. At a fault the library may drop what it decoded before.
func compare(t *testing.T, s *streams, library func([]byte) ([]byte, error), stored []byte, about ...any) {
	t.Helper()
	got, taken, err := s.decode(stored)
	if err == errLimit {
		return
	}
	want, wantErr := library(stored)
	if err == nil && taken < len(stored) {
		// The library calls bytes after the end a fault.
		want, wantErr = library(stored[:taken])
	}
	switch {
	case (err == nil) != (wantErr == nil):
		t.Fatalf("%v: %d bytes, %x: got %d bytes and %v; the library gives %d and %v", about, len(stored), stored[:min(len(stored), 100)], len(got), err, len(want), wantErr)
	case err == nil && !bytes.Equal(got, want):
		t.Fatalf("%v: got %s", about, difference(got, want))
	case err != nil && !bytes.HasPrefix(got, want):
		t.Fatalf("%v: got %s before %v; the library says %v", about, difference(got, want), err, wantErr)
	}
}

// small are streams of some hundred bytes that have what a stream can have.
func small() [][]byte {
	return [][]byte{
		{6}, // nothing
		encode([]byte("The time has come for that which was before."), 11, 0),
		encode(corpus.NDJSONBytes(1, 5), 5, 16),
		encode(corpus.NDJSONBytes(2, 3), 11, 18),
		encode(corpus.BinaryBytes(8, 1200), 9, 10),
		encode(bytes.Repeat([]byte("abc"), 500), 2, 24),
		encode(corpus.NoiseBytes(4, 200), 4, 22),
		encode(append(bytes.Repeat([]byte("0123456789"), 60), corpus.NDJSONBytes(5, 3)...), 11, 22),
	}
}

// FuzzStream decodes any bytes, and gives what the library does.
func FuzzStream(f *testing.F) {
	for _, stored := range small() {
		f.Add(stored)
	}
	f.Add(wordStream(12, 3, 44, 13))
	for _, tc := range rules() {
		f.Add(tc.stored.out)
	}
	own, library := newStreams(), newLibrary()
	own.limit = 1 << 20
	f.Fuzz(func(t *testing.T, stored []byte) {
		compare(t, own, library, stored)
	})
}

// FuzzEncoded decodes what the library's encoder makes of any text.
func FuzzEncoded(f *testing.F) {
	f.Add([]byte("a text, a text, a text"), uint8(1), uint8(0))
	f.Add(corpus.NDJSONBytes(1, 8), uint8(5), uint8(2))
	f.Add(corpus.BinaryBytes(1, 5000), uint8(11), uint8(1))
	own := newStreams()
	f.Fuzz(func(t *testing.T, text []byte, quality, window uint8) {
		stored := encode(text, int(quality%12), 10+int(window%15))
		got, taken, err := own.decode(stored)
		if err != nil || !bytes.Equal(got, text) || taken != len(stored) {
			t.Fatalf("got %s and %v, and %d bytes taken of %d", difference(got, text), err, taken, len(stored))
		}
	})
}
