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
	last           int64 // bytes stored from there to the next one; 0 if there was none

	preLens  [numPre]uint8
	lens     [maxDynLit + maxDynDist]uint8
	counts   lengths // how many of lens have each value
	table    preTable
	litCode  code
	distCode code // or that of code lengths, before

	distSorted bool
}

// measure notes how much the last dynamic block stored, which ended before at.
// Blocks are often alike, also in streams that follow one another.
func (h *dynamicHeader) measure(at int64) {
	if h.at > 0 {
		h.last = max(at-h.at, 1)
	}
}

// under reports whether the last block is known to have stored less than n bytes.
func (h *dynamicHeader) under(n int64) bool { return h.last > 0 && h.last < n }

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
		// Encoders mark places with blocks that end at once, by seven zeros.
		if d.need(7) && d.bits&(1<<7-1) == 0 {
			d.take(7)
			d.step = stepEndBlock
			return more
		}
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
	h.measure(d.in + int64(d.pos))
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
	for h.have < h.pre {
		if d.n < 3 {
			d.refill()
		}
		if d.n < 3 {
			return starved
		}
		k := min(int(d.n/3), h.pre-h.have)
		v := d.take(uint(3 * k))
		for _, s := range preOrder[h.have : h.have+k] {
			h.preLens[s] = uint8(v & 7)
			v >>= 3
		}
		h.have += k
	}
	// Eight counters of a byte in one register.
	packed := uint64(0)
	for _, l := range h.preLens {
		packed += 1 << (8 * (l & 7))
	}
	var count lengths
	for l := range 8 {
		count[l] = uint16(packed >> (8 * l) & 0xff)
	}
	if !h.distCode.set(numPre, &count) {
		return d.wrong(0, "incomplete or over-subscribed code of code lengths")
	}
	h.distCode.sort(h.preLens[:])
	h.distCode.fill(h.table[:], preBits, preProto[:])
	h.have = 0
	h.counts = lengths{}
	d.step = stepLens
	return more
}

// symbolLens reads the lengths of the block's codes.
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
			h.counts[sym]++
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
		h.counts[value&maxBits] += uint16(repeat)
		run := h.lens[h.have : h.have+repeat]
		h.have += repeat
		if value == 0 {
			clear(run)
			continue
		}
		for i := range run {
			run[i] = value
		}
	}
	return d.codes()
}

const (
	// tinyBlock is how many bytes are stored after a header that may not be worth
	// tables: making them takes as long as decoding some hundred bytes.
	tinyBlock = 32

	// untabled is how many symbols are decoded without tables after such a block.
	untabled = 64
)

// codes begins with the symbols of a dynamic block. Its tables are made at once, or,
// after a block that had next to no data, once this one is seen to have more.
func (d *Decoder) codes() status {
	h := &d.header
	count := counted(h.lens[h.lit : h.lit+h.dist])
	for l, n := range &count {
		h.counts[l] -= n
	}
	if !h.litCode.set(h.lit, &h.counts) {
		return d.wrong(0, "incomplete or over-subscribed code of lengths")
	}
	if !h.distCode.set(h.dist, &count) {
		return d.wrong(0, "incomplete or over-subscribed code of distances")
	}
	h.litCode.sort(h.lens[:h.lit])
	h.distSorted = false
	h.at = d.in + int64(d.pos)
	d.step = stepSymbols
	if h.under(tinyBlock) {
		d.lit, d.dist, d.untabled = nil, nil, untabled
		return more
	}
	d.tables()
	return more
}

// sortDist sorts the code of distances, which a block may not need.
func (h *dynamicHeader) sortDist() {
	if !h.distSorted {
		h.distCode.sort(h.lens[h.lit : h.lit+h.dist])
		h.distSorted = true
	}
}

// tables makes the tables of a dynamic block.
func (d *Decoder) tables() {
	h := &d.header
	h.sortDist()
	h.litCode.fill(d.ownLit[:], litBits, litProto[:])
	h.distCode.fill(d.ownDist[:], distBits, distProto[:])
	if !h.under(smallBlock) && pairs(h.litCode.count, h.lens[endOfBlock:h.lit]) >= pairMin {
		d.ownLit.pair()
	}
	d.lit, d.dist = &d.ownLit, &d.ownDist
}
