package codec_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

func encodeBrotli(data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) })
}

func TestBrotliConformance(t *testing.T) {
	t.Parallel()
	codectest.Run(t, lookup(t, "brotli"), codectest.Format{Encode: encodeBrotli})
}

// What lies behind the stream is not claimed, wherever the stream ends in the
// buffer of the source.
func TestBrotliEndIsExact(t *testing.T) {
	t.Parallel()
	c := lookup(t, "brotli")
	for _, size := range []int{0, 1, 50, 32<<10 - 9, 32 << 10, 32<<10 + 9, 200_000} {
		data := corpus.NoiseBytes(1, size)
		stored := encodeBrotli(data)
		for behind := range 12 {
			d, err := c.NewReader(bytes.NewReader(append(bytes.Clone(stored), make([]byte, behind)...)), &codec.Options{IgnoreTrailing: true})
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(d)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes, %d behind: got %d bytes and %v", size, behind, len(got), err)
			}
			if at, n := codec.Trailing(d); behind > 0 && at != int64(len(stored)) || n != int64(behind) {
				t.Fatalf("%d bytes: got %d bytes behind at %d, want %d at %d", size, n, at, behind, len(stored))
			}
			d.Close()
		}
	}
}

func TestBrotliWindows(t *testing.T) {
	t.Parallel()
	c := lookup(t, "brotli")
	cases := []struct {
		name string
		head string
		want int64
		err  error
	}{
		{"nothing", "", 0, io.ErrUnexpectedEOF},
		{"16 bits, the short code", "\x06", 1 << 16, nil},
		{"17 bits", "\x01", 1 << 17, nil},
		{"18 bits", "\x03", 1 << 18, nil},
		{"24 bits", "\x0f", 1 << 24, nil},
		{"10 bits", "\x21", 1 << 10, nil},
		{"15 bits", "\x71", 1 << 15, nil},
		{"large, size not there yet", "\x11", 0, io.ErrUnexpectedEOF},
		{"large, 30 bits", "\x11\x1e", 1 << 30, nil},
		{"large, 31 bits", "\x11\x1f", 0, codec.ErrCorrupt},
		{"large, 9 bits", "\x11\x09", 0, codec.ErrCorrupt},
		{"reserved", "\x91\x1e", 0, codec.ErrCorrupt},
	}
	for _, c2 := range cases {
		needs, err := c.Requires([]byte(c2.head))
		if needs.Window != c2.want || !errors.Is(err, c2.err) {
			t.Errorf("%s: got window %d and %v, want %d and %v", c2.name, needs.Window, err, c2.want, c2.err)
		}
	}
}

func TestBrotliLargeWindowIsRefusedFromTheHeader(t *testing.T) {
	t.Parallel()
	var limit *codec.LimitError
	err := decodeTo(io.Discard, lookup(t, "brotli"), []byte("\x11\x1e and what follows"), nil)
	if !errors.As(err, &limit) || limit.Needed != 1<<30 || limit.Allowed != codec.DefaultMaxWindow {
		t.Errorf("got %v, want a limit of %d where %d are needed", err, codec.DefaultMaxWindow, 1<<30)
	}
}

// A reader of the library that took this cut stream for a whole one is known.
func TestBrotliCutOfFiveBytes(t *testing.T) {
	t.Parallel()
	err := decodeTo(io.Discard, lookup(t, "brotli"), []byte("\x8b\xff\x8f\x4d\x3b"), nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// What a stream claims costs nothing.
func TestBrotliMemory(t *testing.T) {
	c := lookup(t, "brotli")
	cases := []struct {
		name   string
		stored []byte
	}{
		{"five bytes in a window of 16 MiB", written([]byte("small"), func(w io.Writer) io.WriteCloser {
			return brotli.NewWriterOptions(w, brotli.WriterOptions{LGWin: 24})
		})},
		{"window of 128 MiB, block of 16 MiB of which three bytes are there", []byte("\x11\x1b\xff\xff\xff\x03abc")},
	}
	for _, c2 := range cases {
		const most = 512 << 10 // the Input's buffer is a part of it
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := decodeTo(io.Discard, c, c2.stored, nil)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s: got %d bytes allocated (and %v), want at most %d", c2.name, got, err, most)
		}
	}
}

// What is decoded before damage comes out, however late in a block that is.
func TestBrotliDataBeforeFault(t *testing.T) {
	t.Parallel()
	data := corpus.NDJSONBytes(1, 2000)
	stored := encodeBrotli(data)
	stored = append(stored[:len(stored)/2:len(stored)/2], bytes.Repeat([]byte{0xff}, 100)...)
	var got bytes.Buffer
	err := decodeTo(&got, lookup(t, "brotli"), stored, nil)
	if err == nil || got.Len() < len(data)/4 || !bytes.HasPrefix(data, got.Bytes()[:len(data)/4]) {
		t.Errorf("got %d bytes and %v, want a quarter of %d and more, and an error", got.Len(), err, len(data))
	}
}

// FuzzBrotli holds the codec to a library.
func FuzzBrotli(f *testing.F) {
	for _, data := range [][]byte{nil, []byte("x"), corpus.NDJSONBytes(1, 3)} {
		f.Add(encodeBrotli(data), uint8(0))
	}
	f.Fuzz(func(t *testing.T, stored []byte, behind uint8) {
		const most = 1 << 20
		var got bytes.Buffer
		stored = append(stored, make([]byte, behind%16)...)
		err := decodeTo(&got, lookup(t, "brotli"), stored, &codec.Options{MaxDecoded: most, MaxWindow: 1 << 24})
		checkTyped(t, err)
		ref := brotli.NewReaderOptions(bytes.NewReader(stored), brotli.ReaderOptions{LargeWindow: true})
		want, refErr := io.ReadAll(io.LimitReader(ref, most+1))
		if errors.Is(err, codec.ErrLimit) {
			return
		}
		// At damage, the library drops what it decoded since it was last given bytes.
		if (err == nil) != (refErr == nil) || !bytes.HasPrefix(got.Bytes(), want) || err == nil && got.Len() > len(want) {
			t.Fatalf("got %d bytes and %v, the library %d and %v", got.Len(), err, len(want), refErr)
		}
	})
}
