package zstd_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/zstd"
	"github.com/thaw-go/thaw/internal/testing/chunks"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestChunks gives the same bytes from sources and to readers of pieces of many
// sizes, and leaves what follows a frame where it was.
func TestChunks(t *testing.T) {
	t.Parallel()
	data := bytes.Join([][]byte{corpus.NDJSONBytes(1, 600), corpus.NoiseBytes(2, 140_000), make([]byte, 5000), corpus.BinaryBytes(3, 60_000)}, nil)
	stored := bytes.Join([][]byte{encode(data, true), encode(nil, false), encode(data[:70_000], false)}, nil)
	want := append(bytes.Clone(data), data[:70_000]...)
	f := newFrames()
	for _, in := range []int{1, 7, 4096, 1 << 20} {
		for _, buffer := range []int{16, 5000, 128 << 10} {
			for _, out := range []int{1, 7, 4096, 1 << 20} {
				f.piece = out
				got, err := f.decodeFrom(bufio.NewReaderSize(chunks.Pausing(chunks.Of(bytes.NewReader(stored), in)), buffer))
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("pieces of %d through %d to %d: got %s and %v", in, buffer, out, difference(got, want), err)
				}
				if out == 1 && in != 7 {
					break
				}
			}
		}
	}
}

// TestReader holds the Reader to what io.Reader promises.
func TestReader(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 900)
	blocks := encode(data, false)[6:] // after magic, descriptor and window
	r := zstd.NewReader()
	src := bufio.NewReader(bytes.NewReader(blocks))
	r.Reset(src, 8<<20, nil)
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("empty read: got %d and %v", n, err)
	}
	if err := iotest.TestReader(r, data); err != nil {
		t.Error(err)
	}
	if rest, _ := io.ReadAll(src); len(rest) != 4 {
		t.Errorf("got %d bytes behind the blocks, want the 4 of the checksum", len(rest))
	}
}

// TestNoWait gives the blocks that a source has, and asks for more after that.
func TestNoWait(t *testing.T) {
	t.Parallel()
	stuck := errors.New("asked for more")
	blocks := bytes.Join([][]byte{raw("abc"), raw("def"), {1, 2}}, nil)
	r := zstd.NewReader()
	r.Reset(bufio.NewReader(io.MultiReader(bytes.NewReader(blocks), iotest.ErrReader(stuck))), 1<<10, nil)
	p := make([]byte, 10)
	for _, want := range []string{"abc", "def"} {
		if n, err := r.Read(p); string(p[:n]) != want || err != nil {
			t.Errorf("got %q and %v, want %q", p[:n], err, want)
		}
	}
	for range 2 {
		if n, err := r.Read(p); n != 0 || err != stuck {
			t.Errorf("got %d and %v, want %v", n, err, stuck)
		}
	}
}

// TestAfterError repeats errors and the end, and begins again after a Reset.
func TestAfterError(t *testing.T) {
	t.Parallel()
	good := block(true, isRaw, 3, []byte("abc"))
	r := zstd.NewReader()
	for _, tc := range []struct {
		stored []byte
		want   error
	}{{good, io.EOF}, {good[:2], io.ErrUnexpectedEOF}, {good[:5], io.ErrUnexpectedEOF}, {raw("abc"), io.ErrUnexpectedEOF}, {block(true, 3, 0, nil), fault.Corrupt}, {nil, io.ErrUnexpectedEOF}, {good, io.EOF}} {
		r.Reset(bufio.NewReader(bytes.NewReader(tc.stored)), 1<<10, nil)
		if _, err := io.ReadAll(r); tc.want == io.EOF && err != nil || tc.want != io.EOF && !errors.Is(err, tc.want) {
			t.Errorf("%x: got %v, want %v", tc.stored, err, tc.want)
		}
		for range 3 {
			if n, err := r.Read(make([]byte, 8)); n != 0 || !errors.Is(err, tc.want) {
				t.Errorf("%x: got %d and %v, want %v again", tc.stored, n, err, tc.want)
			}
		}
	}
}
