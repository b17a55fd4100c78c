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
	"github.com/thaw-go/thaw/internal/corpus"
)

func encodeBrotli(data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) })
}

func TestBrotliConformance(t *testing.T) {
	t.Parallel()
	codectest.Run(t, lookup(t, "brotli"), codectest.Format{Encode: encodeBrotli})
}

// The library reads ahead: what lies behind the stream must not be claimed,
// wherever its reads end.
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

// The library takes a window for what was decoded and for what the current
// meta-block claims, which is 16 MiB at most; so much can a lie cost.
func TestBrotliMemory(t *testing.T) {
	c := lookup(t, "brotli")
	cases := []struct {
		name   string
		stored []byte
		most   uint64
	}{
		{"five bytes in a window of 16 MiB", written([]byte("small"), func(w io.Writer) io.WriteCloser {
			return brotli.NewWriterOptions(w, brotli.WriterOptions{LGWin: 24})
		}), 1 << 20},
		{"window of 128 MiB, block of 16 MiB of which three bytes are there", []byte("\x11\x1b\xff\xff\xff\x03abc"), 17 << 20},
	}
	for _, c2 := range cases {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := decodeTo(io.Discard, c, c2.stored, nil)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > c2.most {
			t.Errorf("%s: got %d bytes allocated (and %v), want at most %d", c2.name, got, err, c2.most)
		}
	}
}

// FuzzBrotli holds the codec to the library that it stands on.
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
		want, refErr := io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(stored)), most+1))
		if errors.Is(err, codec.ErrLimit) {
			return
		}
		// At damage, more may come out of small steps than of the library's own.
		if (err == nil) != (refErr == nil) || !bytes.HasPrefix(got.Bytes(), want) || err == nil && got.Len() > len(want) {
			t.Fatalf("got %d bytes and %v, the library %d and %v", got.Len(), err, len(want), refErr)
		}
	})
}
