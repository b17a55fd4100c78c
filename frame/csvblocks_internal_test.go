package frame

import (
	"math/rand/v2"
	"testing"
)

// TestParity compares with a loop over the bits.
func TestParity(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		m := rnd.Uint64() & rnd.Uint64() & rnd.Uint64()
		want, odd := uint64(0), uint64(0)
		for i := range 64 {
			odd ^= m >> i & 1
			want |= odd << i
		}
		if got := parity(m); got != want {
			t.Fatalf("parity of %x: got %x, want %x", m, got, want)
		}
	}
}
