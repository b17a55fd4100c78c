package brotli

import (
	"hash/crc32"
	"testing"
)

// TestContexts holds the rules for contexts to the check values of RFC 7932,
// section 7.1.
func TestContexts(t *testing.T) {
	var number [256]uint8
	for c := range number {
		number[c] = numberContext(c)
	}
	for _, tc := range []struct {
		name  string
		table [256]uint8
		want  uint32
	}{
		{"Lut0", contextModes[2].last, 0x8e91efb7},
		{"Lut1", contextModes[2].second, 0xd01a32f4},
		{"Lut2", number, 0x0dd7a0d6},
	} {
		if got := crc32.ChecksumIEEE(tc.table[:]); got != tc.want {
			t.Errorf("%s: got %08x, want %08x", tc.name, got, tc.want)
		}
	}
}
