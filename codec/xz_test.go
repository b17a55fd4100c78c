package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/ulikunitz/xz"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
)

// encodeXZ makes a stream with a block per 20,000 bytes.
func encodeXZ(data []byte) []byte {
	return xzWith(xz.WriterConfig{BlockSize: 20_000, DictCap: 64 << 10}, data)
}

func xzWith(c xz.WriterConfig, data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser {
		zw, err := c.NewWriter(w)
		if err != nil {
			panic(err)
		}
		return zw
	})
}

func TestXZ(t *testing.T) {
	t.Parallel()
	var vectors []codectest.Vector
	data := []byte(text)
	for name, check := range map[string]byte{"none": xz.None, "crc32": xz.CRC32, "sha256": xz.SHA256} {
		stored := xzWith(xz.WriterConfig{CheckSum: check, NoCheckSum: check == xz.None}, data)
		if check == xz.None {
			// Damage inside cannot be seen, so this one is not for flips.
			if o, err := io.ReadAll(decoder(t, "xz", stored, nil)); err != nil || !bytes.Equal(o, data) {
				t.Errorf("no check: got %d bytes and %v, want %d", len(o), err, len(data))
			}
			continue
		}
		vectors = append(vectors, codectest.Vector{Name: name, Stored: stored, Decoded: data})
	}
	codectest.Run(t, lookup(t, "xz"), codectest.Format{
		Encode: encodeXZ, Vectors: vectors, Concatenates: true, Checksummed: true,
	})
}

