package zstd_test

import (
	"bytes"
	"testing"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// FuzzFrame decodes any bytes, and gives what the library does.
func FuzzFrame(f *testing.F) {
	for _, stored := range append(small(false), small(true)...) {
		f.Add(stored)
	}
	f.Add(frame(raw("abcd"), packed(rawLiterals("e"), runs(1, 1, 0, 0, ""))))
	f.Add(frame(raw("abcdefgh"), packed(rawLiterals(""), runs(1, 0, 1, 0, "0"))))
	f.Add(single(12, packed(rawLiterals("ab"), runs(2, 1, 2, 2, "0001"))))
	f.Add(single(40, packed(rawLiterals("abcd"), runs(4, 1, 2, 3, "00011011"))))
	f.Add(encode(bytes.Repeat(corpus.NDJSONBytes(6, 3), 30), false, kzstd.WithEncoderCRC(false), kzstd.WithWindowSize(1<<10)))
	own, library := newFrames(), newLibrary()
	own.limit = 1 << 20
	f.Fuzz(func(t *testing.T, stored []byte) {
		compare(t, own, library, stored)
	})
}

// FuzzEncoded decodes what an encoder makes of any text.
func FuzzEncoded(f *testing.F) {
	f.Add([]byte("a text, a text, a text"), uint8(1), uint8(0))
	f.Add(corpus.NDJSONBytes(1, 8), uint8(3), uint8(2))
	f.Add(corpus.BinaryBytes(1, 5000), uint8(2), uint8(1))
	own := newFrames()
	f.Fuzz(func(t *testing.T, text []byte, level, window uint8) {
		stored := encode(text, level%2 == 0, kzstd.WithEncoderLevel(kzstd.EncoderLevel(1+level%4)), kzstd.WithWindowSize(1<<(10+window%8)))
		got, err := own.decode(stored)
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("got %s and %v", difference(got, text), err)
		}
	})
}
