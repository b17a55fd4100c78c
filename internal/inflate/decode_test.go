package inflate_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/internal/inflate"
)

var errCorrupt = inflate.ErrCorrupt

// cause is what an error wraps.
func cause(err error) error {
	if e, ok := errors.AsType[*inflate.Error](err); ok {
		return e.Err
	}
	return err
}

// decode reads data whole, through a Reader, and tells what of it was consumed.
func decode(data []byte) (out []byte, consumed int64, err error) {
	r := inflate.NewReader(bufio.NewReader(bytes.NewReader(data)))
	out, err = io.ReadAll(r)
	return out, r.Consumed(), err
}

// check compares what decode gives with the oracle.
func check(t *testing.T, data []byte) {
	t.Helper()
	want, used, wantErr := oracle(data, nil)
	got, consumed, err := decode(data)
	if !bytes.Equal(got, want) || cause(err) != wantErr {
		t.Fatalf("got %d bytes and %v, want %d and %v; first difference at %d; input %x",
			len(got), err, len(want), wantErr, difference(got, want), data[:min(len(data), 200)])
	}
	switch wantErr {
	case nil:
		if want := int64(used+7) / 8; consumed != want {
			t.Fatalf("got %d bytes consumed, want %d", consumed, want)
		}
	case io.ErrUnexpectedEOF:
		if consumed != int64(len(data)) {
			t.Fatalf("got %d bytes consumed, want all %d", consumed, len(data))
		}
	}
	if e, ok := errors.AsType[*inflate.Error](err); ok {
		if at := e.Offset*8 + int64(e.Bit); e.Decoded != int64(len(got)) || at < 0 || at > int64(len(data))*8 ||
			errors.Is(err, errCorrupt) && at > int64(used) {
			t.Fatalf("got %v after %d bytes, want offsets within %d bits", e, len(got), used)
		}
	}
}

func difference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// sources give the same bytes in different pieces.
var sources = []struct {
	name string
	open func(data []byte) io.Reader
	size int // of the buffer
}{
	{"whole", func(b []byte) io.Reader { return bytes.NewReader(b) }, 1 << 20},
	{"smallest buffer", func(b []byte) io.Reader { return bytes.NewReader(b) }, 16},
	{"buffer of 37", func(b []byte) io.Reader { return bytes.NewReader(b) }, 37},
	{"one byte", func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) }, 16},
	{"one byte, large buffer", func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) }, 4096},
	{"half", func(b []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(b)) }, 4096},
	{"data with EOF", func(b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) }, 4096},
	{"pieces of 1 to 31", func(b []byte) io.Reader { return &pieces{b: b, max: 31} }, 64},
	{"empty reads between", func(b []byte) io.Reader { return &pieces{b: b, max: 1000, idle: true} }, 4096},
}

// pieces gives 1, 2, 3 … max, 1, 2 … bytes, with empty reads between if idle.
type pieces struct {
	b         []byte
	n, max    int
	idle, gap bool
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	if p.gap = !p.gap; p.idle && p.gap {
		return 0, nil
	}
	p.n = p.n%p.max + 1
	n := copy(b, p.b[:min(p.n, len(p.b))])
	p.b = p.b[n:]
	return n, nil
}
