package seek_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
)

// indexForm writes the stored form by hand: numbers, texts and bytes in order,
// between magic and checksum.
func indexForm(fields ...any) []byte {
	b := []byte("\x89thawidx\x01")
	for _, f := range fields {
		switch f := f.(type) {
		case int:
			b = binary.AppendUvarint(b, uint64(f))
		case string:
			b = binary.AppendUvarint(b, uint64(len(f)))
			b = append(b, f...)
		case []byte:
			b = append(b, f...)
		}
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func TestReadIndex(t *testing.T) {
	t.Parallel()
	good := indexForm("gzip", "v7", 900, 5000, 1000, 2, 300, 2000, 0, 200, 1500, 3, "abc")
	later := bytes.Clone(good)
	later[8] = 2
	packed := encodeDeflate(bytes.Repeat([]byte("state "), 100))
	for _, tc := range []struct {
		why    string
		form   []byte
		points []codec.Point
		want   error
	}{
		{"two points", good, []codec.Point{{Stored: 300, Decoded: 2000}, {Stored: 500, Decoded: 3500, State: []byte("abc")}}, nil},
		{"a packed state", indexForm("gzip", "", 900, 5000, 1000, 1, 300, 2000, 600, string(packed)),
			[]codec.Point{{Stored: 300, Decoded: 2000, State: bytes.Repeat([]byte("state "), 100)}}, nil},
		{"no points", indexForm("gzip", "", 900, 5000, 1000, 0), nil, nil},
		{"nothing", nil, nil, codec.ErrCorrupt},
		{"another file", []byte(strings.Repeat("some text ", 20)), nil, codec.ErrCorrupt},
		{"a later form", later, nil, codec.ErrUnsupported},
		{"a byte more", append(bytes.Clone(good), 0), nil, codec.ErrCorrupt},
		{"a field more", indexForm("gzip", "", 900, 5000, 1000, 0, 0), nil, codec.ErrCorrupt},
		{"points left out", indexForm("gzip", "", 900, 5000, 1000, 3, 300, 2000, 0), nil, codec.ErrCorrupt},
		{"many points claimed", indexForm("gzip", "", 900, 5000, 1000, 65_536), nil, codec.ErrCorrupt},
		{"more points than allowed", indexForm("gzip", "", 900, 5000, 1000, 65_537), nil, codec.ErrCorrupt},
		{"a state of 128 KiB and a byte", indexForm("gzip", "", 900, 5000, 1000, 1, 300, 2000, 128<<10+1, "x"), nil, codec.ErrCorrupt},
		{"a state that grew", indexForm("gzip", "", 900, 5000, 1000, 1, 300, 2000, 3, "abcd"), nil, codec.ErrCorrupt},
		{"a state that is not there", indexForm("gzip", "", 900, 5000, 1000, 1, 300, 2000, 50, 40), nil, codec.ErrCorrupt},
		{"a point behind the end", indexForm("gzip", "", 900, 5000, 1000, 1, 901, 2000, 0), nil, codec.ErrCorrupt},
		{"a point behind the decoded end", indexForm("gzip", "", 900, 5000, 1000, 2, 300, 2000, 0, 300, 3001, 0), nil, codec.ErrCorrupt},
		{"two points at one place", indexForm("gzip", "", 900, 5000, 1000, 2, 300, 2000, 0, 300, 0, 0), nil, codec.ErrCorrupt},
		{"a point at the start", indexForm("gzip", "", 900, 5000, 1000, 1, 0, 2000, 0), nil, codec.ErrCorrupt},
		{"no spacing", indexForm("gzip", "", 900, 5000, 0, 0), nil, codec.ErrCorrupt},
		{"no codec", indexForm("", "", 900, 5000, 1000, 0), nil, codec.ErrCorrupt},
		{"a codec of 65 bytes", indexForm(strings.Repeat("z", 65), "", 900, 5000, 1000, 0), nil, codec.ErrCorrupt},
		{"a size beyond 63 bits", indexForm("gzip", "", bytes.Repeat([]byte{255}, 9), 1, 5000, 1000, 0), nil, codec.ErrCorrupt},
	} {
		x, err := seek.ReadIndex(iotest.OneByteReader(bytes.NewReader(tc.form)))
		if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("%s: got %v, want %v", tc.why, err, tc.want)
		}
		if err != nil {
			continue
		}
		var got []codec.Point
		for i := range x.Len() {
			p, err := x.Point(i)
			if err != nil {
				t.Errorf("%s: point %d: %v", tc.why, i, err)
			}
			got = append(got, p)
		}
		if fmt.Sprint(got) != fmt.Sprint(tc.points) {
			t.Errorf("%s: got %v, want %v", tc.why, got, tc.points)
		}
		if again := storedIndex(t, x); !bytes.Equal(again, tc.form) {
			t.Errorf("%s: got another form of what was read", tc.why)
		}
	}
}

// TestIndexState: a state that unpacks to another size is an error of its point.
func TestIndexState(t *testing.T) {
	t.Parallel()
	packed := string(encodeDeflate(bytes.Repeat([]byte("state "), 100)))
	for _, tc := range []struct {
		size   int
		packed string
	}{{599, packed}, {601, packed}, {600, packed[:len(packed)-1]}, {600, packed + "x"}, {600, "\xff" + packed}, {600, ""}} {
		x, err := seek.ReadIndex(bytes.NewReader(indexForm("gzip", "", 900, 5000, 1000, 1, 300, 2000, tc.size, tc.packed)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Point(0); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%d bytes of state in %d: got %v, want %v", tc.size, len(tc.packed), err, codec.ErrCorrupt)
		}
		r, err := seek.NewReaderAt(bytes.NewReader(make([]byte, 900)), 900, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadAt(make([]byte, 1), 3000); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%d bytes of state in %d: got %v from a read, want %v", tc.size, len(tc.packed), err, codec.ErrCorrupt)
		}
		r.Close()
	}
}

// TestIndexDamage cuts an index everywhere and flips each of its bits.
func TestIndexDamage(t *testing.T) {
	t.Parallel()
	form := indexForm("gzip", "v7", 900, 5000, 1000, 2, 300, 2000, 0, 200, 1500, 3, "abc")
	for n := range form {
		if _, err := seek.ReadIndex(bytes.NewReader(form[:n])); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("cut after %d bytes: got %v, want %v", n, err, codec.ErrCorrupt)
		}
	}
	for bit := range 8 * len(form) {
		bad := slices.Clone(form)
		bad[bit/8] ^= 1 << (bit % 8)
		if _, err := seek.ReadIndex(bytes.NewReader(bad)); !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrUnsupported) {
			t.Errorf("bit %d flipped: got %v", bit, err)
		}
	}
	if _, err := seek.ReadIndex(iotest.TimeoutReader(bytes.NewReader(form))); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("got %v, want the error of the source", err)
	}
	if _, err := seek.ReadIndex(io.LimitReader(zeros{}, 65<<20)); !errors.Is(err, codec.ErrLimit) {
		t.Errorf("got %v of 65 MiB, want %v", err, codec.ErrLimit)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// FuzzReadIndex gives the fields under a right checksum: no panic, and what is read
// has the same form again, its points ascending within the object.
func FuzzReadIndex(f *testing.F) {
	for _, form := range [][]byte{
		indexForm("gzip", "v7", 900, 5000, 1000, 2, 300, 2000, 0, 200, 1500, 3, "abc"),
		indexForm("zstd", "", 900, 5000, 1000, 0),
	} {
		f.Add(form[9 : len(form)-sha256.Size])
	}
	f.Fuzz(func(t *testing.T, fields []byte) {
		form := indexForm(fields)
		x, err := seek.ReadIndex(bytes.NewReader(form))
		if err != nil {
			if !errors.Is(err, codec.ErrCorrupt) {
				t.Fatalf("got %v", err)
			}
			return
		}
		last := codec.Point{}
		for i := range x.Len() {
			p, err := x.Point(i)
			if err != nil && !errors.Is(err, codec.ErrCorrupt) {
				t.Fatalf("point %d: %v", i, err)
			}
			if err == nil && (p.Decoded <= last.Decoded || p.Stored < last.Stored || p.Stored > x.Stored || p.Decoded > x.Decoded || len(p.State) > 128<<10) {
				t.Fatalf("got %+v behind %+v", p, last)
			}
			if err == nil {
				last = p
			}
		}
		again, err := x.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if y, err := seek.ReadIndex(bytes.NewReader(again)); err != nil || y.Len() != x.Len() {
			t.Fatalf("read again: %v", err)
		}
	})
}
