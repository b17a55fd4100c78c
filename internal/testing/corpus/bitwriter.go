package corpus

// bitWriter writes the highest bit first.
type bitWriter struct {
	buf []byte
	acc uint64
	n   int
}

func (w *bitWriter) put(bits int, v uint32) {
	w.acc = w.acc<<bits | uint64(v)
	for w.n += bits; w.n >= 8; w.n -= 8 {
		w.buf = append(w.buf, byte(w.acc>>(w.n-8)))
	}
}

func (w *bitWriter) end() []byte {
	if w.n > 0 {
		w.put(8-w.n, 0)
	}
	return w.buf
}
