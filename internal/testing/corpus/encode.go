package corpus

import (
	"bytes"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// encoders open a writer of each codec that has one, at the level that the
// format's own tool takes by default. Those that could start goroutines do not.
var encoders = map[string]func(io.Writer) (io.WriteCloser, error){
	"none":    func(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil },
	"gzip":    func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, 6) },
	"zlib":    func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriterLevel(w, 6) },
	"deflate": func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 6) },
	"zstd":    func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) },
	"lz4":     func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil },
	"s2":      func(w io.Writer) (io.WriteCloser, error) { return s2.NewWriter(w, s2.WriterConcurrency(1)), nil },
	"snappy": func(w io.Writer) (io.WriteCloser, error) {
		return s2.NewWriter(w, s2.WriterConcurrency(1), s2.WriterSnappyCompat()), nil
	},
	"brotli": func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 6), nil },
}

// Encode is data in one member of the codec: none, gzip, zlib, deflate, zstd,
// lz4, snappy (framed), s2, bzip2 or brotli. Another name is an error. There is
// none for xz, lzma and lzip: vectors of these come from the formats' own tools.
func Encode(codec string, data []byte) ([]byte, error) {
	open := encoders[codec]
	if codec == "bzip2" {
		return Bzip2{}.Encode(data), nil
	}
	if open == nil {
		return nil, fmt.Errorf("corpus: no encoder for %q", codec)
	}
	var b bytes.Buffer
	w, err := open(&b)
	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", codec, err)
	}
	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", codec, err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", codec, err)
	}
	return b.Bytes(), nil
}

// nopCloser is a writer whose Close does nothing.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
