package zstd_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"testing"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/decodebench"
)

// BenchmarkDecode compares the Reader and the library, set as package codec sets
// it, on frames without a checksum. Data is what the tool zstd makes, if it is
// installed, else what the library does.
func BenchmarkDecode(b *testing.B) {
	for _, s := range []struct {
		name string
		data []byte
	}{
		{"ndjson", corpus.NDJSONBytes(1, 70_000)},
		{"source", decodebench.GoSources(16 << 20)},
		{"binary", corpus.BinaryBytes(1, 16<<20)},
		{"program", decodebench.Program(16 << 20)},
		{"small", corpus.NDJSONBytes(1, 2)},
	} {
		if len(s.data) == 0 {
			continue
		}
		for _, level := range []int{3, 19} {
			name := fmt.Sprintf("data=%s/level=%d", s.name, level)
			decodebench.Decoders(b, name, stored(b, s.data, level), len(s.data), impls)
		}
	}
}

// impls open decoders that are reset for every file and read in pieces of 128 KiB.
var impls = []decodebench.Decoder{
	{Name: "own", Open: func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		src := bufio.NewReaderSize(in, 128<<10)
		f, p := newFrames(), make([]byte, 128<<10)
		return func(data []byte) (n int64, err error) {
			in.Reset(data)
			src.Reset(in)
			f.each = func() error {
				k, err := decodebench.Discard(f.r, p)
				n += k
				return err
			}
			_, err = f.frame(nil, src)
			return n, err
		}
	}},
	{Name: "klauspost", Open: func() func([]byte) (int64, error) {
		in := bytes.NewReader(nil)
		r, err := kzstd.NewReader(nil, kzstd.WithDecoderConcurrency(1), kzstd.WithDecoderMaxWindow(1<<30))
		if err != nil {
			panic(err)
		}
		p := make([]byte, 128<<10)
		return func(data []byte) (int64, error) {
			in.Reset(data)
			if err := r.Reset(struct{ io.Reader }{in}); err != nil {
				return 0, err
			}
			return decodebench.Discard(r, p)
		}
	}},
}

// stored is data compressed without a checksum.
func stored(b *testing.B, data []byte, level int) []byte {
	if _, err := exec.LookPath("zstd"); err == nil {
		return tool(b, data, fmt.Sprint("-", level), "--no-check")
	}
	return encode(data, false, kzstd.WithEncoderLevel(kzstd.EncoderLevelFromZstd(level)), kzstd.WithEncoderCRC(false))
}
