package brotli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"testing"

	library "github.com/andybalholm/brotli"

	"github.com/thaw-go/thaw/internal/decode/brotli"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/decodebench"
)

// BenchmarkDecode compares the Reader and the library.
func BenchmarkDecode(b *testing.B) {
	for _, s := range []struct {
		name string
		data []byte
	}{
		{"ndjson", corpus.NDJSONBytes(1, 30_000)},
		{"binary", corpus.BinaryBytes(1, 8<<20)},
		{"small", corpus.NDJSONBytes(1, 2)},
	} {
		for _, quality := range []int{1, 6, 9} {
			name := fmt.Sprintf("data=%s/quality=%d", s.name, quality)
			decodebench.Decoders(b, name, encode(s.data, quality, 22), len(s.data), impls)
		}
	}
}

// impls open decoders that are reset for every stream and read in pieces of 128 KiB.
var impls = []decodebench.Decoder{
	{Name: "own", Open: func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		src := bufio.NewReaderSize(in, 128<<10)
		r, p := brotli.NewReader(), make([]byte, 128<<10)
		return func(stored []byte) (int64, error) {
			in.Reset(stored)
			src.Reset(in)
			r.Reset(src)
			return decodebench.Discard(r, p)
		}
	}},
	{Name: "library", Open: func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		r, p := library.NewReader(nil), make([]byte, 128<<10)
		return func(stored []byte) (int64, error) {
			in.Reset(stored)
			r.Reset(in)
			return decodebench.Discard(r, p)
		}
	}},
}
