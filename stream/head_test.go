package stream_test

import (
	"bytes"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
	"github.com/thaw-go/thaw/stream"
)

// A fault within an object's first bytes is told, not what the part before it makes
// of the object.
func TestFaultInTheHead(t *testing.T) {
	// A frame that claims a window of 4 MiB, of which its two blocks use less.
	// That shows behind the first.
	block := func(last byte, data string) []byte {
		n := len(data) << 3
		return append([]byte{byte(n) | last, byte(n >> 8), byte(n >> 16)}, data...)
	}
	line := bytes.Repeat([]byte("a line of text\n"), 130)
	zstd := append([]byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, (22 - 10) << 3}, block(0, string(line))...)
	zstd = append(zstd, block(1, string(line))...)
	for _, object := range []struct {
		why    string
		key    string
		stored []byte
		head   int64 // bytes that come
	}{
		{"a window that looks too large", "a.log.zst", zstd, 1024},
		{"a magic of which a part is there, and no name", "a.json", []byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x04\x02\x04[]"), 3},
		{"a magic of which nothing is there", "a.json.gz", encode(t, "gzip", []byte("[]")), 1},
	} {
		for _, fault := range []struct {
			kind faultstore.Kind
			want stream.Class
		}{
			{faultstore.None, stream.ClassOther},
			{faultstore.Denied, stream.ClassDenied},
			{faultstore.Drop, stream.ClassTransient},
		} {
			fs := faultstore.New(&faultstore.Options{Plan: func(c faultstore.Call) faultstore.Fault {
				if c.Op == faultstore.Read && c.Offset > 0 {
					return faultstore.Fault{Kind: fault.kind}
				}
				return faultstore.Fault{}
			}})
			fs.Add(faultstore.Item{Key: object.key, Content: faultstore.Bytes(object.stored)})
			s := blob.New(fs, &blob.Options{Retry: &blob.Retry{MaxAttempts: 1}})
			rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Discard, &stream.Options{
				Lanes: 1, Memory: 6 << 20, Read: stream.ReadOptions{RangeSize: object.head, InFlight: 1},
			})
			if got := stream.ClassOf(err); got != fault.want || (err == nil) != (fault.kind == faultstore.None) {
				t.Errorf("%s, %v: got class %s of %v, want %s (%d records)", object.why, fault.kind, got, err, fault.want, rep.Counts.Delivered())
			}
		}
	}
}
