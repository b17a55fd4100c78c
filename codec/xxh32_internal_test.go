package codec

import "testing"

// XXH32 lets tests make checksums.
func XXH32(seed uint32, p []byte) uint32 { return xxh32Of(seed, p) }

// TestXXH32 takes values of the xxHash specification's sanity checks and of
// well-known texts.
func TestXXH32(t *testing.T) {
	for _, c := range []struct {
		text string
		seed uint32
		want uint32
	}{
		{"", 0, 0x02cc5d05},
		{"a", 0, 0x550d7456},
		{"abc", 0, 0x32d153ff},
		{"Nobody inspects the spammish repetition", 0, 0xe2293b2f},
	} {
		for cut := range len(c.text) + 1 {
			var h xxh32
			h.reset(c.seed)
			h.write([]byte(c.text[:cut]))
			h.write([]byte(c.text[cut:]))
			if got := h.sum(); got != c.want {
				t.Errorf("%q cut at %d: got %#08x, want %#08x", c.text, cut, got, c.want)
			}
		}
	}
}
