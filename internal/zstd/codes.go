package zstd

import "sync"

// code is what a symbol of a sequence stands for: value, with extra bits added.
type code struct {
	value uint32
	extra uint8
}

// Largest accuracy of the tables of a sequence.
const (
	literalLog = 9
	offsetLog  = 8
	matchLog   = 9
)

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

// offsets are the codes of offsets. The first two stand for repeated ones, with
// values 1 to 3; the values of the others are less by the 3 that the format adds.
func offsets() (all []code) {
	for k := range uint8(32) {
		c := code{1 << k, k}
		if k > 1 {
			c.value -= 3
		}
		all = append(all, c)
	}
	return all
}

// predefinedTables are those of RFC 8878, section 3.1.1.3.2.2.
type predefinedTables struct{ literals, offsets, matches fseTable }

// predefined returns the one copy of the predefined tables. They are not changed.
var predefined = sync.OnceValue(func() *predefinedTables {
	t := new(predefinedTables)
	build := func(t *fseTable, log int, codes []code, of ...int16) {
		c := counts{n: len(of), log: log}
		copy(c.of[:], of)
		t.build(&c, codes)
	}
	build(&t.literals, 6, literalCodes,
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1)
	build(&t.matches, 6, matchCodes,
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		-1, -1, -1, -1, -1, -1, -1)
	build(&t.offsets, 5, offsetCodes,
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1)
	return t
})
