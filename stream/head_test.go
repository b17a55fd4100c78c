package stream_test

import (
	"bytes"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/internal/faultstore"
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
	stored := append([]byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, (22 - 10) << 3}, block(0, string(line))...)
	stored = append(stored, block(1, string(line))...)
	for _, tc := range []struct {
		why   string
		fault faultstore.Kind
		want  stream.Class
	}{
		{"nothing", faultstore.None, stream.Other},
		{"denied", faultstore.Denied, stream.Denied},
		{"lost connections", faultstore.Drop, stream.Transient},
	} {
		fs := faultstore.New(&faultstore.Options{Plan: func(c faultstore.Call) faultstore.Fault {
			if c.Op == faultstore.Read && c.Offset > 0 {
				return faultstore.Fault{Kind: tc.fault}
			}
			return faultstore.Fault{}
		}})
		fs.Add(faultstore.Item{Key: "a.log.zst", Content: faultstore.Bytes(stored)})
		s := blob.New(fs, &blob.Options{Retry: &blob.Retry{Attempts: -1}})
		rep, err := stream.Backfill(t.Context(), s.List(nil), stream.Null, &stream.Options{
			Lanes: 1, Memory: 6 << 20, Read: stream.ReadOptions{RangeSize: 1024},
		})
		if got := stream.ClassOf(err); got != tc.want || (err == nil) != (tc.fault == faultstore.None) {
			t.Errorf("%s: got class %s of %v, want %s (%d records)", tc.why, got, err, tc.want, rep.Counts.Records())
		}
	}
}
