package inflate

// Packing two literals in an entry gains up to a third where short literals
// dominate, and loses some percent elsewhere, where building them
// costs more than it saves.
const (
	pairMin    = 64      // of 256 entries taken that are to be pairs
	smallBlock = 4 << 10 // stored bytes
)

// pair makes entries of two literals where both codes fit in the bits of one
// look at t.
func (t *litTable) pair() {
	if assembled {
		pairAVX2(t)
	} else {
		t.pairGo()
	}
}

// pairGo is pair in Go.
func (t *litTable) pairGo() {
	// The second literal of entry i is at i without the first one's bits, which
	// is lower, and so not yet a pair. Entry 0 is its own.
	for i := 1<<litBits - 1; i >= 0; i-- {
		e := t[i]
		if e&isLiteral == 0 {
			continue
		}
		next := t[i>>(e&15)]
		if size := e&15 + next&15; next&isLiteral != 0 && size <= litBits {
			t[i] = twoLiterals | next<<8&(0xff<<24) | e&(0xff<<16) | e&0xf00 | size
		}
	}
}

// pairs estimates how many of 256 entries taken would be pairs. count is how many
// symbols have codes of each length, and others are the lengths of those that are no
// literals.
func pairs(count lengths, others []uint8) int {
	for _, l := range others {
		count[l&maxBits]--
	}
	sum := 0
	for a := 1; a < litBits; a++ {
		for b := 1; a+b <= litBits; b++ {
			sum += int(count[a]) * int(count[b]) << (litBits - a - b)
		}
	}
	return sum >> (litBits - 8)
}
