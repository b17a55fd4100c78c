package codec_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
)

// lookup is a built-in codec.
func lookup(t testing.TB, name string) codec.Codec {
	t.Helper()
	c, err := codec.Default().Lookup(name)
	if err != nil {
		t.Fatal(err)
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

// encodeBGZF is data in blocks of BGZF, with the empty one that ends it.
func encodeBGZF(data []byte) []byte {
	var b []byte
	for block := range slices.Chunk(data, 50_000) {
		b = append(b, bgzf(block)...)
	}
	return append(b, bgzf(nil)...)
}

// bgzfBorder tells whether a block ends after n bytes.
func bgzfBorder(stored []byte, n int) bool {
	at := 0
	for at < n {
		at += int(binary.LittleEndian.Uint16(stored[at+16:])) + 1
	}
	return at == n
}

// cutBGZF are objects of BGZF without their end.
func cutBGZF() (vs []codectest.Vector) {
	one, many := []byte(text), bytes.Repeat([]byte(text), 20_000)
	for _, v := range []codectest.Vector{
		{Name: "one block", Stored: bgzf(one), Decoded: one},
		{Name: "many blocks", Stored: encodeBGZF(many), Decoded: many},
		{Name: "zeros behind", Stored: join(bgzf(one), make([]byte, 512)), Decoded: one},
		{Name: "the end in the middle", Stored: join(encodeBGZF(one), bgzf(one)), Decoded: join(one, one)},
		{Name: "plain gzip before", Stored: join(gz(one), bgzf(one)), Decoded: join(one, one)},
	} {
		v.Stored = bytes.TrimSuffix(v.Stored, bgzf(nil))
		vs = append(vs, v)
	}
	return vs
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]codectest.Format{
		"none":    {Encode: bytes.Clone, Endless: true},
		"gzip":    {Encode: gz, Concatenates: true, Checksummed: true},
		"bgzf":    {Encode: encodeBGZF, MayEnd: bgzfBorder, Doubtful: cutBGZF()},
		"zlib":    {Encode: encodeZlib, Checksummed: true},
		"deflate": {Encode: encodeDeflate},
		"zstd":    {Encode: encodeZstdStream, Concatenates: true, Checksummed: true},
	} {
		c := name
		if name == "bgzf" {
			c = "gzip"
		}
		t.Run(name, func(t *testing.T) { codectest.Run(t, lookup(t, c), f) })
	}
}
