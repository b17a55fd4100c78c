package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
)

func crc32Of(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b))
}

// lzipMember puts the header and the trailer of a version around LZMA data with an
// end marker.
func lzipMember(version byte, data []byte) []byte {
	b := append([]byte("LZIP"), version, 16) // 64 KiB
	b = append(b, encodeLZMA(data)[13:]...)
	b = append(b, crc32Of(data)...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	if version > 0 {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(b)+8))
	}
	return b
}

func encodeLZIP(data []byte) []byte { return lzipMember(1, data) }

func TestLZIP(t *testing.T) {
	t.Parallel()
	codectest.Run(t, lookup(t, "lzip"), codectest.Format{
		Encode:       encodeLZIP,
		Vectors:      []codectest.Vector{{Name: "version 0", Stored: lzipMember(0, []byte(text)), Decoded: []byte(text)}},
		Concatenates: true,
		Checksummed:  true,
		// The format allows any bytes behind the last member but those of a
		// damaged header.
		Junk:         []byte("LZIQ\x01\x10 is one bit away from a member"),
		JunkIsDamage: true,
	})
}

// TestLZIPTrailing holds what the manual says of bytes behind the last member.
func TestLZIPTrailing(t *testing.T) {
	t.Parallel()
	one := encodeLZIP([]byte(text))
	whole := 2 * len(text)
	for _, c := range []struct {
		why     string
		between []byte
		stored  []byte // behind between
		size    int
		trailed int64
		want    error
	}{
		{"another member", nil, one, whole, 0, nil},
		{"zeros", make([]byte, 100), nil, len(text), 0, nil},
		{"a member behind zeros", make([]byte, 99), one, whole, 0, nil},
		{"text", []byte("signature"), nil, len(text), 9, nil},
		{"text of one byte", []byte("s"), nil, len(text), 1, nil},
		{"the beginning of a magic", []byte("LZ"), nil, len(text), 0, io.ErrUnexpectedEOF},
		{"a magic alone", []byte("LZIP"), nil, len(text), 0, io.ErrUnexpectedEOF},
		{"a member with a damaged magic", nil, append([]byte("LZiP"), one[4:]...), len(text), 0, codec.ErrCorrupt},
		{"a member with half a magic", nil, append([]byte("LZXX"), one[4:]...), len(text), 0, codec.ErrCorrupt},
		{"text like a magic", []byte("LZITrailing"), nil, len(text), 11, nil},
		{"a member of version 2", nil, append([]byte("LZIP\x02"), one[5:]...), len(text), 0, codec.ErrUnsupported},
		{"a member with a dictionary of 2 KiB", nil, append([]byte("LZIP\x01\x0b"), one[6:]...), len(text), 0, codec.ErrCorrupt},
	} {
		d := decoder(t, "lzip", join(one, c.between, c.stored), nil)
		got, err := io.ReadAll(d)
		if len(got) != c.size || !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: got %d bytes and %v, want %d and %v", c.why, len(got), err, c.size, c.want)
		}
		if _, n := codec.Trailing(d); n != c.trailed {
			t.Errorf("%s: got %d trailing bytes, want %d", c.why, n, c.trailed)
		}
	}
}

func TestLZIPTrailer(t *testing.T) {
	t.Parallel()
	for _, version := range []byte{0, 1} {
		one := lzipMember(version, []byte(text))
		trailer := 12 + 8*int(version)
		for i := range trailer {
			b := bytes.Clone(one)
			b[len(b)-trailer+i]++
			if _, err := io.ReadAll(decoder(t, "lzip", b, nil)); !errors.Is(err, codec.ErrChecksum) {
				t.Errorf("version %d, byte %d of the trailer: got %v, want %v", version, i, err, codec.ErrChecksum)
			}
		}
	}
}

func TestLZIPNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dict byte
		want int64 // 0: refused
	}{
		{12, 4 << 10}, {16, 64 << 10}, {29, 512 << 20}, {23 | 2<<5, 7 << 20}, {13 | 7<<5, 8<<10 - 7*512},
		{11, 0}, {30, 0}, {12 | 1<<5, 0},
	} {
		head := append([]byte("LZIP\x01"), c.dict)
		n, err := lookup(t, "lzip").Requires(head)
		if c.want == 0 && !errors.Is(err, codec.ErrCorrupt) || c.want > 0 && (err != nil || n.Window != c.want) {
			t.Errorf("dictionary %#02x: got %+v and %v, want a window of %d", c.dict, n, err, c.want)
		}
		_, err = io.ReadAll(decoder(t, "lzip", head, &codec.Options{MaxWindow: 1 << 20}))
		if c.want > 1<<20 && !errors.Is(err, codec.ErrLimit) {
			t.Errorf("dictionary %#02x with a limit of 1 MiB: got %v, want %v", c.dict, err, codec.ErrLimit)
		}
	}
}

func TestLZIPUnits(t *testing.T) {
	t.Parallel()
	a, b, old := encodeLZIP([]byte(text)), encodeLZIP(bytes.Repeat([]byte(text), 99)), lzipMember(0, []byte(text))
	for _, c := range []struct {
		why    string
		stored []byte
		units  int
	}{
		{"nothing", nil, 0},
		{"one member", a, 1},
		{"three members", join(a, b, a), 3},
		{"zeros at the end", join(a, b, make([]byte, 5000)), 2},
		{"few zeros at the end", join(a, b, make([]byte, 3)), 2},
		{"text at the end", join(a, b, []byte("text")), 1},
		{"a member of version 0", join(old, a), 1},
		{"zeros between", join(a, make([]byte, 9), a), 1},
		{"cut", join(a, b)[:len(a)+20], 1},
	} {
		var at int64
		n := 0
		for u, err := range lookup(t, "lzip").Split(bytes.NewReader(c.stored), int64(len(c.stored))) {
			if err != nil || u.Offset != at {
				t.Errorf("%s: got %+v and %v, want a unit at %d", c.why, u, err, at)
			}
			at += u.Size
			n++
		}
		if n != c.units || at != int64(len(c.stored)) {
			t.Errorf("%s: got %d units of %d bytes, want %d of %d", c.why, n, at, c.units, len(c.stored))
		}
	}
}
