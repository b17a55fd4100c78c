package hostile

import "math/bits"

func brotlis() []Object {
	stream := func(meta func(w *brotliWriter)) func(size int) []byte {
		return func(size int) []byte {
			w := new(brotliWriter)
			w.put(0, 1) // a window of 64 KiB
			for len(w.b) < size {
				meta(w)
			}
			w.put(3, 2)
			return w.align()
		}
	}
	of := func(m brotliMeta) func(int) []byte { return stream(m.write) }
	return []Object{
		{"brotli", "empty meta-blocks", stream(func(w *brotliWriter) {
			w.put(0, 1)
			w.put(3, 2)
			w.put(0, 1+2)
			w.align()
		})},
		{"brotli", "meta-blocks of a literal", of(brotliMeta{1, 1, 1, 1, 1, false})},
		{"brotli", "256 codes of literals", of(brotliMeta{1, 1, 1, 256, 1, false})},
		{"brotli", "256 types of literals", of(brotliMeta{256, 1, 1, 1, 1, false})},
		{"brotli", "256 types of literals, a map to two codes", of(brotliMeta{256, 1, 1, 2, 1, false})},
		{"brotli", "256 types of literals, a map of 256 codes moved to the front", of(brotliMeta{256, 1, 1, 256, 1, true})},
		{"brotli", "256 types of commands", of(brotliMeta{1, 256, 1, 1, 1, false})},
		{"brotli", "256 of all", of(brotliMeta{256, 256, 256, 256, 256, true})},
		{"brotli", "tables of distances that change", func() func(int) []byte {
			n := uint64(0)
			return stream(func(w *brotliWriter) {
				n++
				w.postfix = n & 3
				brotliMeta{1, 1, 1, 1, 1, false}.write(w)
			})
		}()},
	}
}

type brotliWriter struct {
	lowFirst
	postfix uint64 // of distances
}

// brotliMeta is a meta-block of one literal with so many types of blocks and so
// many codes.
type brotliMeta struct {
	literals, commands, distances int // types
	literalCodes, distanceCodes   int
	toFront                       bool // maps of contexts are moved to the front
}

func (m brotliMeta) write(w *brotliWriter) {
	w.put(0, 1)    // not the last
	w.put(0, 2+16) // a byte
	w.put(0, 1)    // coded
	for _, n := range []int{m.literals, m.commands, m.distances} {
		if w.count(n); n > 1 {
			w.single(0, n+2)
			w.single(0, 26)
			w.put(0, 2)
		}
	}
	w.put(w.postfix, 2)
	w.put(0, 4)
	for range m.literals {
		w.put(0, 2)
	}
	w.contexts(m.literalCodes, m.toFront)
	w.contexts(m.distanceCodes, m.toFront)
	for range m.literalCodes {
		w.single('a', 256)
	}
	for range m.commands {
		w.single(8, 704) // a literal to insert
	}
	for range m.distanceCodes {
		w.single(0, 16+48<<w.postfix)
	}
}

// count writes a number from 1 to 256.
func (w *brotliWriter) count(n int) {
	if n == 1 {
		w.put(0, 1)
		return
	}
	k := bits.Len(uint(n-1)) - 1
	w.put(1, 1)
	w.put(uint64(k), 3)
	w.put(uint64(n-1-1<<k), uint(k))
}

// single writes a code of one symbol, which takes no bits, in an alphabet of size.
func (w *brotliWriter) single(symbol, size int) {
	w.put(1, 2)
	w.put(0, 2)
	w.put(uint64(symbol), uint(bits.Len(uint(size-1))))
}

// contexts writes a map that names the last of the codes everywhere.
func (w *brotliWriter) contexts(codes int, toFront bool) {
	w.count(codes)
	if codes == 1 {
		return
	}
	w.put(0, 1) // no runs
	w.single(codes-1, codes)
	front := uint64(0)
	if toFront {
		front = 1
	}
	w.put(front, 1)
}
