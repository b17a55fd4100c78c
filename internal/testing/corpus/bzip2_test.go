package corpus_test

import (
	"bytes"
	"compress/bzip2"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func TestBzip2RoundTrip(t *testing.T) {
	t.Parallel()
	inputs := map[string][]byte{
		"empty":         nil,
		"one byte":      []byte("a"),
		"run of 3":      []byte("aaa"),
		"run of 4":      []byte("aaaa"),
		"run of 259":    bytes.Repeat([]byte("a"), 259),
		"run of 260":    bytes.Repeat([]byte("a"), 260),
		"periodic":      bytes.Repeat([]byte("abab"), 300),
		"two blocks":    corpus.NDJSONBytes(1, 1000)[:150_000],
		"all bytes":     corpus.NoiseBytes(1, 5000),
		"zeros, blocks": make([]byte, 6_000_000),
	}
	options := []corpus.Bzip2{{}, {Level: 1}, {Level: 1, Trees: 2}, {Level: 1, Trees: 3}}
	for name, data := range inputs {
		for _, o := range options {
			stored := o.Encode(data)
			got, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(stored)))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s by %+v: got %d bytes and %v, want %d bytes", name, o, len(got), err, len(data))
			}
		}
	}
}
