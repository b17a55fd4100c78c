package zstd

import "sync"

// code is what a symbol of a sequence stands for: value, with extra bits added.
type code struct {
	value uint32
	extra uint8
}

// literalCodes are lengths of literals, matchCodes those of matches.
var (
	literalCodes = lengths(0, 16, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	matchCodes   = lengths(3, 32, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	offsetCodes  = offsets()
)

// lengths are n codes for one length each, from least on, and codes with extra
// bits for those that follow.
func lengths(least uint32, n int, extra ...uint8) (all []code) {
	for range n {
		all = append(all, code{value: least})
		least++
	}
	for _, k := range extra {
		all = append(all, code{least, k})
		least += 1 << k
	}
	return all
}

// offsets are the codes of offsets, of which the values 1 to 3 stand for repeated
// ones.
func offsets() (all []code) {
	for k := range uint8(32) {
		all = append(all, code{1 << k, k})
	}
	return all
}

// predefined returns the one copy of the tables of RFC 8878, section 3.1.1.3.2.2.
// It is not changed.
var predefined = sync.OnceValue(func() *tables {
	t := new(tables)
	set := func(t []entry, log *int, n int, codes []code, of ...int16) {
		c := counts{n: len(of), log: n}
		copy(c.of[:], of)
		build(t, &c, codes)
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
