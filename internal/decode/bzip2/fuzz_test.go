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

// FuzzReader holds Reader to compress/bzip2: what that takes, this takes with the
// same bytes, and the other way round. Data before a checksum error may differ:
// compress/bzip2 reads prefix codes with unused room unlike bzip2 does.
func FuzzReader(f *testing.F) {
	for _, data := range inputs {
		if len(data) < 3000 {
			f.Add(corpus.Bzip2{}.Encode(data))
			f.Add(corpus.Bzip2{Level: 1, Trees: 2}.Encode(data))
		}
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		const most = 1 << 20 // a few bytes may stand for hundreds of MB
		src := bufio.NewReader(bytes.NewReader(stored))
		var z bzip2.Reader
		z.Reset(src)
		got, err := io.ReadAll(io.LimitReader(&z, most))
		end := len(stored)
		if len(got) < most && err == nil {
			rest, _ := io.ReadAll(src)
			end -= len(rest)
		}
		want, stdErr := io.ReadAll(io.LimitReader(std.NewReader(bytes.NewReader(stored[:end])), most))
		if len(got) == most || len(want) == most {
			return
		}
		if (err == nil) != (stdErr == nil) {
			t.Fatalf("got %v, compress/bzip2 got %v", err, stdErr)
		}
		if err == nil && !bytes.Equal(got, want) {
			t.Fatalf("got %d bytes, compress/bzip2 got %d others", len(got), len(want))
		}
	})
}

// FuzzEncode holds Reader to the encoder: every stream that can be made comes
// back, randomised ones too.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("aaaaaaaab"), uint8(1), uint8(0), true)
	f.Fuzz(func(t *testing.T, data []byte, level, trees uint8, randomised bool) {
		o := corpus.Bzip2{Level: int(level%9) + 1, Trees: int(trees%5) + 2, Randomised: randomised}
		got, rest, err := decode(o.Encode(data))
		if err != nil || !bytes.Equal(got, data) || len(rest) > 0 {
			t.Fatalf("got %d bytes, %d left and %v, want %d bytes", len(got), len(rest), err, len(data))
		}
	})
}
