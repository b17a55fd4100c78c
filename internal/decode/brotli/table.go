package brotli

import "math/bits"

const (
	rootBits = 8  // bits that the first lookup takes
	maxBits  = 15 // longest code
)

// entry is what a table has for the next bits: the bits of a symbol's code in the
// lowest four, the symbol above. Where a code is longer than rootBits, the entry of
// its first bits has as many more than rootBits as index a second part of the
// table, which begins at the value.
//
// 12 bits hold the largest alphabet, of 1128 symbols, and the largest table.
type entry uint16

func makeEntry(value int, bits uint) entry { return entry(value<<4) | entry(bits) }

func (e entry) bits() uint   { return uint(e & 15) }
func (e entry) value() uint  { return uint(e >> 4) }
func (e entry) isLink() bool { return e&15 > rootBits }

// use returns acc and its number of bits n without the bits of e's symbol.
func (e entry) use(acc uint64, n uint) (uint64, uint) { return acc >> e.bits(), n - e.bits() }

// appendTable appends the table of the canonical code of some symbols, which ascend,
// each with the length of its code. They are complete: the caller has looked.
func appendTable(to, symbols []entry) []entry {
	var count [1 << 4]int
	for _, e := range symbols {
		count[e.bits()]++
	}
	var code [maxBits + 2]int
	for l := 1; l <= maxBits; l++ {
		code[l+1] = (code[l] + count[l]) << 1
	}
	start := len(to)
	to = grow(to, 1<<rootBits)
	root := to[start:]
	longest := 0
	for l := maxBits; l > rootBits && longest == 0; l-- {
		if count[l] > 0 {
			longest = l
		}
	}
	if longest == 0 {
		for _, e := range symbols {
			l := e.bits()
			put(root, code[l], l, e, rootBits)
			code[l]++
		}
		return to
	}
	// The codes that share their first bits are neighbours, the longest last.
	var deepest [1 << rootBits]uint8
	next := code
	for l := rootBits + 1; l <= longest; l++ {
		for range count[l] {
			deepest[next[l]>>(l-rootBits)] = uint8(l)
			next[l]++
		}
	}
	var part [1 << rootBits]int
	for prefix, l := range deepest {
		if l == 0 {
			continue
		}
		part[prefix] = len(to) - start
		link := makeEntry(part[prefix], uint(l))
		to[start+int(bits.Reverse16(uint16(prefix))>>(16-rootBits))] = link
		to = grow(to, 1<<(l-rootBits))
	}
	root = to[start:]
	for _, e := range symbols {
		l := e.bits()
		if l <= rootBits {
			put(root[:1<<rootBits], code[l], l, e, rootBits)
		} else {
			prefix := code[l] >> (l - rootBits)
			rest := code[l] & (1<<(l-rootBits) - 1)
			width := uint(deepest[prefix]) - rootBits
			put(root[part[prefix]:][:1<<width], rest, l-rootBits, e, width)
		}
		code[l]++
	}
	return to
}

// put writes e wherever the next bits begin with a code of n bits, whose first
// bit is the highest.
func put(t []entry, code int, n uint, e entry, width uint) {
	at := int(bits.Reverse16(uint16(code)) >> (16 - n))
	for step := 1 << n; at < 1<<width; at += step {
		t[at] = e
	}
}

// appendSingle appends the table of a code of one symbol, which takes no bits.
func appendSingle(to []entry, symbol int) []entry {
	start := len(to)
	to = grow(to, 1<<rootBits)
	root := to[start:]
	for i := range root[:16] {
		root[i] = makeEntry(symbol, 0)
	}
	for n := 16; n < len(root); n *= 2 {
		copy(root[n:], root[:n])
	}
	return to
}

// grow makes t longer by n entries, whatever they are.
func grow(t []entry, n int) []entry {
	if cap(t)-len(t) < n {
		t = append(t, make([]entry, n)...)
		return t
	}
	return t[:len(t)+n]
}
