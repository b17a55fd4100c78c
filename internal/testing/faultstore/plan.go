package faultstore

import (
	"math/rand/v2"
	"slices"
)

// Plan chooses what befalls a call. A store asks for one call at a time. Nil
// means that nothing does.
type Plan func(Call) Fault

// First is the fault of the first plan that has one.
func First(plans ...Plan) Plan {
	return func(c Call) Fault {
		for _, p := range plans {
			if f := p(c); f.Kind != None {
				return f
			}
		}
		return Fault{}
	}
}

// Nth strikes the call of an Op that comes after n others of it.
func Nth(o Op, n int, f Fault) Plan {
	return func(c Call) Fault {
		if c.Op == o && c.N == n {
			return f
		}
		return Fault{}
	}
}

// Tries strikes the first calls of an Op for each key and offset, one fault a
// try; later tries succeed.
func Tries(o Op, faults ...Fault) Plan {
	return func(c Call) Fault {
		if c.Op == o && c.Try < len(faults) {
			return faults[c.Try]
		}
		return Fault{}
	}
}

// Always strikes every call of an Op.
func Always(o Op, f Fault) Plan {
	return func(c Call) Fault {
		if c.Op == o {
			return f
		}
		return Fault{}
	}
}

// Rates are shares of calls, by the kind of fault that strikes them. Together
// they are 1 at most.
type Rates map[Kind]float64

// Random draws a fault for each call from seed, op, key, offset and try. Where it
// strikes is drawn too, the ends of a body more often than its middle. A stall
// or a slow answer lasts for ever.
func Random(seed uint64, rates Rates) Plan {
	kinds := make([]Kind, 0, len(rates))
	for k := range rates {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return func(c Call) Fault {
		r := rand.New(rand.NewPCG(seed, digest(c)))
		p := r.Float64()
		for _, k := range kinds {
			if !k.of(c.Op) {
				continue
			}
			if p -= rates[k]; p < 0 {
				return Fault{Kind: k, At: where(r, k, c.Length)}
			}
		}
		return Fault{}
	}
}

// where draws the place of a fault among length bytes or objects.
func where(r *rand.Rand, k Kind, length int64) int64 {
	if k == Shifted {
		return []int64{-4, -1, 1, 4, 4096, -max(length, 1)}[r.IntN(6)]
	}
	edges := []int64{0, 1, length - 1, length}
	if i := r.IntN(2 * len(edges)); i < len(edges) {
		return max(0, edges[i])
	}
	return r.Int64N(length + 1)
}

// digest tells calls apart but for their number, which depends on the order in
// which goroutines run.
func digest(c Call) uint64 {
	h := uint64(14695981039346656037) // FNV-1a, 64 bits
	add := func(b byte) { h = (h ^ uint64(b)) * 1099511628211 }
	for i := range len(c.Key) {
		add(c.Key[i])
	}
	for _, n := range []uint64{uint64(c.Op), uint64(c.Offset), uint64(c.Try)} {
		for range 8 {
			add(byte(n))
			n >>= 8
		}
	}
	return h
}
