package codec_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/codec"
)

// fuzzLimit bounds what an input may decode to.
const fuzzLimit = 1 << 20

// fuzzDecode decodes stored and demands that the answer does not depend on how
// bytes come and go.
func fuzzDecode(t *testing.T, name string, stored []byte) ([]byte, error) {
	t.Helper()
	opts := &codec.Options{MaxDecoded: fuzzLimit, MaxWindow: 8 << 20}
	d, err := lookup(t, name).NewReader(bytes.NewReader(stored), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	data, err := io.ReadAll(d)
	checkTyped(t, err)
	if err := d.Reset(iotest.OneByteReader(bytes.NewReader(stored))); err != nil {
		t.Fatal(err)
	}
	again, errAgain := io.ReadAll(iotest.HalfReader(d))
	if !bytes.Equal(again, data) || fmt.Sprint(errAgain) != fmt.Sprint(err) {
		t.Fatalf("byte by byte: got %d bytes, %v; want %d, %v", len(again), errAgain, len(data), err)
	}
	return data, err
}

// fuzzAgainst holds a codec to a reference. What the reference takes, the codec
// takes; the codec may be stricter only as stricter allows, and it never gives
// other bytes.
func fuzzAgainst(f *testing.F, name string, open func(io.Reader) (io.Reader, error), stricter func(error) bool) {
	f.Fuzz(func(t *testing.T, stored []byte) {
		got, err := fuzzDecode(t, name, stored)
		if errors.Is(err, codec.ErrLimit) {
			return
		}
		var want []byte
		r, refErr := open(bytes.NewReader(stored))
		if refErr == nil {
			want, refErr = io.ReadAll(io.LimitReader(r, fuzzLimit+1))
		}
		switch {
		case len(want) > fuzzLimit:
			t.Fatalf("got %d bytes, %v; the reference gives more than the limit", len(got), err)
		case refErr == nil && err != nil && !stricter(err):
			t.Fatalf("got %v; the reference takes it", err)
		case refErr == nil && !bytes.HasPrefix(want, got), refErr == nil && err == nil && len(got) != len(want):
			t.Fatalf("got %d bytes; the reference gives %d others", len(got), len(want))
		case err == nil && !bytes.HasPrefix(got, want):
			t.Fatalf("got %d bytes and a clean end; the reference gives %d others before %v", len(got), len(want), refErr)
		}
	})
}

func FuzzGzip(f *testing.F) {
	plain := gz([]byte(text))
	for _, seed := range [][]byte{plain, join(plain, gz(nil), plain), gzipWith(2|4|8|16, "\x01\x00xname\x00note\x00"), bgzf([]byte(text)), join(plain, make([]byte, 3), plain), gz(make([]byte, 70_000))} {
		f.Add(seed)
	}
	fuzzAgainst(f, "gzip",
		func(src io.Reader) (io.Reader, error) { return gzip.NewReader(src) },
		// compress/gzip does not look at reserved flags.
		func(err error) bool { return errors.Is(err, codec.ErrUnsupported) })
}

func FuzzZlib(f *testing.F) {
	f.Add(encodeZlib([]byte(text)))
	f.Add(encodeZlib(nil))
	f.Add(encodeZlib(make([]byte, 70_000)))
	fuzzAgainst(f, "zlib",
		func(src io.Reader) (io.Reader, error) { return zlib.NewReader(src) },
		// compress/zlib stops at the end of the stream.
		func(err error) bool { return errors.Is(err, codec.ErrTrailing) })
}

func FuzzDeflate(f *testing.F) {
	f.Add(encodeDeflate([]byte(text)))
	f.Add(encodeDeflate(nil))
	f.Add(encodeDeflate(make([]byte, 70_000)))
	fuzzAgainst(f, "deflate",
		func(src io.Reader) (io.Reader, error) { return flate.NewReader(src), nil },
		func(err error) bool { return errors.Is(err, codec.ErrTrailing) })
}

func FuzzZstd(f *testing.F) {
	whole := zst([]byte(text))
	for _, seed := range [][]byte{
		whole, join(whole, skippable(3), whole), encodeZstdStream(make([]byte, 200_000)),
		frame(size8|singleSegment, u64(3), raw("abc")), frame(0, window1K, block(true, 1, 5, "x")),
		frame(size8, window1K+u64(4), raw("abc")), frame(0, window128M, raw("abc")),
	} {
		f.Add(seed)
	}
	ref, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		f.Fatal(err)
	}
	fuzzAgainst(f, "zstd",
		func(src io.Reader) (io.Reader, error) { return ref, ref.Reset(src) },
		// An empty object has no frame; the library is content with none. It takes
		// some damaged frames without a checksum: those of internal/decode/zstd's tests.
		func(err error) bool {
			var e *codec.Error
			return errors.Is(err, io.ErrUnexpectedEOF) && errors.As(err, &e) && e.StoredOffset == 0 || errors.Is(err, codec.ErrCorrupt)
		})
}

// FuzzDetect: no head and no hint makes detection fail in a way that is not its
// own, and what it names can be opened or is refused.
func FuzzDetect(f *testing.F) {
	f.Add(gz([]byte(text)), "a.csv.zst.gz", "gzip, aws-chunked")
	f.Add(zst([]byte(text)), "a.tgz", "deflate")
	f.Add(skippable(3), ".gz", "br,,x")
	f.Add([]byte("PK\x03\x04\x14\x00"), "a.parquet", "")
	f.Add(gz(gz([]byte("Obj\x01\x04\x16avro.schema"))), "a.avro.gz", "")
	f.Fuzz(func(t *testing.T, head []byte, key, encoding string) {
		for _, final := range []bool{false, true} {
			d, err := codec.Default().Detect(head, final, codec.Hints{Key: key, ContentEncoding: encoding})
			if err != nil {
				if !errors.Is(err, codec.ErrUnsupported) {
					t.Fatalf("got %v, want %v or none", err, codec.ErrUnsupported)
				}
				continue
			}
			dec, err := codec.Default().Open(bytes.NewReader(head), d, &codec.Options{MaxDecoded: fuzzLimit, MaxWindow: 1 << 20})
			if err != nil {
				t.Fatalf("%+v: got %v", d, err)
			}
			var data bytes.Buffer
			_, err = io.Copy(&data, dec)
			checkTyped(t, err)
			codec.Doubt(dec)
			dec.Close()
			if n := data.Len(); codec.Default().Examine(&d, data.Bytes(), final) && (final || n >= 512) {
				t.Fatalf("%+v: got %d decoded bytes to be too few", d, n)
			}
		}
	})
}
