package hostile

import "bytes"

func bzip2s() []Object {
	one := func(trees int, choices int) []byte {
		w := bzip2Start()
		sum := uint32(0)
		bzip2Block(w, &sum, trees, choices)
		return bzip2End(w, sum)
	}
	many := func(trees, choices int) func(int) []byte {
		return func(size int) []byte {
			w := bzip2Start()
			sum := uint32(0)
			for len(w.b) < size {
				bzip2Block(w, &sum, trees, choices)
			}
			return bzip2End(w, sum)
		}
	}
	return []Object{
		{"bzip2", "empty streams", repeated(unhex("425a6839 177245385090 00000000"))},
		{"bzip2", "streams of a byte", repeated(one(6, 1))},
		{"bzip2", "blocks of a byte", many(6, 1)},
		{"bzip2", "blocks of a byte with the fewest trees", many(2, 1)},
		{"bzip2", "blocks of a byte with the most choices", many(6, 1<<15-1)},
		{"bzip2", "beginnings of streams", func(size int) []byte {
			return append(one(2, 1), bytes.Repeat([]byte("BZh"), size/3)...)
		}},
	}
}

func bzip2Start() *highFirst { return &highFirst{b: []byte("BZh9")} }

func bzip2End(w *highFirst, sum uint32) []byte {
	w.put(0x177245385090, 48)
	w.put(uint64(sum), 32)
	return w.align()
}

// bzip2Block is a block of the letter a, for which tables of so many trees are
// made.
func bzip2Block(w *highFirst, sum *uint32, trees, choices int) {
	const crc = 0x19939b6b // of the letter
	*sum = (*sum<<1 | *sum>>31) ^ crc
	w.put(0x314159265359, 48)
	w.put(crc, 32)
	w.put(0, 1+24)
	w.put(1<<(15-'a'>>4), 16)
	w.put(1<<(15-'a'&15), 16)
	w.put(uint64(trees), 3)
	w.put(uint64(choices), 15)
	for range choices {
		w.put(0, 1)
	}
	for range trees {
		w.put(2, 5) // three symbols of two bits each
		w.put(0, 3)
	}
	w.put(0, 2) // once
	w.put(2, 2) // the end
}
