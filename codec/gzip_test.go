package codec_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// gzipWith is text as a member with flags and header fields. The checksum of the
// header is added where flags want one.
func gzipWith(flags byte, fields string) []byte {
	plain := gz([]byte(text))
	b := append(bytes.Clone(plain[:10]), fields...)
	b[3] = flags
	if flags&2 != 0 {
		b = binary.LittleEndian.AppendUint16(b, uint16(crc32.ChecksumIEEE(b)))
	}
	return append(b, plain[10:]...)
}

func TestGzip(t *testing.T) {
	t.Parallel()
	plain := gz([]byte(text))
	zeros := make([]byte, 10240)
	badHeader := gzipWith(2|8, "name\x00")
	badHeader[11] ^= 1
	badCRC := bytes.Clone(plain)
	badCRC[len(badCRC)-8] ^= 1
	badSize := bytes.Clone(plain)
	badSize[len(badSize)-4] ^= 1
	badMethod := bytes.Clone(plain)
	badMethod[2] = 7
	inner := written([]byte("\x1f\x8b\x08\x00"), func(w io.Writer) io.WriteCloser {
		gw, _ := gzip.NewWriterLevel(w, gzip.NoCompression)
		return gw
	})
	for _, tc := range []struct {
		why    string
		stored []byte
		data   string
		want   error // nil: clean end
		offset int64 // of the error, where it is not 0
	}{
		{why: "name, comment, extra, header checksum", stored: gzipWith(2|4|8|16, "\x03\x00abcname\x00comment\x00"), data: text},
		{why: "text flag", stored: gzipWith(1, ""), data: text},
		{why: "empty extra", stored: gzipWith(4, "\x00\x00"), data: text},
		{why: "wrong header checksum", stored: badHeader, want: codec.ErrChecksum},
		{why: "reserved flag", stored: gzipWith(0x20, ""), want: codec.ErrUnsupported},
		{why: "unknown method", stored: badMethod, want: codec.ErrUnsupported},
		{why: "wrong checksum", stored: badCRC, data: text, want: codec.ErrChecksum},
		{why: "wrong size", stored: badSize, data: text, want: codec.ErrChecksum},
		{why: "zeros behind", stored: join(plain, zeros), data: text},
		{why: "one zero behind", stored: join(plain, zeros[:1]), data: text},
		{why: "zeros between members", stored: join(plain, zeros[:512], plain), data: text + text},
		{why: "zeros first", stored: join(zeros[:512], plain), want: codec.ErrCorrupt},
		{why: "zeros, then junk", stored: join(plain, zeros[:3], []byte("x")), data: text, want: codec.ErrTrailing, offset: int64(len(plain)) + 3},
		{why: "half a magic behind", stored: join(plain, plain[:1]), data: text, want: io.ErrUnexpectedEOF},
		{why: "half a header behind zeros", stored: join(plain, zeros[:7], plain[:9]), data: text, want: io.ErrUnexpectedEOF},
		{why: "empty members all over", stored: join(gz(nil), plain, gz(nil), plain, gz(nil)), data: text + text},
		{why: "a magic in the data", stored: inner, data: "\x1f\x8b\x08\x00"},
		{why: "not gzip", stored: []byte(text), want: codec.ErrCorrupt},
		{why: "nothing", stored: nil, want: io.ErrUnexpectedEOF},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			err := decodeTo(&got, lookup(t, "gzip"), tc.stored, nil)
			if got.String() != tc.data || !errors.Is(err, tc.want) {
				t.Errorf("got %d bytes, %v; want %d, %v", got.Len(), err, len(tc.data), tc.want)
			}
			var e *codec.Error
			if errors.As(err, &e) && tc.offset > 0 && e.StoredOffset != tc.offset {
				t.Errorf("got offset %d, want %d", e.StoredOffset, tc.offset)
			}
		})
	}
}