func decoder(t testing.TB, name string, stored []byte, opts *codec.Options) codec.Decoder {
	t.Helper()
	if opts == nil {
		opts = new(codec.Options)
	}
	d, err := lookup(t, name).NewReader(bytes.NewReader(stored), opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestXZPadding(t *testing.T) {
	t.Parallel()
	one := encodeXZ([]byte(text))
	for n := range 13 {
		zeros := make([]byte, n)
		got, err := io.ReadAll(decoder(t, "xz", join(one, zeros), nil))
		var want error
		if n%4 != 0 {
			want = io.ErrUnexpectedEOF
		}
		if string(got) != text || !errors.Is(err, want) {
			t.Errorf("%d zeros at the end: got %d bytes and %v, want all and %v", n, len(got), err, want)
		}
		got, err = io.ReadAll(decoder(t, "xz", join(one, zeros, one), nil))
		size := 2 * len(text)
		if n%4 != 0 {
			want, size = codec.ErrCorrupt, len(text)
		}
		if len(got) != size || !errors.Is(err, want) {
			t.Errorf("%d zeros between: got %d bytes and %v, want %d and %v", n, len(got), err, size, want)
		}
		_, err = io.ReadAll(decoder(t, "xz", join(one, zeros, []byte("junk")), nil))
		if !errors.Is(err, codec.ErrTrailing) {
			t.Errorf("%d zeros and junk: got %v, want %v", n, err, codec.ErrTrailing)
		}
	}
}

// TestXZCuts: the only legal end inside two streams and padding are those of the
// first stream and of padding by fours.
func TestXZCuts(t *testing.T) {
	t.Parallel()
	one := encodeXZ([]byte(text))
	all := join(one, make([]byte, 8), one)
	legal := map[int]bool{len(one): true, len(one) + 4: true, len(one) + 8: true}
	for n := range all {
		_, err := io.ReadAll(decoder(t, "xz", all[:n], nil))
		if legal[n] != (err == nil) || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d of %d: got %v, want a clean end: %v", n, len(all), err, legal[n])
		}
	}
}

// TestXZDictionary: what a header claims is refused by the limit or costs what
// the data needs.
func TestXZDictionary(t *testing.T) {
	stored := xzHeader(t, 40)
	for _, c := range []struct {
		why   string
		data  []byte
		limit int64
		want  error
	}{
		{"4 GiB in 28 bytes", stored, 0, codec.ErrLimit},
		{"4 GiB in 28 bytes, allowed", stored, 1 << 32, io.ErrUnexpectedEOF},
		{"the same in the second stream", join(encodeXZ([]byte(text)), stored), 0, codec.ErrLimit},
		{"the same in the second stream, allowed", join(encodeXZ([]byte(text)), stored), 1 << 32, io.ErrUnexpectedEOF},
	} {
		var err error
		size := allocated(func() { err = decodeTo(io.Discard, lookup(t, "xz"), c.data, &codec.Options{MaxWindow: c.limit}) })
		if size > 8<<20 || !errors.Is(err, c.want) {
			t.Errorf("%s: got %d bytes allocated and %v, want at most 8 MiB and %v", c.why, size, err, c.want)
		}
		var l *codec.LimitError
		if errors.As(err, &l) && (l.Needed != 1<<32-1 || l.Allowed != codec.DefaultMaxWindow) {
			t.Errorf("%s: got %v, want both figures", c.why, l)
		}
	}
	if n, err := lookup(t, "xz").Requires(stored); err != nil || n.Window != 1<<32-1 {
		t.Errorf("Requires: got %+v and %v, want a window of 4 GiB", n, err)
	}
}

// xzHeader is a stream with a dictionary, cut behind its first byte of data: 28
// bytes.
func xzHeader(t *testing.T, dict byte) []byte {
	t.Helper()
	head := encodeXZ([]byte("x"))[:12]
	block := []byte{2, 0, 0x21, 1, dict, 0, 0, 0}
	return join(head, block, crc32Of(block), []byte{1, 0, 0, 'x'})
}

// TestXZUnits: the blocks of a stream and streams with one block are units.
func TestXZUnits(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte(text), 5000)[:70_000]
	stored := join(encodeXZ(data), make([]byte, 4), encodeXZ(nil), encodeXZ(data[:100]))
	c := lookup(t, "xz")
	var sizes []int64
	for u, err := range c.Split(bytes.NewReader(stored), int64(len(stored))) {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, u.Decoded)
		if u.State == nil {
			continue
		}
		// A unit is held to what the index says of it.
		cut := stored[u.Offset : u.Offset+u.Size-1]
		d, err := c.Restart(bytes.NewReader(cut), codec.Point{Stored: u.Offset, State: u.State}, new(codec.Options))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, d); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("unit at %d cut: got %v, want %v", u.Offset, err, io.ErrUnexpectedEOF)
		}
	}
	if want := []int64{20_000, 20_000, 20_000, 10_000, 0, 100}; !equal(sizes, want) {
		t.Errorf("got units of %d, want %d", sizes, want)
	}
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// FuzzXZ: the answer does not depend on chunks, and is that of ulikunitz/xz
// wherever both take an object for whole.
func FuzzXZ(f *testing.F) {
	f.Add(encodeXZ([]byte(text)))
	f.Add(encodeXZ(bytes.Repeat([]byte("ice "), 10_000)))
	f.Add(join(encodeXZ(nil), make([]byte, 4), encodeXZ([]byte(text))))
	f.Add(xzWith(xz.WriterConfig{CheckSum: xz.SHA256}, []byte("water")))
	f.Fuzz(func(t *testing.T, stored []byte) {
		opts := &codec.Options{MaxDecoded: 1 << 20, MaxWindow: 1 << 20}
		got, err := io.ReadAll(decoder(t, "xz", stored, opts))
		checkTyped(t, err)
		d, _ := lookup(t, "xz").NewReader(iotest.OneByteReader(bytes.NewReader(stored)), opts)
		if again, err2 := io.ReadAll(d); !bytes.Equal(got, again) || (err == nil) != (err2 == nil) {
			t.Errorf("got %d bytes and %v by single bytes, %d and %v at once", len(again), err2, len(got), err)
		}
		if err != nil {
			return
		}
		r, err := xz.ReaderConfig{DictCap: 1 << 20}.NewReader(bytes.NewReader(stored))
		if err != nil {
			return
		}
		if want, err := io.ReadAll(r); err == nil && !bytes.Equal(got, want) {
			t.Errorf("got %d bytes, want the %d of the library", len(got), len(want))
		}
	})
}
