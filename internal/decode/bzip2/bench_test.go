package bzip2_test

import (
	"bufio"
	"bytes"
	std "compress/bzip2"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/bzip2"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func BenchmarkRead(b *testing.B) {
	for _, input := range []struct {
		name string
		data []byte
	}{
		{"ndjson", corpus.NDJSONBytes(1, 15_000)},
		{"csv", corpus.CSVBytes(1, 40_000)},
		{"binary", corpus.BinaryBytes(1, 3<<20)},
	} {
		stored := corpus.Bzip2{}.Encode(input.data)
		var z bzip2.Reader
		for reader, open := range map[string]func(*bufio.Reader) io.Reader{
			"thaw": func(src *bufio.Reader) io.Reader { z.Reset(src); return &z },
			"std":  func(src *bufio.Reader) io.Reader { return std.NewReader(src) },
		} {
			b.Run("data="+input.name+"/reader="+reader, func(b *testing.B) {
				b.SetBytes(int64(len(input.data)))
				b.ReportAllocs()
				for b.Loop() {
					n, err := io.Copy(io.Discard, open(bufio.NewReader(bytes.NewReader(stored))))
					if err != nil || n != int64(len(input.data)) {
						b.Fatal(n, err)
					}
				}
			})
		}
	}
}
