package brotli_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	library "github.com/andybalholm/brotli"

	"github.com/thaw-go/thaw/internal/decode/brotli"
	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/testing/chunks"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestChunks gives the same bytes from sources and to readers of pieces of many
// sizes, and leaves what follows a stream where it was.
func TestChunks(t *testing.T) {
	t.Parallel()
	data := samples()["mixed"]
	for _, quality := range []int{5, 9} {
		for _, window := range []int{10, 17} {
			stored := append(encode(data, quality, window), "behind"...)
			r := brotli.NewReader()
			for _, in := range []int{1, 7, 33, 4096, 1 << 20} {
				for _, buffer := range []int{16, 5000, 128 << 10} {
					for _, out := range []int{1, 7, 4096, 1 << 20} {
						if (in == 1) != (buffer == 16) || out == 1 && in != 33 {
							continue
						}
						src := bufio.NewReaderSize(chunks.Pausing(chunks.Of(bytes.NewReader(stored), in)), buffer)
						r.Reset(src)
						got, err := chunks.ReadAll(r, out)
						rest, _ := io.ReadAll(src)
						if err != nil || !bytes.Equal(got, data) || string(rest) != "behind" {
							t.Errorf("quality %d, window %d, pieces of %d through %d to %d: got %s and %v, and %q left", quality, window, in, buffer, out, difference(got, data), err, rest)
						}
					}
				}
			}
		}
	}
}

// TestReader holds the Reader to what io.Reader promises.
func TestReader(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 900)
	r := brotli.NewReader()
	r.Reset(bufio.NewReader(bytes.NewReader(encode(data, 5, 0))))
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("empty read: got %d and %v", n, err)
	}
	if err := iotest.TestReader(r, data); err != nil {
		t.Error(err)
	}
}

// TestNoWait: of a stream that its encoder flushed, all comes out before more is
// asked for.
func TestNoWait(t *testing.T) {
	t.Parallel()
	stuck := errors.New("asked for more")
	for _, data := range [][]byte{[]byte("a"), corpus.NDJSONBytes(1, 3), corpus.NDJSONBytes(1, 800), corpus.NoiseBytes(1, 70_000)} {
		for _, buffer := range []int{16, 4096, 1 << 20} {
			r := brotli.NewReader()
			r.Reset(bufio.NewReaderSize(io.MultiReader(bytes.NewReader(flushed(data)), iotest.ErrReader(stuck)), buffer))
			if got, err := io.ReadAll(r); !bytes.Equal(got, data) || err != stuck {
				t.Errorf("through %d: got %s and %v, want %v", buffer, difference(got, data), err, stuck)
			}
			if n, err := r.Read(make([]byte, 8)); n != 0 || err != stuck {
				t.Errorf("got %d and %v, want %v again", n, err, stuck)
			}
		}
	}
}

// flushed is what an encoder has written of data before it is closed.
func flushed(data []byte) []byte {
	var b bytes.Buffer
	w := library.NewWriterLevel(&b, 5)
	w.Write(data)
	w.Flush()
	return b.Bytes()
}

// TestAfterError repeats errors and the end, and begins again after a Reset.
func TestAfterError(t *testing.T) {
	t.Parallel()
	good := encode([]byte("abc"), 5, 0)
	r := brotli.NewReader()
	for _, tc := range []struct {
		stored []byte
		want   error
	}{{good, io.EOF}, {good[:2], io.ErrUnexpectedEOF}, {[]byte{0x91, 0}, fault.Corrupt}, {nil, io.ErrUnexpectedEOF}, {good, io.EOF}, {wordStream(4, 0, 121, 4), fault.Corrupt}, {good, io.EOF}} {
		r.Reset(bufio.NewReader(bytes.NewReader(tc.stored)))
		if got, err := io.ReadAll(r); tc.want == io.EOF && (err != nil || string(got) != "abc") || tc.want != io.EOF && !errors.Is(err, tc.want) {
			t.Errorf("%x: got %q and %v, want %v", tc.stored, got, err, tc.want)
		}
		for range 3 {
			if n, err := r.Read(make([]byte, 8)); n != 0 || !errors.Is(err, tc.want) {
				t.Errorf("%x: got %d and %v, want %v again", tc.stored, n, err, tc.want)
			}
		}
	}
}

// TestResets begins again in the middle of streams, with other windows.
func TestResets(t *testing.T) {
	t.Parallel()
	data := samples()["mixed"]
	r := brotli.NewReader()
	for i := 0; i < 24; i += 2 {
		n := min(len(data), 1<<i)
		stored := encode(data[:n], 1+i%9, 10+i*7%15)
		r.Reset(bufio.NewReader(bytes.NewReader(stored)))
		io.CopyN(io.Discard, r, int64(n/2))
		r.Reset(bufio.NewReader(bytes.NewReader(stored)))
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data[:n]) {
			t.Errorf("%d bytes: got %s and %v", n, difference(got, data[:n]), err)
		}
	}
}
