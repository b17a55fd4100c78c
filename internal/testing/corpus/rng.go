package corpus

import "math/rand/v2"

// rng draws numbers whose sequence depends on the seed alone. It uses nothing of
// rand.Rand, whose reductions may change with a Go release.
type rng struct{ src *rand.PCG }

func newRNG(seed uint64) *rng { return &rng{rand.NewPCG(seed, 0x7468617763617365)} }

func (r *rng) uint64() uint64 { return r.src.Uint64() }

// intn is in [0, n). n is below 2^32.
func (r *rng) intn(n int) int { return int(r.src.Uint64() >> 32 * uint64(n) >> 32) }

// skewed is in [0, n), small numbers far more often than large ones, as the
// popularity of users and paths is.
func (r *rng) skewed(n int) int {
	u := uint64(r.intn(1 << 16))
	return int((u * u >> 16 * u >> 16) * uint64(n) >> 16)
}

func (r *rng) pick(of []string) string { return of[r.intn(len(of))] }

func (r *rng) pickSkewed(of []string) string { return of[r.skewed(len(of))] }
