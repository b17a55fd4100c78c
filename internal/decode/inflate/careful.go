package inflate

// careful decodes symbols near the end of the input, one at a time, or while there
// are no tables yet, as many as it may without. A symbol, or a length with its
// distance, is used whole or not at all.
func (d *Decoder) careful(slab []byte, floor, w int) (int, status) {
	for len(slab)-w >= Slack {
		if d.lit == nil {
			if d.untabled == 0 {
				return w, more
			}
			d.untabled--
		}
		d.refill()
		e := d.litEntry(d.bits)
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

		e = d.distEntry(bits)
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

// litEntry is the entry of the literals or the length that bits begin with.
func (d *Decoder) litEntry(bits uint64) entry {
	if d.lit == nil {
		return d.header.litCode.find(bits, litProto[:])
	}
	e := d.lit[bits&(1<<litBits-1)]
	if e&kind == subtable {
		e = d.lit[index(e, bits>>litBits)&(litSize-1)]
	}
	return e
}

// distEntry is the entry of the distance that bits begin with.
func (d *Decoder) distEntry(bits uint64) entry {
	if d.lit == nil {
		d.header.sortDist()
		return d.header.distCode.find(bits, distProto[:])
	}
	e := d.dist[bits&(1<<distBits-1)]
	if e&kind == subtable {
		e = d.dist[index(e, bits>>distBits)&(distSize-1)]
	}
	return e
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
