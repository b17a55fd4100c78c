package zstd

import (
	"math/bits"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// Limits of an FSE table description, RFC 8878 section 4.1.1.
const (
	minLog     = 5
	maxLog     = 9 // of all tables
	maxSymbols = 256
)

// counts are the probabilities of an FSE table in parts of 1<<log. -1 stands for
// less than one part.
type counts struct {
	of  [maxSymbols]int16
	n   int // symbols
	log int

	work int64 // entries of tables, and Huffman weights, made since it was reset
}

// parse reads the description at the beginning of b, of at most symbols symbols
// and at most 1<<log parts. It returns its size.
func (c *counts) parse(b []byte, symbols, log int) (int, error) {
	r := forward{b: b}
	c.n, c.log = 0, r.peek(4)+minLog
	r.pos = 4
	if c.log > log {
		return 0, fault.Corruptf("accuracy of a table beyond its limit")
	}
	left := 1 << c.log
	for left > 0 {
		if c.n == symbols {
			return 0, fault.Corruptf("probabilities of a table do not add up")
		}
		// A value is one of left+2, of which the first, as many as shorter, take a bit less.
		size := bits.Len(uint(left + 1))
		shorter := 1<<size - 2 - left
		v, low := r.peek(size), 1<<(size-1)-1
		switch {
		case v&low < shorter:
			v &= low
			r.pos += size - 1
		case v > low:
			v -= shorter
			fallthrough
		default:
			r.pos += size
		}
		c.of[c.n] = int16(v - 1)
		c.n++
		switch v {
		case 0:
			left--
		case 1:
			if !c.zeros(&r, symbols) {
				return 0, fault.Corruptf("symbols of a table beyond the last")
			}
		default:
			left -= v - 1
		}
	}
	if r.over() {
		return 0, fault.Corruptf("description of a table cut short")
	}
	return r.used(), nil
}

// zeros reads how many symbols without probability follow one.
func (c *counts) zeros(r *forward, symbols int) bool {
	for more := 3; more == 3; {
		more = r.peek(2)
		r.pos += 2
		if c.n+more > symbols {
			return false
		}
		for range more {
			c.of[c.n] = 0
			c.n++
		}
	}
	return true
}

// entry is a state of an FSE decoder.
//
//	bits 0–7    how many bits are added to the next state
//	bits 8–15   how many extra bits the symbol's value has
//	bits 16–31  the next state before bits are added
//	bits 32–63  the symbol's value before its extra bits are added
//
// The two lowest bytes of three entries, of one table each, may be added at once.
type entry uint64

func entryOf(value uint32, extra uint8) entry { return entry(value)<<32 | entry(extra)<<8 }

func (e entry) bits() uint8   { return uint8(e) }
func (e entry) extra() uint8  { return uint8(e >> 8) }
func (e entry) next() uint    { return uint(uint16(e >> 16)) }
func (e entry) value() uint32 { return uint32(e >> 32) }

// build makes the table of c in t, which has 1<<c.log entries at least. of are the
// entries of symbols, without bits and next states.
func build(t []entry, c *counts, of *[maxSymbols]entry) {
	size := 1 << c.log
	c.work += int64(size)
	var symbols [1 << maxLog]uint8
	var next [maxSymbols]uint16
	high := size
	for s, n := range c.of[:c.n] {
		next[s] = uint16(n)
		if n < 0 {
			high--
			symbols[high], next[s] = uint8(s), 1
		}
	}
	step, at := size>>1+size>>3+3, 0
	for s, n := range c.of[:c.n] {
		for range max(n, 0) {
			symbols[at&(1<<maxLog-1)] = uint8(s)
			for at = (at + step) & (size - 1); at >= high; {
				at = (at + step) & (size - 1)
			}
		}
	}
	t = t[:size]
	for i, s := range symbols[:size] {
		n := uint(next[s])
		next[s]++
		k := uint(c.log+1) - uint(bits.Len(n))
		t[i] = of[s] | entry(n<<(k&15)-uint(size))<<16 | entry(k)
	}
}
