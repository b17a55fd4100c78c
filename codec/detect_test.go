package codec_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/codec"
)

const text = "{\"a\":1}\n{\"a\":2}\n"

func gz(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func zst(data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll(data, nil)
}

// skippable is a skippable frame of n bytes.
func skippable(n byte) []byte {
	return append([]byte{0x5a, 0x2a, 0x4d, 0x18, n, 0, 0, 0}, make([]byte, n)...)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestDetect(t *testing.T) {
	t.Parallel()
	plain := []byte(text)
	for _, tc := range []struct {
		why      string
		head     []byte
		hints    codec.Hints
		codec    string
		evidence codec.Evidence
		inner    string // joined by +
		rest     string
		conflict string // joined by ", "
	}{
		{why: "nothing speaks", head: plain, codec: "none", evidence: codec.ByDefault},
		{why: "plain name", head: plain, hints: codec.Hints{Key: "d/a.csv"}, codec: "none", evidence: codec.ByDefault, rest: ".csv"},
		{why: "magic alone", head: gz(plain), codec: "gzip", evidence: codec.ByMagic},
		{why: "magic and name", head: gz(plain), hints: codec.Hints{Key: "d/a.csv.gz"}, codec: "gzip", evidence: codec.ByMagic, rest: ".csv"},
		{why: "upper case", head: gz(plain), hints: codec.Hints{Key: "d/A.CSV.GZ", ContentEncoding: "X-GZIP"}, codec: "gzip", evidence: codec.ByMagic, rest: ".csv"},
		{why: "packed extension", head: gz(plain), hints: codec.Hints{Key: "a.tgz"}, codec: "gzip", evidence: codec.ByMagic, rest: ".tar"},
		{why: "two extensions below", head: zst(plain), hints: codec.Hints{Key: "a.tar.zst"}, codec: "zstd", evidence: codec.ByMagic, rest: ".tar"},
		{why: "plain content under a compressed name", head: plain, hints: codec.Hints{Key: "a.ndjson.gz"}, codec: "none", evidence: codec.ByMagic, rest: ".ndjson", conflict: "extension says gzip"},
		{why: "compressed content under a plain name", head: gz(plain), hints: codec.Hints{Key: "a.ndjson"}, codec: "gzip", evidence: codec.ByMagic, rest: ".ndjson"},
		{why: "wrong compressed name", head: zst(plain), hints: codec.Hints{Key: "a.gz"}, codec: "zstd", evidence: codec.ByMagic, conflict: "extension says gzip"},
		{why: "stored without the declared encoding", head: plain, hints: codec.Hints{ContentEncoding: "gzip"}, codec: "none", evidence: codec.ByMagic, conflict: "content-encoding says gzip"},
		{why: "header and name speak of one layer", head: gz(plain), hints: codec.Hints{Key: "x.gz", ContentEncoding: "gzip"}, codec: "gzip", evidence: codec.ByMagic},
		{why: "header and name speak of two layers", head: gz(gz(plain)), hints: codec.Hints{Key: "x.gz", ContentEncoding: "gzip"}, codec: "gzip", evidence: codec.ByMagic, inner: "gzip"},
		{why: "a layer that nothing declares", head: gz(gz(plain)), hints: codec.Hints{Key: "x.gz"}, codec: "gzip", evidence: codec.ByMagic},
		{why: "gzip of a zst", head: gz(zst(plain)), hints: codec.Hints{Key: "x.ndjson.zst", ContentEncoding: "gzip"}, codec: "gzip", evidence: codec.ByMagic, inner: "zstd", rest: ".ndjson"},
		{why: "a zst under a wrong header", head: zst(plain), hints: codec.Hints{Key: "x.zst", ContentEncoding: "gzip"}, codec: "zstd", evidence: codec.ByMagic, conflict: "content-encoding says gzip"},
		{why: "gzip of what is no zst", head: gz(plain), hints: codec.Hints{Key: "x.zst", ContentEncoding: "gzip"}, codec: "gzip", evidence: codec.ByMagic, conflict: "extension says zstd"},
		{why: "encodings apply from left to right", head: zst(gz(plain)), hints: codec.Hints{ContentEncoding: "gzip, zstd"}, codec: "zstd", evidence: codec.ByMagic, inner: "gzip"},
		{why: "signing scheme of S3 behind", head: gz(plain), hints: codec.Hints{ContentEncoding: "gzip,aws-chunked"}, codec: "gzip", evidence: codec.ByMagic},
		{why: "signing scheme of S3 before", head: gz(plain), hints: codec.Hints{ContentEncoding: "aws-chunked, gzip"}, codec: "gzip", evidence: codec.ByMagic},
		{why: "signing scheme of S3 alone", head: plain, hints: codec.Hints{ContentEncoding: "aws-chunked"}, codec: "none", evidence: codec.ByDefault},
		{why: "empty encoding", head: plain, hints: codec.Hints{ContentEncoding: " , "}, codec: "none", evidence: codec.ByDefault},
		{why: "a charset is no encoding", head: plain, hints: codec.Hints{ContentEncoding: "utf-8"}, codec: "none", evidence: codec.ByMagic, conflict: "content-encoding says utf-8"},
		{why: "deflate is zlib", head: []byte("\x78\x9c\x03\x00\x00\x00\x00\x01"), hints: codec.Hints{ContentEncoding: "deflate"}, codec: "zlib", evidence: codec.ByEncoding},
		{why: "deflate is bare too", head: []byte("\x03\x00"), hints: codec.Hints{ContentEncoding: "deflate"}, codec: "deflate", evidence: codec.ByEncoding},
		{why: "no magic: the name is believed", head: plain, hints: codec.Hints{Key: "a.zz"}, codec: "zlib", evidence: codec.ByExtension},
		{why: "skippable frame first", head: join(skippable(5), zst(plain)), codec: "zstd", evidence: codec.ByMagic},
		{why: "skippable frames alone", head: skippable(5), codec: "zstd", evidence: codec.ByMagic},
		{why: "skippable frame cut", head: skippable(5)[:9], codec: "zstd", evidence: codec.ByMagic},
		{why: "legacy frame", head: []byte("\x27\xb5\x2f\xfd\x00"), codec: "zstd", evidence: codec.ByMagic},
		{why: "empty", head: nil, codec: "none", evidence: codec.ByDefault},
		{why: "empty under a compressed name", head: nil, hints: codec.Hints{Key: "a.gz"}, codec: "gzip", evidence: codec.ByExtension},
		{why: "empty under the name of a codec without magic", head: nil, hints: codec.Hints{Key: "a.csv.br"}, codec: "brotli", evidence: codec.ByExtension, rest: ".csv"},
		{why: "empty under an encoding", head: nil, hints: codec.Hints{ContentEncoding: "deflate"}, codec: "deflate", evidence: codec.ByEncoding},
		{why: "empty under two names", head: nil, hints: codec.Hints{Key: "a.zst", ContentEncoding: "gzip"}, codec: "gzip", evidence: codec.ByEncoding, inner: "zstd"},
		{why: "empty under an encoding that is none", head: nil, hints: codec.Hints{ContentEncoding: "utf-8"}, codec: "none", evidence: codec.ByMagic, conflict: "content-encoding says utf-8"},
		{why: "empty under a plain name", head: nil, hints: codec.Hints{Key: "a.csv"}, codec: "none", evidence: codec.ByDefault, rest: ".csv"},
		{why: "one byte of a magic", head: []byte("\x1f"), codec: "none", evidence: codec.ByDefault},
		{why: "one byte of the named magic", head: []byte("\x1f"), hints: codec.Hints{Key: "a.gz"}, codec: "gzip", evidence: codec.ByExtension},
		{why: "one byte of another magic", head: []byte("\x28"), hints: codec.Hints{Key: "a.gz"}, codec: "none", evidence: codec.ByMagic, conflict: "extension says gzip"},
		{why: "explicit wins", head: gz(plain), hints: codec.Hints{Codec: "none", Key: "a.gz"}, codec: "none", evidence: codec.ByChoice, conflict: "magic says gzip, extension says gzip"},
		{why: "explicit without magic", head: plain, hints: codec.Hints{Codec: "deflate"}, codec: "deflate", evidence: codec.ByChoice},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			got, err := codec.Default().Detect(tc.head, true, tc.hints)
			if err != nil {
				t.Fatalf("got error %v, want none", err)
			}
			want := codec.Detection{Codec: tc.codec, Evidence: tc.evidence, Extension: tc.rest}
			if tc.inner != "" {
				want.Inner = strings.Split(tc.inner, "+")
			}
			if tc.conflict != "" {
				want.Conflicts = strings.Split(tc.conflict, ", ")
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestDetectErrors(t *testing.T) {
	t.Parallel()
	_, err := codec.Default().Detect(nil, true, codec.Hints{Codec: "zstandard"})
	if err == nil || !strings.Contains(err.Error(), "zstd") {
		t.Errorf("got %v, want an error that lists the names", err)
	}
	for want, head := range map[string]string{
		"compress": "\x1f\x9d\x90\x61",
		"lzop":     "\x89LZO\x00\r\n\x1a\n\x10",
	} {
		d, err := codec.Default().Detect([]byte(head), true, codec.Hints{})
		if !errors.Is(err, codec.ErrUnsupported) || d.Codec != want {
			t.Errorf("%s: got %q, %v; want %v", want, d.Codec, err, codec.ErrUnsupported)
		}
	}
	var few codec.Registry
	d, err := few.Detect(gz([]byte(text)), true, codec.Hints{})
	if !errors.Is(err, codec.ErrUnsupported) || d.Codec != "gzip" {
		t.Errorf("registry without gzip: got %q, %v; want %v", d.Codec, err, codec.ErrUnsupported)
	}
}

func TestOpenLayers(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte(text), 1000)
	stored := gz(zst(long))
	d := codec.Detection{Codec: "gzip", Inner: []string{"zstd"}}
	dec, err := codec.Default().Open(bytes.NewReader(stored), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	for range 2 {
		got, err := io.ReadAll(dec)
		if err != nil || !bytes.Equal(got, long) {
			t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(long))
		}
		if at := dec.(codec.Positioned).StoredOffset(); at != int64(len(stored)) {
			t.Errorf("got stored offset %d, want %d", at, len(stored))
		}
		if err := dec.Reset(bytes.NewReader(stored)); err != nil {
			t.Fatal(err)
		}
	}
	for k := range stored {
		dec.Reset(bytes.NewReader(stored[:k]))
		if _, err := io.ReadAll(dec); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut at %d: got %v, want %v", k, err, io.ErrUnexpectedEOF)
		}
	}
	d.Inner = []string{"zstd", "gzip", "gzip", "gzip"}
	if _, err := codec.Default().Open(bytes.NewReader(stored), d, nil); !errors.Is(err, codec.ErrLimit) {
		t.Errorf("five layers: got %v, want %v", err, codec.ErrLimit)
	}
}
