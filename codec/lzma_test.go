package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/codectest"
)

// encodeLZMA makes a .lzma file with an end marker and no size.
func encodeLZMA(data []byte) []byte { return lzmaWith(lzma.WriterConfig{DictCap: 64 << 10}, data) }

func lzmaWith(c lzma.WriterConfig, data []byte) []byte {
	return written(data, func(w io.Writer) io.WriteCloser {
		zw, err := c.NewWriter(w)
		if err != nil {
			panic(err)
		}
		return zw
	})
}

func TestLZMA(t *testing.T) {
	t.Parallel()
	var vectors []codectest.Vector
	for name, marker := range map[string]bool{"size": false, "size and marker": true} {
		c := lzma.WriterConfig{SizeInHeader: true, Size: int64(len(text)), EOSMarker: marker}
		vectors = append(vectors, codectest.Vector{Name: name, Stored: lzmaWith(c, []byte(text)), Decoded: []byte(text)})
	}
	f := codectest.Format{Encode: encodeLZMA, Vectors: vectors}
	// Of a file with a size and a marker, what stands before the marker is no
	// less whole to look at, but its range coder is not at its end.
	codectest.Run(t, lookup(t, "lzma"), f)
}

func TestLZMAHeader(t *testing.T) {
	t.Parallel()
	sized := lzmaWith(lzma.WriterConfig{SizeInHeader: true, Size: int64(len(text))}, []byte(text))
	with := func(dict uint32, size uint64) []byte {
		b := bytes.Clone(sized)
		binary.LittleEndian.PutUint32(b[1:], dict)
		binary.LittleEndian.PutUint64(b[5:], size)
		return b
	}
	const unknown = 1<<64 - 1
	size := uint64(len(text))
	for _, c := range []struct {
		why    string
		stored []byte
		want   error
	}{
		{"as written", sized, nil},
		{"no dictionary stands for the smallest", with(0, size), nil},
		{"4 GiB of dictionary for few bytes", with(1<<32-1, size), nil},
		{"4 GiB of dictionary and no size", with(1<<32-1, unknown), codec.ErrLimit},
		{"4 GiB of dictionary and a size as large", with(1<<32-1, 1<<40), codec.ErrLimit},
		{"a size beyond int64", with(4096, 1<<63), codec.ErrCorrupt},
		{"a size too small", with(4096, size-1), codec.ErrCorrupt},
		{"a size too large", with(4096, size+1), io.ErrUnexpectedEOF},
		{"no size and no marker", with(4096, unknown), io.ErrUnexpectedEOF},
		{"properties beyond lc 8, lp 4, pb 4", append([]byte{225}, sized[1:]...), codec.ErrCorrupt},
	} {
		_, err := io.ReadAll(decoder(t, "lzma", c.stored, nil))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.why, err, c.want)
		}
	}
	n, err := lookup(t, "lzma").Requires(with(1<<20, unknown))
	if err != nil || n.Window != 1<<20 || n.Size != -1 {
		t.Errorf("Requires: got %+v and %v, want a window of 1 MiB and no size", n, err)
	}
}

// FuzzLZMA: the answer does not depend on chunks, and is that of ulikunitz/xz
// wherever both take an object for whole.
func FuzzLZMA(f *testing.F) {
	f.Add(encodeLZMA([]byte(text)))
	f.Add(encodeLZMA(bytes.Repeat([]byte("ice "), 10_000)))
	f.Add(lzmaWith(lzma.WriterConfig{SizeInHeader: true, Size: 3, EOSMarker: true}, []byte("ice")))
	f.Fuzz(func(t *testing.T, stored []byte) {
		opts := &codec.Options{MaxDecoded: 1 << 20, MaxWindow: 1 << 20}
		got, err := io.ReadAll(decoder(t, "lzma", stored, opts))
		checkTyped(t, err)
		d, _ := lookup(t, "lzma").NewReader(iotest.OneByteReader(bytes.NewReader(stored)), opts)
		if again, err2 := io.ReadAll(d); !bytes.Equal(got, again) || (err == nil) != (err2 == nil) {
			t.Errorf("got %d bytes and %v by single bytes, %d and %v at once", len(again), err2, len(got), err)
		}
		if err != nil {
			return
		}
		r, err := lzma.ReaderConfig{DictCap: 1 << 20}.NewReader(bytes.NewReader(stored))
		if err != nil {
			return
		}
		if want, err := io.ReadAll(r); err == nil && !bytes.Equal(got, want) {
			t.Errorf("got %d bytes, want the %d of the library", len(got), len(want))
		}
	})
}
