package xz_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/xz"
)

// open decodes a unit.
func open(u xz.Unit, stored []byte) ([]byte, error) {
	r := xz.Reader{Limit: 1 << 20}
	src := bufio.NewReader(bytes.NewReader(stored[u.Offset : u.Offset+u.Size]))
	var err error
	if u.State == nil {
		src.Discard(len(xz.Magic))
		err = r.Begin(src)
	} else {
		err = r.Resume(src, u.State)
	}
	if err != nil {
		return nil, err
	}
	return drain(&r)
}

func TestUnits(t *testing.T) {
	t.Parallel()
	a := stream(t, xz.CRC32, block{data: ice}, block{data: water, sizes: true}, block{data: ice})
	b := stream(t, xz.CRC64, block{data: water})
	empty := stream(t, xz.None)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	pad := make([]byte, 8)
	three := append(both(), ice...)
	for _, c := range []struct {
		name   string
		stored []byte
		units  int
		want   []byte
	}{
		{"nothing", nil, 0, nil},
		{"one block", b, 1, water},
		{"three blocks", a, 3, three},
		{"padding", join(a, pad), 3, three},
		{"three streams and padding", join(b, pad, empty, a, pad), 5, join(water, three)},
		{"empty last stream", join(a, b, empty), 5, join(three, water)},
	} {
		var at int64
		var got []byte
		n := 0
		for u, err := range xz.Units(bytes.NewReader(c.stored), int64(len(c.stored))) {
			if err != nil {
				t.Fatalf("%s: got %v", c.name, err)
			}
			if u.Offset != at {
				t.Errorf("%s: got unit at %d, want %d", c.name, u.Offset, at)
			}
			at += u.Size
			n++
			data, err := open(u, c.stored)
			if err != nil || u.Decoded != int64(len(data)) {
				t.Errorf("%s: unit %d: got %d bytes and %v, want %d", c.name, n, len(data), err, u.Decoded)
			}
			got = append(got, data...)
		}
		if n != c.units || at != int64(len(c.stored)) || !bytes.Equal(got, c.want) {
			t.Errorf("%s: got %d units, %d stored, %d bytes; want %d, %d, %d",
				c.name, n, at, len(got), c.units, len(c.stored), len(c.want))
		}
	}
}

// TestUnitsDamaged: whatever is flipped or cut, Units ends, and when all units
// decode, they give the right bytes.
func TestUnitsDamaged(t *testing.T) {
	t.Parallel()
	stored := stream(t, xz.CRC32, block{data: ice}, block{data: water})
	try := func(what string, at int, b []byte) {
		var got []byte
		for u, err := range xz.Units(bytes.NewReader(b), int64(len(b))) {
			var data []byte
			if err == nil {
				data, err = open(u, b)
			}
			if err != nil {
				var f *fault.Error
				if err != io.ErrUnexpectedEOF && !errors.As(err, &f) {
					t.Errorf("%s at %d: got %v", what, at, err)
				}
				return
			}
			got = append(got, data...)
		}
		if !bytes.Equal(got, both()) {
			t.Errorf("%s at %d: got other bytes and no error", what, at)
		}
	}
	for n := 1; n < len(stored); n++ {
		try("cut", n, stored[:n])
	}
	for bit := range 8 * len(stored) {
		b := bytes.Clone(stored)
		b[bit/8] ^= 1 << (bit % 8)
		try("bit flipped", bit, b)
	}
}
