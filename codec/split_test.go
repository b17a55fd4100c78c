package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// bgzf is data as one block of BGZF.
func bgzf(data []byte) []byte { return corpus.BGZF(data) }

func TestSplit(t *testing.T) {
	t.Parallel()
	line, block := []byte(text), bgzf([]byte(text))
	whole := frame(size8, window1K+u64(uint64(len(text))), raw(text))
	plain := gz(line)
	n, z := int64(len(block)), int64(len(whole))
	size := int64(len(text))
	for _, tc := range []struct {
		why, codec string
		stored     []byte
		want       []codec.Unit
		err        error
	}{
		{"nothing", "gzip", nil, nil, nil},
		{"gzip that tells no sizes", "gzip", join(plain, plain), []codec.Unit{{Size: 2 * int64(len(plain)), Decoded: -1}}, nil},
		{"BGZF", "gzip", join(block, block, bgzf(nil)), []codec.Unit{{Size: n, Decoded: size}, {Offset: n, Size: n, Decoded: size}, {Offset: 2 * n, Size: int64(len(bgzf(nil)))}}, nil},
		{"BGZF, then gzip", "gzip", join(block, plain), []codec.Unit{{Size: n, Decoded: size}, {Offset: n, Size: int64(len(plain)), Decoded: -1}}, nil},
		{"BGZF, then zeros", "gzip", join(block, make([]byte, 9)), []codec.Unit{{Size: n + 9, Decoded: -1}}, nil},
		{"BGZF, cut", "gzip", join(block, block[:40]), []codec.Unit{{Size: n, Decoded: size}}, io.ErrUnexpectedEOF},
		{"zstd", "zstd", join(whole, whole), []codec.Unit{{Size: z, Decoded: size}, {Offset: z, Size: z, Decoded: size}}, nil},
		{"zstd and skippable frames", "zstd", join(skippable(2), whole, skippable(2), whole), []codec.Unit{{Size: z + 20, Decoded: size}, {Offset: z + 20, Size: z, Decoded: size}}, nil},
		{"skippable frames alone", "zstd", skippable(2), []codec.Unit{{Size: 10}}, nil},
		{"zstd, size not declared", "zstd", frame(0, window1K, raw("abc")), []codec.Unit{{Size: 12, Decoded: -1}}, nil},
		{"zstd, cut", "zstd", join(whole, whole[:z-1]), []codec.Unit{{Size: z, Decoded: size}}, io.ErrUnexpectedEOF},
		{"zstd, junk", "zstd", join(whole, []byte("junk")), []codec.Unit{{Size: z, Decoded: size}}, codec.ErrTrailing},
		{"no zstd", "zstd", line, nil, codec.ErrCorrupt},
		{"plain", "none", line, []codec.Unit{{Size: size, Decoded: size}}, nil},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			c := lookup(t, tc.codec)
			var got []codec.Unit
			var fault error
			for u, err := range c.Split(bytes.NewReader(tc.stored), int64(len(tc.stored))) {
				if err != nil {
					fault = err
					break
				}
				got = append(got, u)
			}
			if !errors.Is(fault, tc.err) {
				t.Errorf("got %v, want %v", fault, tc.err)
			}
			if len(got) != len(tc.want) {
				t.Fatalf("got %+v, want %+v", got, tc.want)
			}
			for i, u := range got {
				w := tc.want[i]
				if u.Offset != w.Offset || u.Size != w.Size || u.Decoded != w.Decoded {
					t.Errorf("unit %d: got %+v, want %+v", i, u, w)
				}
				var data counter
				if err := decodeTo(&data, c, tc.stored[u.Offset:u.Offset+u.Size], nil); err != nil {
					t.Errorf("unit %d: got %v, want it to decode on its own", i, err)
				}
			}
		})
	}
}
