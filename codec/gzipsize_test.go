package codec_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// TestBGZFSizes: the size that a block states is used only if it holds.
func TestBGZFSizes(t *testing.T) {
	t.Parallel()
	line := []byte("the ice on the lake, the lake under the ice\n")
	stated := func(block []byte, n int) []byte {
		block = bytes.Clone(block)
		binary.LittleEndian.PutUint16(block[16:], uint16(n-1))
		return block
	}
	block := bgzf(line)
	n := len(block)
	for _, tc := range []struct {
		why    string
		stored []byte
		units  int
	}{
		{"right", join(block, block, bgzf(nil)), 3},
		{"beyond the end", join(block, stated(block, n+10)), 2},
		{"far beyond the end", join(stated(block, 65536), block), 1},
		{"too small for a block", join(stated(block, 20), block), 1},
		{"less than the block", join(stated(block, n-3), block), 1},
		{"more than the block", join(block, stated(block, n+3), block), 2},
		{"followed by zeros", join(block, block, make([]byte, 9)), 2},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			c := lookup(t, "gzip")
			whole := readAll(c.NewReader(bytes.NewReader(tc.stored), new(codec.Options)))
			if whole.verdict != "clean" {
				t.Fatalf("got %s", whole.verdict)
			}
			got, sizes := byUnits(c, tc.stored)
			if got.verdict != "clean" || !bytes.Equal(got.data, whole.data) || !sizes {
				t.Errorf("units: got %s, %d bytes, sizes right: %v; want %d bytes", got.verdict, len(got.data), sizes, len(whole.data))
			}
			info, err := inspect("gzip", tc.stored, codec.InspectOptions{})
			if err != nil || info.Units.Count != int64(tc.units) || info.Declared >= 0 && info.Declared != int64(len(whole.data)) {
				t.Errorf("Inspect: got %d units, %d declared, %v; want %d units", info.Units.Count, info.Declared, err, tc.units)
			}
		})
	}
	// A size over two members reads like one; decoding corrects what was made of it.
	info, err := inspect("gzip", join(stated(block, 2*n), block, bgzf(nil)), codec.InspectOptions{Decode: true})
	if err != nil || info.Declared >= 0 || info.Decoded != int64(2*len(line)) || info.Members.Count != 3 {
		t.Errorf("over two members: got %d declared, %d decoded, %d members, %v", info.Declared, info.Decoded, info.Members.Count, err)
	}
}
