package corpus_test

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// readers are the libraries' own decoders of what Encode writes.
var readers = map[string]func(io.Reader) (io.Reader, error){
	"none":    func(r io.Reader) (io.Reader, error) { return r, nil },
	"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"zlib":    func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
	"deflate": func(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil },
	"zstd":    func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
	"lz4":     func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil },
	"snappy":  func(r io.Reader) (io.Reader, error) { return s2.NewReader(r), nil },
	"s2":      func(r io.Reader) (io.Reader, error) { return s2.NewReader(r), nil },
	"bzip2":   func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil },
	"brotli":  func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
}

func TestEncodeRoundTrip(t *testing.T) {
	t.Parallel()
	inputs := map[string][]byte{
		"empty":  nil,
		"ndjson": corpus.NDJSONBytes(1, 2000),
		"binary": corpus.BinaryBytes(1, 300_000),
	}
	for codec, open := range readers {
		for name, data := range inputs {
			stored, err := corpus.Encode(codec, data)
			if err != nil {
				t.Errorf("%s of %s: %v", codec, name, err)
				continue
			}
			r, err := open(bytes.NewReader(stored))
			if err != nil {
				t.Errorf("%s of %s: %v", codec, name, err)
				continue
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s of %s: got %d bytes and %v, want %d bytes", codec, name, len(got), err, len(data))
			}
		}
	}
}

func TestEncodeUnknownCodec(t *testing.T) {
	t.Parallel()
	if _, err := corpus.Encode("rot13", nil); err == nil {
		t.Error("codec rot13 got no error, want one")
	}
}

// The makers are there to stand for real data: figures measured on data that
// compresses far better or worse would mislead.
func TestRatiosAreThoseOfRealData(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		data     []byte
		min, max float64
	}{
		{"ndjson", corpus.NDJSONBytes(1, 20_000), 6, 10},
		{"csv", corpus.CSVBytes(1, 20_000), 4, 8},
		{"binary", corpus.BinaryBytes(1, 4<<20), 2, 4},
		{"noise", corpus.NoiseBytes(1, 1<<20), 0.99, 1},
	}
	for _, c := range cases {
		stored, err := corpus.Encode("gzip", c.data)
		if err != nil {
			t.Fatal(err)
		}
		if ratio := float64(len(c.data)) / float64(len(stored)); ratio < c.min || ratio > c.max {
			t.Errorf("%s: gzip ratio got %.2f, want %v to %v", c.name, ratio, c.min, c.max)
		}
	}
}
