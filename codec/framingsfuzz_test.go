package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/codec"
)

// cutOrTrailing are the errors of what libraries take for an end that is none.
func cutOrTrailing(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, codec.ErrTrailing)
}

// FuzzLZ4 compares with pierrec/lz4, which takes a bare legacy magic for a frame,
// the size that kernel builds append for its end, and legacy blocks of no bytes or
// with the mark of an uncompressed one for blocks.
func FuzzLZ4(f *testing.F) {
	for _, v := range lz4Vectors(f) {
		f.Add(v.stored)
	}
	legacy := []byte{0x02, 0x21, 0x4c, 0x18}
	var stored []byte
	fuzzAgainst(f, "lz4",
		func(src io.Reader) (io.Reader, error) {
			stored, _ = io.ReadAll(src)
			return lz4.NewReader(bytes.NewReader(stored)), nil
		},
		func(err error) bool {
			return cutOrTrailing(err) || bytes.Contains(stored, legacy) && errors.Is(err, codec.ErrCorrupt)
		})
}

// FuzzSnappy compares with golang/snappy, which skips chunks that hold damaged
// data and is content with no stream at all.
func FuzzSnappy(f *testing.F) {
	for _, v := range snappyVectors() {
		if v.codec == "snappy" {
			f.Add(v.stored)
		}
	}
	fuzzAgainst(f, "snappy",
		func(src io.Reader) (io.Reader, error) { return snappy.NewReader(src), nil },
		func(err error) bool { return cutOrTrailing(err) || errors.Is(err, codec.ErrCorrupt) })
}

func FuzzS2(f *testing.F) {
	for _, v := range snappyVectors() {
		if v.codec == "s2" {
			f.Add(v.stored)
		}
	}
	f.Add(s2Stream(lines(3000), s2.WriterAddIndex()))
	fuzzAgainst(f, "s2",
		func(src io.Reader) (io.Reader, error) { return s2.NewReader(src), nil },
		// Copies that only S2 has are refused in streams of Snappy.
		func(err error) bool { return cutOrTrailing(err) || errors.Is(err, codec.ErrCorrupt) })
}

// FuzzSnappyBlock compares with golang/snappy: what one takes the other does.
func FuzzSnappyBlock(f *testing.F) {
	for _, v := range snappyVectors() {
		if v.codec == "snappy-block" {
			f.Add(v.stored)
		}
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		got, err := fuzzDecode(t, "snappy-block", stored)
		if n, lenErr := snappy.DecodedLen(stored); errors.Is(err, codec.ErrLimit) || lenErr == nil && n > fuzzLimit {
			return
		}
		want, refErr := snappy.Decode(nil, stored)
		if refErr == nil && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("got %d bytes, %v; the reference gives %d", len(got), err, len(want))
		}
		if refErr != nil && err == nil {
			t.Fatalf("got %d bytes and a clean end; the reference %v", len(got), refErr)
		}
	})
}

// FuzzLZ4Block compares with pierrec/lz4, which lets a block end behind a match.
func FuzzLZ4Block(f *testing.F) {
	f.Add(lz4RawBlock(f, lines(3000)))
	f.Add(lz4RawBlock(f, make([]byte, 70_000)))
	f.Add([]byte{0x10, 'a', 1, 0, 0x10, 'b'})
	f.Add([]byte{0x18, 'a'}) // announces a match that does not come
	out := make([]byte, fuzzLimit)
	f.Fuzz(func(t *testing.T, stored []byte) {
		got, err := fuzzDecode(t, "lz4-block", stored)
		if errors.Is(err, codec.ErrLimit) {
			return
		}
		n, refErr := lz4.UncompressBlock(stored, out)
		switch {
		case refErr == nil && !bytes.Equal(got, out[:n]):
			t.Fatalf("got %d bytes, %v; the reference gives %d", len(got), err, n)
		case refErr == nil && err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
			t.Fatalf("got %v; the reference takes it", err)
		case refErr != nil && err == nil:
			t.Fatalf("got %d bytes and a clean end; the reference %v", len(got), refErr)
		}
	})
}

// FuzzFramings looks at chunking alone: there is no reader to compare with.
func FuzzFramings(f *testing.F) {
	names := []string{"lz4-java", "lz4-hadoop", "snappy-hadoop", "snappy-xerial"}
	for i, stored := range [][]byte{
		lz4JavaStream(f, lines(500), 200), lz4HadoopBlock(f, lines(200), lines(300)),
		snappyHadoopBlock(lines(200), lines(300)), xerialStream(lines(200), lines(300)),
	} {
		f.Add(uint8(i), stored)
	}
	f.Fuzz(func(t *testing.T, which uint8, stored []byte) {
		fuzzDecode(t, names[int(which)%len(names)], stored)
	})
}
