package zstd

import (
	"math/bits"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

const (
	huffBits   = 11 // longest Huffman code
	weightLog  = 6  // largest accuracy of the table of weights
	maxWeights = 255
)

// huffTable is indexed by the next bits, as many as the longest code has: a word
// that holds them highest, shifted right. An entry is a code's length in its low
// byte and a literal in the high one.
type huffTable struct {
	of    [1 << huffBits]uint16
	shift uint
}

// at is the entry of the word w.
func (t *huffTable) at(w uint64) uint16 { return t.of[w>>(t.shift&63)&(1<<huffBits-1)] }

// huffWeights are the weights of the literals: 0 for none, else the longest code's
// length and one less the literal's.
type huffWeights struct {
	of [maxWeights + 1]uint8
	n  int // those described; one more follows from them
}

// parse reads the tree description at the beginning of b, RFC 8878 section 4.2.1,
// and builds its table, with c as room for one of weights. It returns its size.
func (t *huffTable) parse(b []byte, c *counts) (int, error) {
	if len(b) == 0 {
		return 0, fault.Corruptf("no description of the Huffman tree")
	}
	var w huffWeights
	var err error
	size := int(b[0])
	b = b[1:]
	if size >= 128 {
		w.n = size - 127
		size = (w.n + 1) / 2
		if size > len(b) {
			return 0, fault.Corruptf("description of the Huffman tree cut short")
		}
		for i := range w.n {
			w.of[i] = b[i/2] >> (4 * (^i & 1)) & 15
		}
	} else {
		if size > len(b) {
			return 0, fault.Corruptf("description of the Huffman tree cut short")
		}
		err = w.decode(b[:size], c)
	}
	c.work += int64(w.n)
	if err == nil {
		err = t.build(&w)
	}
	return 1 + size, err
}

// decode reads weights that two FSE states give in turn, until the bits of one
// are missing.
func (w *huffWeights) decode(b []byte, c *counts) error {
	var t [1 << weightLog]entry
	n, err := c.parse(b, maxSymbols, weightLog)
	if err != nil {
		return err
	}
	build(t[:], c, &weightCodes.of)
	var r backward
	if !r.start(b[n:]) {
		return fault.Corruptf("weights without an end mark")
	}
	one, two := int(r.read(c.log)), int(r.read(c.log))
	if r.left < 0 {
		return fault.Corruptf("weights cut short")
	}
	for {
		e := t[one]
		if w.n == maxWeights {
			return fault.Corruptf("too many weights")
		}
		w.of[w.n] = uint8(e.value())
		w.n++
		one = int(e.next())
		if e.bits() > 0 {
			one += int(r.read(int(e.bits())))
		}
		if r.left < 0 {
			if w.n == maxWeights {
				return fault.Corruptf("too many weights")
			}
			w.of[w.n] = uint8(t[two].value())
			w.n++
			return nil
		}
		one, two = two, one
	}
}

// build makes the table of w, and the weight that is not described.
func (t *huffTable) build(w *huffWeights) error {
	var of [huffBits + 2]int // literals of each weight
	sum := 0
	for _, v := range w.of[:w.n] {
		if v > huffBits {
			return fault.Corruptf("Huffman weight beyond the limit")
		}
		of[v]++
		sum += 1 << v >> 1
	}
	longest := bits.Len(uint(sum))
	left := 1<<longest - sum
	if sum == 0 || longest > huffBits || left&(left-1) != 0 {
		return fault.Corruptf("Huffman weights do not add up")
	}
	last := bits.Len(uint(left))
	w.of[w.n] = uint8(last)
	of[last]++
	if of[1] < 2 {
		return fault.Corruptf("Huffman weights do not add up")
	}
	// Codes ascend with the weights, literals of one weight in their order.
	t.shift = uint(64 - longest)
	var at [huffBits + 2]int
	for v := 1; v <= longest; v++ {
		at[v+1] = at[v] + of[v]<<(v-1)
	}
	for s, v := range w.of[:w.n+1] {
		if v == 0 {
			continue
		}
		e := uint16(s)<<8 | uint16(longest+1-int(v))
		from := at[v]
		at[v] += 1 << (v - 1)
		run := t.of[from:at[v]]
		head := run[:min(len(run), 8)]
		for i := range head {
			head[i] = e
		}
		for n := len(head); n < len(run); n *= 2 {
			copy(run[n:], run[:n])
		}
	}
	return nil
}
