package codec_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// parts gives one part at each Read.
type parts struct {
	left [][]byte
	err  error // behind the last
}

func (p *parts) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, p.err
	}
	n := copy(b, p.left[0])
	if p.left[0] = p.left[0][n:]; len(p.left[0]) == 0 {
		p.left = p.left[1:]
	}
	return n, nil
}

// TestZstdGivesBlocks: the data of a block comes out before the source is asked for
// what follows it, whatever the window is: a pipe or a slow link may not have more
// for long.
func TestZstdGivesBlocks(t *testing.T) {
	t.Parallel()
	const text = "the data of a block"
	for _, tc := range []struct {
		why    string
		window string // its descriptor
		size   int    // of a block
		blocks int
	}{
		{"a small window", "\x38", len(text), 5},
		{"1 MiB", "\x50", len(text), 5},
		{"just over 1 MiB", "\x51", len(text), 5},
		{"8 MiB", "\x68", len(text), 5},
		{"128 MiB", window128M, len(text), 5},
		{"8 MiB, and more than a block of data", "\x68", 60_000, 40},
		{"8 MiB that are filled", "\x68", 128 << 10, 200},
	} {
		data := strings.Repeat(text, 1+tc.size/len(text))[:tc.size]
		src := &parts{err: io.EOF, left: [][]byte{frame(0, tc.window, block(false, 0, len(data), data))}}
		for range tc.blocks - 1 {
			src.left = append(src.left, block(false, 0, len(data), data))
		}
		src.left = append(src.left, raw(""))
		d, err := lookup(t, "zstd").NewReader(src, new(codec.Options))
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, len(data))
		for n := 1; n <= tc.blocks; n++ {
			if _, err := io.ReadFull(d, p); err != nil || string(p) != data {
				t.Fatalf("%s: block %d: got other data, %v", tc.why, n, err)
			}
			if taken := tc.blocks + 1 - len(src.left); taken != n {
				t.Errorf("%s: block %d came after %d parts of the source", tc.why, n, taken)
			}
		}
		if _, err := d.Read(p); err != io.EOF {
			t.Errorf("%s: got %v, want io.EOF", tc.why, err)
		}
		d.Close()
	}
}

// TestZstdFirstCause: of a frame that states more window than is allowed and that is
// cut, or whose source fails, that is the fault, behind the data before it. The limit
// is one where the frame goes on or needs so much.
func TestZstdFirstCause(t *testing.T) {
	t.Parallel()
	transient := errors.New("a fault of the source that goes by")
	run := bytes.Repeat(block(false, 1, 128<<10, "x"), 2000) // 250 MiB
	for _, tc := range []struct {
		why    string
		stored []byte
		end    error // of the source
		want   error
		data   int
	}{
		{"a header alone", frame(0, "\x90"), io.EOF, io.ErrUnexpectedEOF, 0},
		{"a header of which the source fails", frame(0, "\x90"), transient, transient, 0},
		{"cut in the header of a block", frame(0, "\x90", raw("abc")[:2]), io.EOF, io.ErrUnexpectedEOF, 0},
		{"cut behind a block", frame(0, "\x90", block(false, 0, 3, "abc")), io.EOF, io.ErrUnexpectedEOF, 3},
		{"a source that fails behind a block", frame(0, "\x90", block(false, 0, 3, "abc")), transient, transient, 3},
		{"a whole frame of little data", frame(0, "\x90", raw("abc")), io.EOF, nil, 3},
		{"a whole frame of little data before a fault", frame(0, "\x90", raw("abc")), transient, transient, 3},
		{"a frame that needs as much", frame(0, "\x90", run, raw("")), io.EOF, codec.ErrLimit, 0},
		{"a frame that goes on", frame(0, "\x90", bytes.Repeat(block(false, 0, 99, strings.Repeat("x", 99)), 2000)), io.EOF, codec.ErrLimit, 0},
		{"a frame that needs as much before a fault", frame(0, "\x90", run), transient, transient, 0},
	} {
		for _, whole := range []bool{true, false} {
			src := &parts{err: tc.end, left: [][]byte{tc.stored}}
			if !whole {
				src.left = nil
				for i := range tc.stored {
					src.left = append(src.left, tc.stored[i:i+1])
				}
			}
			d, err := lookup(t, "zstd").NewReader(src, new(codec.Options))
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, struct{ io.Reader }{d})
			if !errors.Is(err, tc.want) || int(n) != tc.data {
				t.Errorf("%s, whole %v: got %d bytes and %v, want %d and %v", tc.why, whole, n, err, tc.data, tc.want)
			}
			d.Close()
		}
	}
}
