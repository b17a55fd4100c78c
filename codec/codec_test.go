package codec_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
)

// lookup is a built-in codec.
func lookup(t testing.TB, name string) codec.Codec {
	t.Helper()
	c, ok := codec.Default().Lookup(name)
	if !ok {
		t.Fatalf("got no codec %s", name)
	}
	return c
}

// written is what a writer makes of data.
func written(data []byte, open func(io.Writer) io.WriteCloser) []byte {
	var b bytes.Buffer
	w := open(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func encodeZlib(data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func encodeDeflate(data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser {
		fw, _ := flate.NewWriter(w, flate.BestCompression)
		return fw
	})
}

func encodeZstdStream(data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser {
		zw, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(64<<10))
		return zw
	})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]codectest.Format{
		"none":    {Encode: bytes.Clone, Endless: true},
		"gzip":    {Encode: gz, Concatenates: true, Checksummed: true},
		"zlib":    {Encode: encodeZlib, Checksummed: true},
		"deflate": {Encode: encodeDeflate},
		"zstd":    {Encode: encodeZstdStream, Concatenates: true, Checksummed: true},
	} {
		t.Run(name, func(t *testing.T) { codectest.Run(t, lookup(t, name), f) })
	}
}
