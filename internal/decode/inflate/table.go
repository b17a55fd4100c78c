package inflate

// An entry of a decoding table states all about the symbols that some bits of
// input begin with:
//
//	bits  0–7   how many bits they take, extra bits included
//	bits  8–11  how many of these are the code of the first symbol
//	bits 12–13  literal: how many there are, 1 or 2; special: its kind
//	bit  14     special
//	bit  15     literal
//	bits 16–31  literal: its byte, the second literal above it; length or
//	            distance: the value to which the extra bits are added;
//	            subtable: its first index
//
// The entry of a subtable has the subtable's width in bits 8–11; the bits after
// its own are the index there. An entry in a subtable counts all of its bits.
type entry = uint32

const (
	isLiteral   entry = 1 << 15
	oneLiteral        = isLiteral | 1<<12
	twoLiterals       = isLiteral | 2<<12

	isSpecial entry = 1 << 14
	subtable        = isSpecial | 0<<12
	blockEnd        = isSpecial | 1<<12
	noSymbol        = isSpecial | 2<<12 // no symbol has these bits

	kind = isLiteral | isSpecial | 3<<12

	// perBit times a code's length, added to a symbol's entry without one,
	// makes that entry whole.
	perBit entry = 1<<8 | 1
)

const (
	maxBits = 15 // longest code

	// Codes up to these lengths are found by one look. 11 and 9 bits keep both
	// tables in a first-level cache.
	litBits  = 11
	distBits = 9
	preBits  = 7

	// Room for subtables: at most 2342 and 594 entries are used by any code.
	// Powers of two let an index be masked instead of checked.
	litSize  = 1 << 12
	distSize = 1 << 10
	preSize  = 1 << preBits
)

type (
	litTable  [litSize]entry
	distTable [distSize]entry
	preTable  [preSize]entry
)

// fill makes the table of c, which is valid and sorted. proto has an entry without code length
// for every symbol. The first 1<<width entries are looked at first.
func (c *code) fill(table []entry, width uint, proto []entry) {
	switch {
	case c.used == 0:
		fill(table[:1<<width], noSymbol)
		return
	case c.used == 1:
		fill(table[:1<<width], proto[c.sorted[0]]+perBit)
		for i := 1; i < 1<<width; i += 2 {
			table[i] = noSymbol | perBit
		}
		return
	}

	// code is the bits of the next code, its first bit lowest, as input has
	// them. The table for one more bit is the table twice.
	code, count, syms := 0, c.count, c.sorted[:c.used]
	for l := uint(1); l <= width; l++ {
		half := 1 << (l - 1)
		copy(table[half:2*half], table[:half])
		for range count[l] {
			table[code] = proto[syms[0]] + perBit*entry(l)
			syms = syms[1:]
			code = following(code, l)
		}
	}

	end := 1 << width
	var sub []entry // the subtable being filled
	prefix := -1    // what leads there
	for l := width + 1; len(syms) > 0; l++ {
		for ; count[l] > 0; count[l]-- {
			if p := code & (1<<width - 1); p != prefix {
				prefix = p
				w := l - width
				for room := int(count[l]); room < 1<<w; {
					w++
					room = room<<1 + int(count[width+w])
				}
				sub = table[end : end+1<<w]
				table[prefix] = subtable | entry(end)<<16 | entry(w)<<8 | entry(width)
				end += 1 << w
			}
			e := proto[syms[0]] + perBit*entry(l)
			for i := code >> width; i < len(sub); i += 1 << (l - width) {
				sub[i] = e
			}
			syms = syms[1:]
			code = following(code, l)
		}
	}
}

// following is the code of length l after code, both with the first bit lowest.
func following(code int, l uint) int {
	bit := 1 << (l - 1)
	for code&bit != 0 {
		code ^= bit
		bit >>= 1
	}
	return code | bit
}

func fill(table []entry, e entry) {
	for i := range table {
		table[i] = e
	}
}
