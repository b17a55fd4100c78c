package inflate

// careful decodes symbols near the end of the input, one at a time. A symbol,
// or a length with its distance, is used whole or not at all.
func (d *Decoder) careful(slab []byte, floor, w int) (int, status) {
	lit, dist := d.lit, d.dist
	for len(slab)-w >= Slack {
		d.refill()
		e := lit[d.bits&(1<<litBits-1)]
		if e&kind == subtable {
			e = lit[index(e, d.bits>>litBits)&(litSize-1)]
		}
		if e&kind == twoLiterals && uint(e&0xff) > d.n {
			first := e >> 8 & 15
			e = oneLiteral | e&0xff0f00 | first
		}
		size := uint(e & 0xff)
		if size > d.n {
			return w, starved
		}
		switch e & kind {
		case oneLiteral, twoLiterals:
			d.take(size)
			slab[w], slab[w+1] = byte(e>>16), byte(e>>24)
			w += int(e >> 12 & 3)
			continue
		case blockEnd:
			d.take(size)
			d.step = stepEndBlock
			return w, more
		case noSymbol:
			d.take(size)
			return w, d.wrong(size, noLength)
		}
		length, bits := value(e, d.bits), d.bits>>size

		e = dist[bits&(1<<distBits-1)]
		if e&kind == subtable {
			e = dist[index(e, bits>>distBits)&(distSize-1)]
		}
		if size += uint(e & 0xff); size > d.n {
			return w, starved
		}
		d.take(size)
		if e&kind == noSymbol {
			return w, d.wrong(uint(e&0xff), noDistance)
		}
		from := w - value(e, bits)
		if from < floor {
			return w, d.wrong(uint(e&0xff), tooFar)
		}
		for range length {
			slab[w] = slab[from]
			w++
			from++
		}
	}
	return w, full
}

// value is the length or distance of e, whose bits are the lowest of bits.
func value(e entry, bits uint64) int {
	return int(e>>16) + int(bits&(1<<(e&63)-1)>>(e>>8&63))
}

// index is where in its table the subtable of e has the entry for bits.
func index(e entry, bits uint64) uint64 {
	return uint64(e>>16) + bits&(1<<(e>>8&63)-1)
}

// Faults of symbols.
const (
	noLength   = "no literal or length has this code"
	noDistance = "no distance has this code"
	tooFar     = "distance beyond what was decoded"
)
