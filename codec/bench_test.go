package codec_test

import (
	"bytes"
	"io"
	"testing"

	kgzip "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// libraries are the bare decoders that codecs stand on or beside, at their best
// settings for one goroutine. Each is opened once and reset.
var libraries = map[string]func() (io.Reader, func(io.Reader) error){
	"gzip": func() (io.Reader, func(io.Reader) error) {
		r := new(kgzip.Reader)
		return r, r.Reset
	},
	"zstd": func() (io.Reader, func(io.Reader) error) {
		r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		if err != nil {
			panic(err)
		}
		return r, r.Reset
	},
}

// BenchmarkDecode reads into 256 KiB, beside the library on the same bytes.
func BenchmarkDecode(b *testing.B) {
	data := map[string][]byte{
		"ndjson": corpus.NDJSONBytes(1, 60_000),
		"binary": corpus.BinaryBytes(1, 8<<20),
		"noise":  corpus.NoiseBytes(1, 8<<20),
	}
	for _, name := range []string{"none", "gzip", "zlib", "zstd"} {
		for _, kind := range []string{"ndjson", "binary", "noise"} {
			benchmarkDecode(b, name, kind, data[kind])
		}
	}
	var tiny, tinyZstd []byte
	for line := range bytes.Lines(data["ndjson"][:1<<20]) {
		tiny = append(tiny, gz(line)...)
		tinyZstd = append(tinyZstd, zst(line)...)
	}
	benchmarkStored(b, "gzip", "tiny members", tiny, 1<<20)
	benchmarkStored(b, "zstd", "tiny members", tinyZstd, 1<<20)
}

func benchmarkDecode(b *testing.B, name, kind string, data []byte) {
	b.Helper()
	stored := data
	switch name {
	case "none":
	case "zlib":
		stored = encodeZlib(data)
	default:
		var err error
		if stored, err = corpus.Encode(name, data); err != nil {
			b.Fatal(err)
		}
	}
	benchmarkStored(b, name, kind, stored, len(data))
}

func benchmarkStored(b *testing.B, name, kind string, stored []byte, size int) {
	p := make([]byte, 256<<10)
	run := func(b *testing.B, r io.Reader, reset func(io.Reader) error) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			if err := reset(bytes.NewReader(stored)); err != nil {
				b.Fatal(err)
			}
			for {
				if _, err := r.Read(p); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("codec="+name+"/data="+kind+"/by=codec", func(b *testing.B) {
		d, err := lookup(b, name).NewReader(bytes.NewReader(nil), new(codec.Options))
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		run(b, d, d.Reset)
	})
	if open, ok := libraries[name]; ok {
		b.Run("codec="+name+"/data="+kind+"/by=library", func(b *testing.B) {
			r, reset := open()
			run(b, r, reset)
		})
	}
}
