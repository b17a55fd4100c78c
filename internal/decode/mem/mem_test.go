package mem_test

import (
	"bytes"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/mem"
)

// Repeat writes what copying byte by byte would, and at most 7 bytes beyond its end.
func TestRepeat(t *testing.T) {
	t.Parallel()
	for distance := 1; distance < 8; distance++ {
		for n := range 40 {
			got := bytes.Repeat([]byte{0xa5}, 80)
			copy(got, "12345678")
			want := bytes.Clone(got)
			for i := range n {
				want[8+i] = want[8+i-distance]
			}
			mem.Repeat(mem.Of(got), 8, 8+n, distance)
			if end := 8 + n; !bytes.Equal(got[:end], want[:end]) || !bytes.Equal(got[end+7:], want[end+7:]) {
				t.Errorf("distance %d, %d bytes: got %x, want %x", distance, n, got, want)
			}
		}
	}
}

// Loads and stores are of the lowest byte first, at any offset.
func TestAccess(t *testing.T) {
	t.Parallel()
	b := make([]byte, 40)
	for i := range b {
		b[i] = byte(i)
	}
	v := mem.Of(b)
	if got := mem.Load64(v, 3); got != 0x0a09080706050403 {
		t.Errorf("Load64: got %#x", got)
	}
	if got := mem.Load8(v, 5); got != 5 {
		t.Errorf("Load8: got %d", got)
	}
	mem.Store64(v, 1, 0x8877665544332211)
	mem.Store16(v, 9, 0xaa99)
	mem.Store8(v, 11, 0xbb)
	if want := "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\x0c"; string(b[:13]) != want {
		t.Errorf("after stores: got %x, want %x", b[:13], want)
	}
	mem.Copy16(v, 15, v, 12) // they overlap: read first
	if want := "\x0c\x0d\x0e\x0c\x0d\x0e\x0f\x10\x11\x12"; string(b[12:22]) != want {
		t.Errorf("after a copy: got %x, want %x", b[12:22], want)
	}
	if got := mem.TableOf([]uint16{7, 8, 9}).At(2); got != 9 {
		t.Errorf("At: got %d, want 9", got)
	}
}
