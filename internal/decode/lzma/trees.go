package lzma

import "math/bits"

// next decodes one decision without a branch, with its probability and those of
// the two decisions that may follow it in its tree already loaded: the chain from
// decision to decision has no load in it. The range must have been normalized. zero
// is all ones for 0, and zero for 1.
func next(p *uint16, prob, prob0, prob1, rng, code uint64) (zero, newProb, newRng, newCode uint64) {
	bound := rng >> probBits * prob
	less, borrow := bits.Sub64(code, bound, 0)
	rng -= bound
	// For 0 the probability grows by (2048-p)/32, for 1 it falls by p/32; both
	// are p minus a quotient rounded down.
	part := prob
	if code < bound { // compiled to conditional moves, not to a jump
		rng, less, prob1, part = bound, code, prob0, prob-(1<<probBits-1<<probShift+1)
	}
	*p = uint16(prob - uint64(int64(part)>>probShift))
	return -borrow, prob1, rng, less
}

// plainLiteral decodes a literal after a literal.
func plainLiteral(tree *[literalSize]uint16, in *input, pos uint, rng, code uint64) (uint, uint, uint64, uint64) {
	var zero uint64
	sym, prob := uint(1), uint64(tree[1])
	for sym < 0x100 {
		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		zero, prob, rng, code = next(&tree[sym], prob, uint64(tree[2*sym]), uint64(tree[2*sym+1]), rng, code)
		sym = sym<<1 + 1 + uint(zero)
	}
	return sym & 0xff, pos, rng, code
}

// matchedLiteral decodes a literal after a match. match is the byte that the
// match would have gone on with: while the bits agree with it, it chooses the
// probabilities too.
func matchedLiteral(tree *[literalSize]uint16, match uint, in *input, pos uint, rng, code uint64) (uint, uint, uint64, uint64) {
	var zero uint64
	sym := uint(1)
	// Agreement is left to the branch predictor, which lets the loads of later
	// bits go ahead: it is wrong once at most.
	for sym < 0x100 {
		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		match <<= 1
		bit := match & 0x100
		p := &tree[0x100+bit+sym]
		zero, _, rng, code = next(p, uint64(*p), 0, 0, rng, code)
		if one := 1 + uint(zero); bit>>8 != one {
			sym = sym<<1 + one
			break
		}
		sym = sym<<1 + bit>>8
	}
	prob := uint64(tree[sym&0xff])
	for sym < 0x100 {
		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		zero, prob, rng, code = next(&tree[sym], prob, uint64(tree[2*sym]), uint64(tree[2*sym+1]), rng, code)
		sym = sym<<1 + 1 + uint(zero)
	}
	return sym & 0xff, pos, rng, code
}

// decode decodes a length.
func (l *lengthModel) decode(posState uint, in *input, pos uint, rng, code uint64) (int, uint, uint64, uint64) {
	var bit uint
	bit, pos, rng, code = decide(&l.choice[0], in, pos, rng, code)
	if bit == 0 {
		return tree8(&l.low[posState&15], 2, in, pos, rng, code)
	}
	bit, pos, rng, code = decide(&l.choice[1], in, pos, rng, code)
	if bit == 0 {
		return tree8(&l.mid[posState&15], 10, in, pos, rng, code)
	}
	var zero uint64
	sym, prob := uint(1), uint64(l.high[1])
	for sym < 0x100 {
		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		below := sym & 0x7f
		zero, prob, rng, code = next(&l.high[sym], prob, uint64(l.high[2*below]), uint64(l.high[2*below+1]), rng, code)
		sym = sym<<1 + 1 + uint(zero)
	}
	return int(sym) - 0x100 + 18, pos, rng, code
}

// tree8 decodes one of eight values and adds base.
func tree8(tree *[8]uint16, base int, in *input, pos uint, rng, code uint64) (int, uint, uint64, uint64) {
	var zero uint64
	sym, prob := uint(1), uint64(tree[1])
	for sym < 8 {
		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		below := sym & 3
		zero, prob, rng, code = next(&tree[sym], prob, uint64(tree[2*below]), uint64(tree[2*below+1]), rng, code)
		sym = sym<<1 + 1 + uint(zero)
	}
	return int(sym) - 8 + base, pos, rng, code
}

// decode decodes a new distance, less one, for a match of length n.
func (d *distanceModel) decode(length int, in *input, pos uint, rng, code uint64) (uint32, uint, uint64, uint64) {
	var zero uint64
	slots := &d.slot[min(uint(length)-2, 3)]
	slot, prob := uint(1), uint64(slots[1])
	for slot < 64 {
		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		below := slot & 31
		zero, prob, rng, code = next(&slots[slot], prob, uint64(slots[2*below]), uint64(slots[2*below+1]), rng, code)
		slot = slot<<1 + 1 + uint(zero)
	}
	slot -= 64
	if slot < 4 {
		return uint32(slot), pos, rng, code
	}

	n := slot>>1 - 1
	dist := 2 | slot&1
	if slot < 14 {
		dist <<= n
		base := dist - slot
		prob := uint64(d.near[(base+1)&127])
		for i, sym := uint(0), uint(1); i < n; i++ {
			if rng < topValue {
				rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
			}
			below := base + 2*sym
			zero, prob, rng, code = next(&d.near[(base+sym)&127], prob, uint64(d.near[below&127]), uint64(d.near[(below+1)&127]), rng, code)
			bit := 1 + uint(zero)
			sym = sym<<1 + bit
			dist += bit << i
		}
		return uint32(dist), pos, rng, code
	}

	for ; n > 4; n-- {
		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		rng >>= 1
		less, borrow := bits.Sub64(code, rng, 0)
		dist = dist<<1 + 1 - uint(borrow)
		if code >= rng { // compiled to a conditional move, not to a jump
			code = less
		}
	}
	dist <<= 4
	prob = uint64(d.align[1])
	for i, sym := uint(0), uint(1); i < 4; i++ {
		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		below := 2 * sym & 15
		zero, prob, rng, code = next(&d.align[sym&15], prob, uint64(d.align[below]), uint64(d.align[below+1]), rng, code)
		bit := 1 + uint(zero)
		sym = sym<<1 + bit
		dist += bit << i
	}
	return uint32(dist), pos, rng, code
}
