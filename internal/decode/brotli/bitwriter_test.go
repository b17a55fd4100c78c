package brotli_test

import "math/bits"

// bitWriter assembles a stream by hand.
type bitWriter struct {
	out  []byte
	used int // bits in the last byte; 0 means that it is full
}

// num appends the n low bits of v, the lowest first.
func (w *bitWriter) num(v, n int) *bitWriter {
	for i := range n {
		if w.used == 0 {
			w.out = append(w.out, 0)
		}
		w.out[len(w.out)-1] |= byte(v>>i&1) << w.used
		w.used = (w.used + 1) & 7
	}
	return w
}

// stream begins with a window of 64 KiB.
func stream() *bitWriter { return new(bitWriter).num(0, 1) }

func (w *bitWriter) align() *bitWriter {
	w.used = 0
	return w
}

// coded begins a meta-block of size bytes.
func (w *bitWriter) coded(last bool, size int) *bitWriter {
	if last {
		w.num(1, 2)
	} else {
		w.num(0, 1)
	}
	w.num(0, 2).num(size-1, 16)
	if !last {
		w.num(0, 1)
	}
	return w
}

// end is an empty last meta-block.
func (w *bitWriter) end() *bitWriter { return w.num(3, 2) }

// count appends a number from 1 to 256: of types or of codes.
func (w *bitWriter) count(n int) *bitWriter {
	if n == 1 {
		return w.num(0, 1)
	}
	k := bits.Len(uint(n-1)) - 1
	return w.num(1, 1).num(k, 3).num(n-1-1<<k, k)
}

// plain is what comes before the codes where each category has one type and one
// code, and distances have no postfix and none is direct.
func (w *bitWriter) plain() *bitWriter { return w.num(0, 3).num(0, 6).num(0, 2).num(0, 2) }

// simple is a code of one to four symbols. The fourth shape is the steep one.
func (w *bitWriter) simple(alphabet int, symbols ...int) *bitWriter {
	w.num(1, 2).num(len(symbols)-1, 2)
	for _, s := range symbols {
		w.num(s, bits.Len(uint(alphabet-1)))
	}
	return w
}

// The sizes of alphabets.
const (
	ofLiterals  = 256
	ofCommands  = 704
	ofDistances = 16 + 48 // with no postfix, and none direct
)

// distance is the symbol of a distance, and the bits after it, where there is no
// postfix and none is direct.
func distance(d int) (symbol, extra, n int) {
	v := d + 3
	n = bits.Len(uint(v)) - 2
	return 16 + 2*(n-1) + v>>n&1, v & (1<<n - 1), n
}
