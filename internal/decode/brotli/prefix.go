package brotli

import (
	"math/bits"
	"slices"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// prefixCodes reads descriptions of prefix codes, RFC 7932 section 3, and appends
// their tables to one another.
type prefixCodes struct {
	symbols []entry // those of a code, with the lengths of theirs
	inner   []entry // the code of code lengths
}

// read reads one code. Its symbols are below limit, at most size, which says how
// wide a symbol is written.
func (p *prefixCodes) read(b *bitReader, to []entry, size, limit int) ([]entry, error) {
	skip := b.take(2)
	if skip == 1 {
		return p.simple(b, to, size, limit)
	}
	if err := p.complex(b, skip, limit); err != nil {
		return to, err
	}
	return appendTable(to, p.symbols), nil
}

// simple reads a code of one to four symbols.
func (p *prefixCodes) simple(b *bitReader, to []entry, size, limit int) ([]entry, error) {
	n := 1 + b.take(2)
	width := uint(bits.Len(uint(size - 1)))
	var symbols [4]int
	for i := range n {
		s := b.take(width)
		if s >= limit {
			return to, fault.Corruptf("symbol beyond the alphabet in a simple code")
		}
		for _, other := range symbols[:i] {
			if s == other && b.err == nil {
				return to, fault.Corruptf("symbol twice in a simple code")
			}
		}
		symbols[i] = s
	}
	shape := n - 1
	if n == 4 {
		shape += b.take(1)
	}
	if b.err != nil {
		return to, b.err
	}
	if n == 1 {
		return appendSingle(to, symbols[0]), nil
	}
	p.symbols = p.symbols[:0]
	for i, s := range symbols[:n] {
		p.symbols = append(p.symbols, makeEntry(s, simpleLengths[shape][i]))
	}
	slices.Sort(p.symbols)
	return appendTable(to, p.symbols), nil
}

// simpleLengths are the lengths of the symbols of simple codes, as they are
// written: two, three, and four in two shapes.
var simpleLengths = [5][4]uint{1: {1, 1}, 2: {1, 2, 2}, 3: {2, 2, 2, 2}, 4: {1, 2, 3, 3}}

// complex reads code lengths, themselves coded.
func (p *prefixCodes) complex(b *bitReader, skip, limit int) error {
	if err := p.readInner(b, skip); err != nil {
		return err
	}
	const whole = 1 << maxBits
	p.symbols = p.symbols[:0]
	last := uint(8) // the last length other than 0
	repeated := 0   // how often the symbol before repeated, if it did
	repeatedBy := 0
	room := whole
	at := 0
	for at < limit && room > 0 {
		s := b.symbol(p.inner)
		if b.err != nil {
			return b.err
		}
		if s < 16 {
			if repeated = 0; s > 0 {
				last = uint(s)
				room -= whole >> s
				p.symbols = append(p.symbols, makeEntry(at, last))
			}
			at++
			continue
		}
		extra, l := uint(2), last
		if s == 17 {
			extra, l = 3, 0
		}
		if s != repeatedBy {
			repeated = 0
		}
		before := repeated
		if repeated > 0 {
			repeated = (repeated - 2) << extra
		}
		repeated += 3 + b.take(extra)
		repeatedBy = s
		if b.err != nil {
			return b.err
		}
		n := repeated - before
		if n > limit-at {
			return fault.Corruptf("code lengths of more symbols than there are")
		}
		if l > 0 {
			room -= n * (whole >> l)
			for i := range n {
				p.symbols = append(p.symbols, makeEntry(at+i, l))
			}
		}
		at += n
	}
	if room != 0 {
		return fault.Corruptf("prefix code that is not complete")
	}
	return nil
}

// innerOrder is the order in which the lengths of the code of code lengths are
// written.
var innerOrder = [18]uint8{1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// innerCode is the code of these lengths: entries for the next four bits.
var innerCode = [16]entry{
	0<<4 | 2, 4<<4 | 2, 3<<4 | 2, 2<<4 | 3, 0<<4 | 2, 4<<4 | 2, 3<<4 | 2, 1<<4 | 4,
	0<<4 | 2, 4<<4 | 2, 3<<4 | 2, 2<<4 | 3, 0<<4 | 2, 4<<4 | 2, 3<<4 | 2, 5<<4 | 4,
}

// readInner reads the code of code lengths, of which the first skip are 0.
func (p *prefixCodes) readInner(b *bitReader, skip int) error {
	const whole = 1 << 5
	p.symbols = p.symbols[:0]
	room := whole
	for _, at := range innerOrder[skip:] {
		e := innerCode[b.acc&15]
		for e.bits() > b.n {
			if !b.fill(b.n + 1) {
				return b.err
			}
			e = innerCode[b.acc&15]
		}
		b.take(e.bits())
		l := e.value()
		if l == 0 {
			continue
		}
		p.symbols = append(p.symbols, makeEntry(int(at), l))
		if room -= whole >> l; room <= 0 {
			break
		}
	}
	switch {
	case len(p.symbols) == 1:
		p.inner = appendSingle(p.inner[:0], int(p.symbols[0].value()))
	case room == 0:
		slices.Sort(p.symbols)
		p.inner = appendTable(p.inner[:0], p.symbols)
	default:
		return fault.Corruptf("code of code lengths that is not complete")
	}
	return nil
}
