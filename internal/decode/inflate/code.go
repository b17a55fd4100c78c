package inflate

import "encoding/binary"

// lengths are how many symbols have codes of each length, and none.
type lengths [maxBits + 1]uint16

// code is a canonical prefix code: how many symbols have codes of each length, and
// the symbols that have one, by length and then by their order.
type code struct {
	count  lengths
	used   int
	sorted [maxLit]uint16
}

// set makes c a code of n symbols, of which count have each length, and reports false
// for one that is neither complete nor empty nor of one bit for one symbol. It is to
// be sorted before it is used.
func (c *code) set(n int, count *lengths) bool {
	c.count = *count
	c.used = n - int(c.count[0])
	c.count[0] = 0
	space := 0
	for _, n := range &c.count {
		space = space<<1 + int(n)
	}
	return space == 1<<maxBits || c.used == 0 || c.used == 1 && c.count[1] == 1
}

// sort sorts the symbols, whose codes have these lengths.
func (c *code) sort(lens []uint8) {
	before := uint16(0)
	var next lengths // where the next symbol of each length goes
	for l, n := range &c.count {
		next[l] = before
		before += n
	}
	// Symbols without a code are many, and lie side by side.
	i := 0
	for ; i < len(lens)-7; i += 8 {
		if w := binary.LittleEndian.Uint64(lens[i:]); w != 0 {
			for s := i; s < i+8; s++ {
				if l := w & maxBits; l != 0 {
					c.sorted[next[l]] = uint16(s)
					next[l]++
				}
				w >>= 8
			}
		}
	}
	for ; i < len(lens); i++ {
		if l := lens[i] & maxBits; l != 0 {
			c.sorted[next[l]] = uint16(i)
			next[l]++
		}
	}
}

// find is the entry that a table of c, filled with proto, has for bits, where no
// two literals share one. It takes a turn for each bit of the code.
func (c *code) find(bits uint64, proto []entry) entry {
	// word is the bits so far, first the first code of as many, and syms are the
	// symbols of codes as long or longer.
	word, first, syms := 0, 0, c.sorted[:c.used]
	for l := 1; len(syms) > 0; l++ {
		word = word<<1 | int(bits&1)
		bits >>= 1
		first <<= 1
		n := int(c.count[l&maxBits])
		if word-first < n {
			return proto[syms[word-first]] + perBit*entry(l)
		}
		syms = syms[n:]
		first += n
	}
	return noSymbol | perBit*entry(c.used)
}

// counted is how many of lens have each value.
func counted(lens []uint8) (count lengths) {
	for i := 0; i < len(lens); {
		if len(lens)-i >= 8 && binary.LittleEndian.Uint64(lens[i:]) == 0 {
			count[0] += 8
			i += 8
			continue
		}
		count[lens[i]&maxBits]++
		i++
	}
	return count
}

// build fills table for the code with these lengths, as set and fill do.
func build(table []entry, width uint, lens []uint8, proto []entry) bool {
	var c code
	count := counted(lens)
	if !c.set(len(lens), &count) {
		return false
	}
	c.sort(lens)
	c.fill(table, width, proto)
	return true
}
