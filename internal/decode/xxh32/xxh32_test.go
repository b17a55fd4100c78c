package xxh32_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/decode/xxh32"
)

// TestDigest takes values of the xxHash specification's sanity checks and of
// well-known texts.
func TestDigest(t *testing.T) {
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
			var h, g xxh32.Digest
			h.Reset(c.seed)
			h.Write([]byte(c.text[:cut]))
			g.Restore(c.seed, uint64(cut), h.AppendState(nil))
			g.Write([]byte(c.text[cut:]))
			if got := g.Sum(); got != c.want {
				t.Errorf("%q cut at %d: got %#08x, want %#08x", c.text, cut, got, c.want)
			}
		}
	}
}
