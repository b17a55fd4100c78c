package chunks_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/thaw-go/thaw/internal/testing/chunks"
)

// sizes are how many bytes each call returns, until the end.
func sizes(r io.Reader) (all []int) {
	p := make([]byte, 100)
	for {
		n, err := r.Read(p)
		if err != nil {
			return all
		}
		all = append(all, n)
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		wrap func(io.Reader, int) io.Reader
		want []int
	}{
		{"at most so many a call", chunks.Of, []int{3, 3, 3, 1}},
		{"nothing in every second call", func(r io.Reader, n int) io.Reader { return chunks.Pausing(chunks.Of(r, n)) }, []int{0, 3, 0, 3, 0, 3, 0, 1, 0}},
		{"one more each time", chunks.Growing, []int{1, 2, 3, 1, 2, 1}},
	} {
		if got := sizes(tc.wrap(bytes.NewReader(make([]byte, 10)), 3)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestSources: each delivers all bytes, to reads of any size.
func TestSources(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0123456789"), 1000)
	for _, s := range chunks.Sources {
		for _, size := range []int{1, 7, 4096} {
			if got, err := chunks.ReadAll(s.Open(data), size); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s, reads of %d: got %d bytes and %v, want %d", s.Name, size, len(got), err, len(data))
			}
		}
	}
}
