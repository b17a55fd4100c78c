package inflate_test

import (
	"bufio"
	"bytes"
	cflate "compress/flate"
	"errors"
	"io"
	"testing"

	kflate "github.com/klauspost/compress/flate"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/inflate"
)

var (
	errCorrupt   = fault.Corrupt
	errTruncated = io.ErrUnexpectedEOF
)

// cause is what an error wraps.
func cause(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Kind
	}
	if e, ok := errors.AsType[*inflate.Error](err); ok {
		return e.Err
	}
	return err
}

// decoders are this package's Reader and the references, used again and again.
type decoders struct {
	src       *bufio.Reader
	own       *inflate.Reader
	std, klau io.ReadCloser
	buf       bytes.Buffer
}

func newDecoders() *decoders {
	d := &decoders{src: bufio.NewReader(nil), std: cflate.NewReader(nil), klau: kflate.NewReader(nil)}
	d.own = inflate.NewReader(d.src)
	return d
}

// decode reads data whole and tells what of it was consumed. out is valid until
// the next call.
func (d *decoders) decode(data []byte) (out []byte, consumed int64, err error) {
	d.src.Reset(bytes.NewReader(data))
	d.own.Reset(d.src)
	d.buf.Reset()
	_, err = d.buf.ReadFrom(d.own)
	return d.buf.Bytes(), d.own.Consumed(), err
}

// check compares what decode gives with the oracle, then with the references.
func (d *decoders) check(t *testing.T, data []byte) {
	t.Helper()
	want, used, wantErr := oracle(data, nil)
	got, consumed, err := d.decode(data)
	if !bytes.Equal(got, want) || cause(err) != wantErr {
		t.Fatalf("got %d bytes and %v, want %d and %v; first difference at %d; input %x",
			len(got), err, len(want), wantErr, difference(got, want), data)
	}
	switch wantErr {
	case nil:
		if want := int64(used+7) / 8; consumed != want {
			t.Fatalf("got %d bytes consumed, want %d; input %x", consumed, want, data)
		}
	case io.ErrUnexpectedEOF:
		if consumed != int64(len(data)) {
			t.Fatalf("got %d bytes consumed, want all %d; input %x", consumed, len(data), data)
		}
	}
	if e, ok := errors.AsType[*inflate.Error](err); ok {
		if at := e.Offset*8 + int64(e.Bit); e.Decoded != int64(len(got)) || at < 0 || at > int64(len(data))*8 ||
			errors.Is(err, errCorrupt) && at > int64(used) {
			t.Fatalf("got %v after %d bytes, want offsets within %d bits; input %x", e, len(got), used, data)
		}
	}
	d.references(t, data, got, consumed, cause(err))
}

// references compares what decode gave with compress/flate, and with klauspost's
// flate for streams without a fault: for a code without symbols that one takes
// the table of an earlier code.
//
// compress/flate asks for as many bits as the code of the block's end has before
// it looks at the next symbol, so at the end of cut data it may stop a few
// symbols earlier, and call truncated what a symbol there shows to be corrupt.
func (d *decoders) references(t *testing.T, data, got []byte, consumed int64, err error) {
	t.Helper()
	src := bytes.NewReader(data)
	d.std.(cflate.Resetter).Reset(src, nil)
	want, wantErr := io.ReadAll(d.std)
	if _, ok := errors.AsType[cflate.CorruptInputError](wantErr); ok {
		wantErr = errCorrupt
	}
	if wantErr == errTruncated {
		if err != errTruncated && err != errCorrupt || !bytes.HasPrefix(got, want) {
			t.Fatalf("got %d bytes and %v, compress/flate has %d and %v; input %x", len(got), err, len(want), wantErr, data)
		}
		return
	}
	if !bytes.Equal(got, want) || err != wantErr {
		t.Fatalf("got %d bytes and %v, compress/flate has %d and %v; input %x", len(got), err, len(want), wantErr, data)
	}
	if err != nil {
		return
	}
	if want := int64(len(data) - src.Len()); consumed != want {
		t.Fatalf("got %d bytes consumed, compress/flate has %d; input %x", consumed, want, data)
	}
	d.klau.(kflate.Resetter).Reset(bytes.NewReader(data), nil)
	want, wantErr = io.ReadAll(d.klau)
	if !bytes.Equal(got, want) || wantErr != nil {
		t.Fatalf("got %d bytes, klauspost has %d and %v; input %x", len(got), len(want), wantErr, data)
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
