package codec_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/codec"
)

// unframe decodes all of src and returns what came before the error. The error is
// nil for a clean end.
func unframe(t testing.TB, name string, src io.Reader, opts *codec.Options) ([]byte, error) {
	t.Helper()
	if opts == nil {
		opts = &codec.Options{}
	}
	d, err := lookup(t, name).NewReader(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	data, err := io.ReadAll(d)
	if _, again := d.Read(make([]byte, 1)); err != nil && again != err || err == nil && again != io.EOF {
		t.Errorf("second error: got %v, want %v", again, err)
	}
	var e *codec.Error
	switch {
	case err != nil && !errors.As(err, &e):
		t.Errorf("got error %v of type %T, want *codec.Error", err, err)
	case err != nil && (e.Codec != name || e.DecodedOffset != int64(len(data))):
		t.Errorf("got error %+v, want codec %s and %d decoded bytes", e, name, len(data))
	}
	return data, err
}

// framing is a vector that must decode to data.
type framing struct {
	name, codec  string
	stored, data []byte

	// ends are the lengths at which a cut is a legal end of a shorter object,
	// with what it decodes to.
	ends map[int][]byte

	// summed says that a checksum covers all data.
	summed bool
}

// checkFraming demands the data for every way of reading, an error for every cut
// that is no end, and for summed vectors an error or the same data for every bit
// that flips.
func checkFraming(t *testing.T, v framing) {
	t.Helper()
	for how, src := range map[string]io.Reader{
		"whole":    bytes.NewReader(v.stored),
		"one byte": iotest.OneByteReader(bytes.NewReader(v.stored)),
		"half":     iotest.HalfReader(bytes.NewReader(v.stored)),
		"data err": iotest.DataErrReader(bytes.NewReader(v.stored)),
		"small":    codec.NewInput(bytes.NewReader(v.stored), 16),
	} {
		data, err := unframe(t, v.codec, src, nil)
		if err != nil || !bytes.Equal(data, v.data) {
			t.Errorf("%s: got %d bytes, error %v; want %d bytes", how, len(data), err, len(v.data))
		}
	}
	if err := iotest.TestReader(open(t, v.codec, v.stored), v.data); err != nil {
		t.Error(err)
	}
	d := open(t, v.codec, nil)
	again := func(stored []byte) ([]byte, error) {
		if err := d.Reset(bytes.NewReader(stored)); err != nil {
			t.Fatal(err)
		}
		return io.ReadAll(d)
	}
	for n := 0; n < len(v.stored); n++ {
		data, err := again(v.stored[:n])
		if want, legal := v.ends[n]; legal {
			if err != nil || !bytes.Equal(data, want) {
				t.Errorf("cut at %d of %d: got %d bytes, error %v; want %d bytes", n, len(v.stored), len(data), err, len(want))
			}
			continue
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d of %d: got error %v, want %v", n, len(v.stored), err, io.ErrUnexpectedEOF)
		}
		if !bytes.HasPrefix(v.data, data) {
			t.Errorf("cut at %d of %d: got other data", n, len(v.stored))
		}
	}
	if !v.summed {
		return
	}
	for bit := range 8 * len(v.stored) {
		bad := slices.Clone(v.stored)
		bad[bit/8] ^= 1 << (bit % 8)
		data, err := again(bad)
		if err == nil && !bytes.Equal(data, v.data) {
			t.Errorf("bit %d of byte %d of %d flipped: got %d other bytes and a clean end", bit%8, bit/8, len(v.stored), len(data))
		}
	}
}

func open(t testing.TB, name string, stored []byte) codec.Decoder {
	t.Helper()
	d, err := lookup(t, name).NewReader(bytes.NewReader(stored), &codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// checkUnits demands that the units of stored cover it without gaps and decode on
// their own to data.
func checkUnits(t *testing.T, name string, stored, data []byte, want int) {
	t.Helper()
	var end int64
	var got []byte
	units := 0
	for u, err := range lookup(t, name).Split(bytes.NewReader(stored), int64(len(stored))) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Offset != end {
			t.Fatalf("unit %d: got offset %d, want %d", units, u.Offset, end)
		}
		src := bytes.NewReader(stored[u.Offset : u.Offset+u.Size])
		var part []byte
		if u.State == nil {
			part, err = unframe(t, name, src, nil)
		} else {
			var d codec.Decoder
			d, err = lookup(t, name).Restart(src, codec.Point{Stored: u.Offset, Decoded: int64(len(got)), State: u.State}, &codec.Options{})
			if err == nil {
				part, err = io.ReadAll(d)
			}
		}
		if err != nil {
			t.Fatalf("unit at %d: %v", u.Offset, err)
		}
		if u.Decoded >= 0 && u.Decoded != int64(len(part)) {
			t.Errorf("unit %d: got %d decoded bytes, %d announced", units, len(part), u.Decoded)
		}
		got = append(got, part...)
		end = u.Offset + u.Size
		units++
	}
	if units != want || end != int64(len(stored)) || !bytes.Equal(got, data) {
		t.Errorf("got %d units to offset %d with %d bytes; want %d to %d with %d", units, end, len(got), want, len(stored), len(data))
	}
}
