package brotli_test

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestReuse: what a Reader gives does not depend on the streams before, whatever
// their windows were. Copies come from all distances and end wherever the ring does,
// and damage is what the library says.
func TestReuse(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 9))
	s, library := newStreams(), newLibrary()
	for round := range 60 {
		window := 10 + rng.IntN(8)
		stored, want := made(rng, window, rng.IntN(2) == 0, rng.IntN(2*(64<<10+1<<window)))
		s.step = rng.IntN(2) * rng.IntN(3000)
		got, taken, err := s.decode(stored)
		if err != nil || !bytes.Equal(got, want) || taken != len(stored) {
			t.Fatalf("round %d, window %d, pieces of %d: got %s and %v, and %d bytes taken of %d", round, window, s.step, difference(got, want), err, taken, len(stored))
		}
		for range 2 {
			stored[rng.IntN(len(stored))] ^= 1 << rng.IntN(8)
			s.limit = 1 << 20
			compare(t, s, library, stored, round, "damaged")
			s.limit = 0
		}
		if round%20 == 19 {
			s = newStreams()
		}
	}
}
