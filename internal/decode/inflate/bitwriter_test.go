package inflate_test

import (
	"math/bits"
	"slices"
)

// bitWriter assembles deflate data by hand.
type bitWriter struct {
	out  []byte
	used int // bits in the last byte; 0 means that it is full
}

// num appends the n low bits of v, the lowest first.
func (w *bitWriter) num(v uint64, n int) *bitWriter {
	for i := range n {
		if w.used == 0 {
			w.out = append(w.out, 0)
		}
		w.out[len(w.out)-1] |= byte(v>>i&1) << w.used
		w.used = (w.used + 1) & 7
	}
	return w
}

// code appends a Huffman code of n bits, the highest first.
func (w *bitWriter) code(v uint64, n int) *bitWriter {
	return w.num(bits.Reverse64(v)>>(64-n), n)
}

func (w *bitWriter) align() *bitWriter {
	w.used = 0
	return w
}

// stored appends a stored block.
func (w *bitWriter) stored(final bool, data string) *bitWriter {
	w.begin(final, 0).align()
	w.num(uint64(len(data)), 16).num(uint64(^uint16(len(data))), 16)
	w.out = append(w.out, data...)
	return w
}

// begin appends the first three bits of a block.
func (w *bitWriter) begin(final bool, kind uint64) *bitWriter {
	if final {
		return w.num(1|kind<<1, 3)
	}
	return w.num(kind<<1, 3)
}

// codes are the canonical codes for some lengths.
type codes struct {
	lens []int
	code []uint64
}

func canonical(lens []int) codes {
	c := codes{lens, make([]uint64, len(lens))}
	next := uint64(0)
	for l := 1; l <= 15; l++ {
		for s, n := range lens {
			if n == l {
				c.code[s] = next
				next++
			}
		}
		next <<= 1
	}
	return c
}

// block writes symbols with some codes.
type block struct {
	*bitWriter
	lit, dist codes
}

func (w *bitWriter) fixed(final bool) block {
	w.begin(final, 1)
	lit, dist := make([]int, 288), make([]int, 32)
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
	for i := range dist {
		dist[i] = 5
	}
	return block{w, canonical(lit), canonical(dist)}
}

// dynamic begins a dynamic block whose code lengths are written plainly, each
// with a code of four or five bits.
func (w *bitWriter) dynamic(final bool, lit, dist []int) block {
	w.begin(final, 2)
	w.num(uint64(len(lit)-257), 5).num(uint64(len(dist)-1), 5)
	pre := w.preLens(slices.Concat(slices.Repeat([]int{4}, 13), slices.Repeat([]int{5}, 6)))
	for _, l := range slices.Concat(lit, dist) {
		w.code(pre.code[l], pre.lens[l])
	}
	return block{w, canonical(lit), canonical(dist)}
}

// preLens writes the lengths of the code for code lengths.
func (w *bitWriter) preLens(lens []int) codes {
	order := []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	w.num(uint64(len(order)-4), 4)
	for _, s := range order {
		w.num(uint64(lens[s]), 3)
	}
	return canonical(lens)
}

func (b block) lits(s string) block {
	for _, c := range []byte(s) {
		b.sym(int(c))
	}
	return b
}

// sym writes a literal or length symbol without extra bits.
func (b block) sym(s int) block {
	b.code(b.lit.code[s], b.lit.lens[s])
	return b
}

// match writes a length with its distance.
func (b block) match(length, dist int) block {
	s, extra, n := spread(length-3, 4, 2)
	if length == 258 {
		s, n = 28, 0
	}
	b.sym(257 + s)
	b.num(extra, n)
	s, extra, n = spread(dist-1, 2, 1)
	b.code(b.dist.code[s], b.dist.lens[s])
	b.num(extra, n)
	return b
}

// spread finds the symbol and the extra bits for v when there are per symbols of
// each number of extra bits, per being 1<<log.
func spread(v, per, log int) (sym int, extra uint64, n int) {
	if v < 2*per {
		return v, 0, 0
	}
	n = bits.Len(uint(v)) - log - 1
	return per*n + v>>n, uint64(v & (1<<n - 1)), n
}

func (b block) end() *bitWriter {
	b.sym(256)
	return b.bitWriter
}

// flat are lengths of a complete code for n symbols that is as even as can be.
func flat(n int) []int {
	lens := make([]int, n)
	width := bits.Len(uint(n - 1))
	short := 1<<width - n
	for i := range lens {
		lens[i] = width
		if i < short {
			lens[i] = width - 1
		}
	}
	return lens
}

// steep are lengths 1, 2, 3 … 15, 15 for the symbols named, of n.
func steep(n int, syms ...int) []int {
	lens := make([]int, n)
	for i, s := range syms {
		lens[s] = min(i+1, len(syms)-1)
	}
	return lens
}
