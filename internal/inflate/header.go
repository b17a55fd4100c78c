package inflate

// step is what comes next in the stream. A step that runs out of input is taken
// again when there is more; it uses bits only for what it has finished.
type step uint8

const (
	stepBlock step = iota // the first three bits of a block
	stepSkip
	stepStoredSize
	stepStored
	stepCounts
	stepPreLens
	stepLens
	stepSymbols
	stepEndBlock
)

// dynamicHeader is what was read of the header of a dynamic block.
type dynamicHeader struct {
	lit, dist, pre int   // how many lengths there are
	have           int   // how many of the kind being read are known
	at             int64 // where the last header ended, about; 0 if there was none
	small          bool  // the last block was small

	preLens [numPre]uint8
	lens    [maxDynLit + maxDynDist]uint8
	table   preTable
}

// measure notes whether the last dynamic block, which ended before at, was small.
// Blocks are often alike, also in streams that follow one another.
func (h *dynamicHeader) measure(at int64) {
	if h.at > 0 {
		h.small = at-h.at < smallBlock
	}
}

// wrong notes a fault that lies back bits before the next bit.
func (d *Decoder) wrong(back uint, reason string) status {
	d.back, d.reason = back, reason
	return corrupt
}

// skipBits drops the bits of a first byte that belong to the block before.
func (d *Decoder) skipBits() status {
	if !d.need(8) {
		return starved
	}
	d.take(d.skip)
	d.step = stepBlock
	return more
}

func (d *Decoder) beginBlock() status {
	if !d.need(3) {
		return starved
	}
	d.final = d.take(1) != 0
	switch d.take(2) {
	case 0:
		d.align()
		d.step = stepStoredSize
	case 1:
		t := fixed()
		d.lit, d.dist = &t.lit, &t.dist
		d.step = stepSymbols
	case 2:
		d.step = stepCounts
	default:
		return d.wrong(3, "reserved block type")
	}
	return more
}

// counts begins the header of a dynamic block, RFC 1951 section 3.2.7.
func (d *Decoder) counts() status {
	if !d.need(14) {
		return starved
	}
	h := &d.header
	h.lit = int(d.take(5)) + 257
	h.dist = int(d.take(5)) + 1
	h.pre = int(d.take(4)) + 4
	if h.lit > maxDynLit {
		return d.wrong(14, "too many length symbols")
	}
	if h.dist > maxDynDist {
		return d.wrong(14, "too many distance symbols")
	}
	h.preLens = [numPre]uint8{}
	h.have = 0
	d.step = stepPreLens
	return more
}

// codeLens reads the lengths of the code in which lengths are stored.
func (d *Decoder) codeLens() status {
	h := &d.header
	for ; h.have < h.pre; h.have++ {
		if d.n < 3 {
			d.refill()
		}
		if d.n < 3 {
			return starved
		}
		h.preLens[preOrder[h.have]] = uint8(d.take(3))
	}
	if !build(h.table[:], preBits, h.preLens[:], preProto[:]) {
		return d.wrong(0, "incomplete or over-subscribed code of code lengths")
	}
	h.have = 0
	d.step = stepLens
	return more
}

// symbolLens reads the lengths of the block's codes and builds its tables.
func (d *Decoder) symbolLens() status {
	h := &d.header
	for total := h.lit + h.dist; h.have < total; {
		if d.n < preBits+7 {
			d.refill()
		}
		e := h.table[d.bits&(preSize-1)]
		size := uint(e & 0xff)
		if size > d.n {
			return starved
		}
		if e&isSpecial != 0 {
			d.take(size)
			return d.wrong(size, "no code length has this code")
		}
		sym := uint8(e >> 16)
		if sym < 16 {
			d.take(size)
			h.lens[h.have] = sym
			h.have++
			continue
		}
		repeat, extra, value := 3, uint(2), uint8(0)
		switch sym {
		case 16:
			if h.have == 0 {
				d.take(size)
				return d.wrong(size, "repeat of a code length before the first")
			}
			value = h.lens[h.have-1]
		case 17:
			extra = 3
		case 18:
			repeat, extra = 11, 7
		}
		if size+extra > d.n {
			return starved
		}
		d.take(size)
		repeat += int(d.take(extra))
		if h.have+repeat > total {
			return d.wrong(size+extra, "more code lengths than symbols")
		}
		for range repeat {
			h.lens[h.have] = value
			h.have++
		}
	}
	if !build(d.ownLit[:], litBits, h.lens[:h.lit], litProto[:]) {
		return d.wrong(0, "incomplete or over-subscribed code of lengths")
	}
	if !build(d.ownDist[:], distBits, h.lens[h.lit:h.lit+h.dist], distProto[:]) {
		return d.wrong(0, "incomplete or over-subscribed code of distances")
	}
	at := d.in + int64(d.pos)
	h.measure(at)
	if !h.small && pairs(h.lens[:]) >= pairMin {
		d.ownLit.pair()
	}
	h.at = at
	d.lit, d.dist = &d.ownLit, &d.ownDist
	d.step = stepSymbols
	return more
}
