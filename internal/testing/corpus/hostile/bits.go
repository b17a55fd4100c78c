package hostile

// lowFirst writes bits, the lowest of each byte first, as deflate, zstd's tables
// and brotli have them.
type lowFirst struct {
	b   []byte
	acc uint64
	n   uint
}

func (w *lowFirst) put(v uint64, n uint) {
	w.acc |= (v & (1<<n - 1)) << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.acc))
		w.acc >>= 8
	}
}

// align fills the last byte with zeros.
func (w *lowFirst) align() []byte {
	w.put(0, -w.n&7)
	return w.b
}

// highFirst writes bits, the highest of each byte first, as bzip2 has them.
type highFirst struct {
	b   []byte
	acc byte
	n   uint
}

func (w *highFirst) put(v uint64, n uint) {
	for i := n; i > 0; i-- {
		w.acc = w.acc<<1 | byte(v>>(i-1)&1)
		if w.n++; w.n == 8 {
			w.b = append(w.b, w.acc)
			w.acc, w.n = 0, 0
		}
	}
}

func (w *highFirst) align() []byte {
	w.put(0, -w.n&7)
	return w.b
}
