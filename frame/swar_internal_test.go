package frame

import (
	"math/rand/v2"
	"testing"
)

// TestMatches compares with a loop over the bytes.
func TestMatches(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b [block]byte
		for i := range b {
			b[i] = "\"\n#\x0b\x8a\xa2\x00\xff"[rnd.IntN(8)]
		}
		var want, wantParity uint64
		odd := uint64(0)
		for i, c := range b {
			if c == '"' {
				want |= 1 << i
				odd ^= 1
			}
			wantParity |= odd << i
		}
		x := matches(&b, '"')
		if x != want {
			t.Fatalf("%q: got %x, want %x", b, x, want)
		}
		if got := parity(x); got != wantParity {
			t.Fatalf("parity of %x: got %x, want %x", x, got, wantParity)
		}
	}
}
