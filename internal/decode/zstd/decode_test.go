package zstd_test

import (
	"bytes"
	"fmt"
	"testing"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// encode compresses with klauspost's encoder, in one frame, with the size declared
// if whole.
func encode(data []byte, whole bool, options ...kzstd.EOption) []byte {
	var b bytes.Buffer
	w, err := kzstd.NewWriter(&b, append(options, kzstd.WithEncoderConcurrency(1))...)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	if whole {
		return w.EncodeAll(data, nil)
	}
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// samples are data of all kinds.
func samples() map[string][]byte {
	return map[string][]byte{
		"nothing": nil,
		"byte":    []byte("a"),
		"run":     bytes.Repeat([]byte("ab"), 60_000),
		"ndjson":  corpus.NDJSONBytes(1, 700),
		"binary":  corpus.BinaryBytes(2, 150_000),
		"noise":   corpus.NoiseBytes(3, 140_000),
	}
}

// TestEncoders decodes what klauspost's encoder makes at all of its levels.
func TestEncoders(t *testing.T) {
	t.Parallel()
	f := newFrames()
	for _, tc := range []struct {
		level  kzstd.EncoderLevel
		window int
	}{
		{kzstd.SpeedFastest, 1 << 10}, {kzstd.SpeedFastest, 1 << 20}, {kzstd.SpeedDefault, 64 << 10},
		{kzstd.SpeedBetterCompression, 1 << 10}, {kzstd.SpeedBestCompression, 64 << 10},
	} {
		w, err := kzstd.NewWriter(nil, kzstd.WithEncoderLevel(tc.level), kzstd.WithWindowSize(tc.window), kzstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range samples() {
			var b bytes.Buffer
			w.Reset(&b)
			w.Write(data)
			w.Close()
			for _, stored := range [][]byte{b.Bytes(), w.EncodeAll(data, nil)} {
				got, err := f.decode(stored)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s, %v, window %d: got %s and %v", name, tc.level, tc.window, difference(got, data), err)
				}
			}
		}
	}
}

// TestSizes decodes frames of few bytes, whose window is their size.
func TestSizes(t *testing.T) {
	t.Parallel()
	f := newFrames()
	w, err := kzstd.NewWriter(nil, kzstd.WithEncoderConcurrency(1), kzstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{make([]byte, 80), bytes.Repeat([]byte("ab"), 40), bytes.Repeat([]byte("abcdefg"), 12), corpus.NDJSONBytes(1, 1)} {
		for n := range len(data) {
			got, err := f.decode(w.EncodeAll(data[:n], nil))
			if err != nil || !bytes.Equal(got, data[:n]) {
				t.Errorf("%.7q, %d bytes: got %s and %v", data, n, difference(got, data[:n]), err)
			}
		}
	}
}

// difference says where got and want differ first.
func difference(got, want []byte) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	return fmt.Sprintf("%d bytes of %d, equal up to %d", len(got), len(want), i)
}
