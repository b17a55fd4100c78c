package inflate

import "sync"

const (
	maxLit     = 288 // literal and length symbols of the fixed code
	maxDist    = 32  // distance symbols of the fixed code
	maxDynLit  = 286 // as many as a dynamic block may have
	maxDynDist = 30
	numPre     = 19 // symbols of the code for code lengths
	endOfBlock = 256
)

// preOrder is the order in which the lengths of that code are stored.
var preOrder = [numPre]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// Entries of all symbols, without code lengths.
var (
	litProto  = makeLitProto()
	distProto = makeDistProto()
	preProto  = makePreProto()
)

// makeLitProto follows the first table of RFC 1951 section 3.2.5.
func makeLitProto() (t [maxLit]entry) {
	for i := range endOfBlock {
		t[i] = oneLiteral | entry(i)<<16
	}
	t[endOfBlock] = blockEnd
	base := entry(3)
	for i := range 28 {
		extra := entry(0)
		if i >= 8 {
			extra = entry(i-4) / 4
		}
		t[257+i] = base<<16 | extra
		base += 1 << extra
	}
	t[285] = 258 << 16
	t[286] = noSymbol
	t[287] = noSymbol
	return t
}

// makeDistProto follows the second table of section 3.2.5.
func makeDistProto() (t [maxDist]entry) {
	base := entry(1)
	for i := range 30 {
		extra := entry(0)
		if i >= 4 {
			extra = entry(i-2) / 2
		}
		t[i] = base<<16 | extra
		base += 1 << extra
	}
	t[30] = noSymbol
	t[31] = noSymbol
	return t
}

// makePreProto has the symbols of section 3.2.7 as values. Their extra bits are
// read apart.
func makePreProto() (t [numPre]entry) {
	for i := range t {
		t[i] = entry(i) << 16
	}
	return t
}

// fixedTables are the tables of the code of section 3.2.6.
type fixedTables struct {
	lit  litTable
	dist distTable
}

// fixed returns the one copy of the fixed tables. They are not changed.
var fixed = sync.OnceValue(func() *fixedTables {
	var lit [maxLit]uint8
	for i := range lit {
		switch {
		case i < 144:
			lit[i] = 8
		case i < 256:
			lit[i] = 9
		case i < 280:
			lit[i] = 7
		default:
			lit[i] = 8
		}
	}
	var dist [maxDist]uint8
	for i := range dist {
		dist[i] = 5
	}
	t := new(fixedTables)
	if !build(t.lit[:], litBits, lit[:], litProto[:]) || !build(t.dist[:], distBits, dist[:], distProto[:]) {
		panic("inflate: internal error: fixed code is incomplete")
	}
	return t
})
