package bzip2_test

import (
	"bufio"
	"bytes"
	std "compress/bzip2"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/bzip2"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/decodebench"
)

// BenchmarkDecode compares the Reader and the standard library.
func BenchmarkDecode(b *testing.B) {
	for _, s := range []struct {
		name string
		data []byte
	}{
		{"ndjson", corpus.NDJSONBytes(1, 15_000)},
		{"csv", corpus.CSVBytes(1, 40_000)},
		{"binary", corpus.BinaryBytes(1, 3<<20)},
	} {
		decodebench.Decoders(b, "data="+s.name, corpus.Bzip2{}.Encode(s.data), len(s.data), impls)
	}
}

var impls = []decodebench.Decoder{
	{Name: "own", Open: func() func([]byte) (int64, error) {
		var z bzip2.Reader
		return func(stored []byte) (int64, error) {
			z.Reset(bufio.NewReader(bytes.NewReader(stored)))
			return io.Copy(io.Discard, &z)
		}
	}},
	{Name: "std", Open: func() func([]byte) (int64, error) {
		return func(stored []byte) (int64, error) {
			return io.Copy(io.Discard, std.NewReader(bytes.NewReader(stored)))
		}
	}},
}
