package codec_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// BenchmarkFramings reads LZ4, Snappy and S2 in their usual shapes into 256 KiB,
// beside the readers of the libraries that decode their blocks.
func BenchmarkFramings(b *testing.B) {
	for kind, data := range map[string][]byte{
		"ndjson": corpus.NDJSONBytes(1, 60_000),
		"binary": corpus.BinaryBytes(1, 8<<20),
		"noise":  corpus.NoiseBytes(1, 8<<20),
	} {
		for shape, opts := range map[string][]lz4.Option{
			"64KiB": {lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false)},
			"sums":  {lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(true)},
			"4MiB":  {lz4.BlockSizeOption(lz4.Block4Mb)},
		} {
			benchmarkFraming(b, "lz4", shape, kind, lz4Frame(b, data, opts...), len(data), lz4.NewReader(nil))
		}
		benchmarkFraming(b, "lz4-java", "64KiB", kind, lz4JavaStream(b, data, 64<<10), len(data), nil)
		benchmarkFraming(b, "lz4-block", "whole", kind, lz4RawBlock(b, data), len(data), nil)
		benchmarkFraming(b, "snappy", "64KiB", kind, snappyStream(data, 1<<16), len(data), snappy.NewReader(nil))
		benchmarkFraming(b, "s2", "1MiB", kind, s2Stream(data), len(data), s2.NewReader(nil))
		benchmarkFraming(b, "s2", "64KiB", kind, s2Stream(data, s2.WriterBlockSize(64<<10)), len(data), s2.NewReader(nil))
		benchmarkFraming(b, "snappy-block", "whole", kind, snappy.Encode(nil, data), len(data), new(rawSnappy))
		benchmarkFraming(b, "snappy-xerial", "32KiB", kind, xerialStream(slices.Collect(slices.Chunk(data, 32<<10))...), len(data), nil)
	}
}

type resetter interface {
	io.Reader
	Reset(io.Reader)
}

// rawSnappy is what a caller of golang/snappy does with a raw block.
type rawSnappy struct {
	bytes.Reader
	out []byte
}

func (r *rawSnappy) Reset(src io.Reader) {
	stored, err := io.ReadAll(src)
	if err == nil {
		r.out, err = snappy.Decode(r.out[:cap(r.out)], stored)
	}
	if err != nil {
		panic(err)
	}
	r.Reader.Reset(r.out)
}

func benchmarkFraming(b *testing.B, name, shape, kind string, stored []byte, size int, library resetter) {
	p := make([]byte, 256<<10)
	drain := func(b *testing.B, r io.Reader) {
		for {
			if _, err := r.Read(p); err == io.EOF {
				return
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	prefix := "codec=" + name + "/shape=" + shape + "/data=" + kind
	b.Run(prefix+"/by=codec", func(b *testing.B) {
		d, err := lookup(b, name).NewReader(bytes.NewReader(nil), new(codec.Options))
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			if err := d.Reset(bytes.NewReader(stored)); err != nil {
				b.Fatal(err)
			}
			drain(b, d)
		}
	})
	if library == nil {
		return
	}
	b.Run(prefix+"/by=library", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			library.Reset(bytes.NewReader(stored))
			drain(b, library)
		}
	})
}
