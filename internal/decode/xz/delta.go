package xz

// delta adds to each byte the one distance before it (section 5.3.3).
type delta struct {
	distance int
	history  [256]byte // ring of the last bytes
	pos      uint8
}

func (d *delta) convert(b []byte) int {
	for i := range b {
		b[i] += d.history[uint8(int(d.pos)-d.distance)]
		d.history[d.pos] = b[i]
		d.pos++
	}
	return len(b)
}
