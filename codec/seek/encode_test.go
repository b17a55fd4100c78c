package seek_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func lookup(t testing.TB, name string) codec.Codec {
	t.Helper()
	c, err := codec.Default().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open opens a Decoder that the test closes.
func open(t testing.TB, name string, stored []byte) codec.Decoder {
	t.Helper()
	d, err := lookup(t, name).NewReader(bytes.NewReader(stored), new(codec.Options))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// encoder makes one member of a codec.
func encoder(codec string) func([]byte) []byte {
	return func(data []byte) []byte {
		b, err := corpus.Encode(codec, data)
		if err != nil {
			panic(err)
		}
		return b
	}
}

var (
	gz, zst       = encoder("gzip"), encoder("zstd")
	encodeDeflate = encoder("deflate")
)

// lz4Frame is data in one frame of blocks of 64 KiB.
func lz4Frame(data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser {
		lw := lz4.NewWriter(w)
		if err := lw.Apply(lz4.BlockSizeOption(lz4.Block64Kb)); err != nil {
			panic(err)
		}
		return lw
	})
}

// lzip is data in one member.
func lzip(data []byte) []byte {
	const lzmaHeader = 13
	stream := written(data, func(w io.Writer) io.WriteCloser {
		zw, err := lzma.WriterConfig{DictCap: 64 << 10}.NewWriter(w)
		if err != nil {
			panic(err)
		}
		return zw
	})
	b := append([]byte("LZIP\x01\x10"), stream[lzmaHeader:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	return binary.LittleEndian.AppendUint64(b, uint64(len(b)+8))
}

// written is what a writer makes of data.
func written(data []byte, open func(io.Writer) io.WriteCloser) []byte {
	var b bytes.Buffer
	w := open(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}
