package zstd

import "sync"

// codes are the entries of symbols.
type codes struct {
	of [maxSymbols]entry
	n  int // how many there are
}

func (c *codes) add(value uint32, extra uint8) {
	c.of[c.n] = entryOf(value, extra)
	c.n++
}

// literalCodes are lengths of literals, matchCodes those of matches.
var (
	literalCodes = lengths(0, 16, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	matchCodes   = lengths(3, 32, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	offsetCodes  = offsets()
	weightCodes  = weights()
)

// lengths are n codes for one length each, from least on, and codes with extra
// bits for those that follow.
func lengths(least uint32, n int, extra ...uint8) *codes {
	c := new(codes)
	for range n {
		c.add(least, 0)
		least++
	}
	for _, k := range extra {
		c.add(least, k)
		least += 1 << k
	}
	return c
}

// weights stand for themselves.
func weights() *codes {
	return lengths(0, maxSymbols)
}

// offsets are the codes of offsets. The values 1 to 3 stand for repeated ones, and
// others are offsets too large by newOffset: one more than in the format, so that
// counting from 0 or, where there are no literals, from 1, no repeated offset has
// the number of a new one.
func offsets() *codes {
	c := new(codes)
	for k := range uint8(32) {
		v := uint32(1) << k
		if v > 3 {
			v++
		}
		c.add(v, k)
	}
	return c
}

const newOffset = 4

// predefined returns the one copy of the tables of RFC 8878, section 3.1.1.3.2.2.
// It is not changed.
var predefined = sync.OnceValue(func() *tables {
	t := new(tables)
	set := func(t []entry, log *int, n int, codes *codes, of ...int16) {
		c := counts{n: len(of), log: n}
		copy(c.of[:], of)
		build(t, &c, &codes.of)
		*log = n
	}
	set(t.literals[:], &t.literalLog, 6, literalCodes,
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1)
	set(t.matches[:], &t.matchLog, 6, matchCodes,
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		-1, -1, -1, -1, -1, -1, -1)
	set(t.offsets[:], &t.offsetLog, 5, offsetCodes,
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1)
	return t
})
