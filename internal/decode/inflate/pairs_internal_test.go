package inflate

import (
	"math/rand/v2"
	"testing"
)

// The assembly makes the table that the loop in Go makes, of random entries too:
// it may not look beyond what a table of codes would make it look at.
func TestPairAssembled(t *testing.T) {
	if !assembled {
		t.Skip("no assembly here")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var got litTable
		for i := range got {
			switch rng.IntN(4) {
			case 0:
				got[i] = rng.Uint32()
			case 1:
				got[i] = blockEnd | perBit*entry(1+rng.IntN(15))
			default:
				got[i] = oneLiteral | rng.Uint32()&(0xff<<16) | perBit*entry(1+rng.IntN(11))
			}
		}
		want := got
		pairAVX2(&got)
		want.pairGo()
		if got != want {
			t.Fatal("tables differ")
		}
	}
}
