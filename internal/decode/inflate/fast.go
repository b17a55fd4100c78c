package inflate

// fastInput is how many bytes of input the fast loop needs for a turn.
const fastInput = 24

// fast decodes symbols while input and room last.
//
// A turn begins with at least 56 bits and with the next entry looked up. It takes
// three entries of literals, or up to two and a length with its distance:
//
//	3 × 11 bits of literals, refill
//	2 × 11 bits of literals, 15+5 of a length, refill if needed, 15+13 of a distance, refill
//
// so that it looks at no more than 7+7+8 bytes of input. Its output is at most
// 2×2 bytes of literals, 258 of a copy and 31 that wide stores add.
func (d *Decoder) fast(slab []byte, floor, w int) (int, status) {
	const (
		litMask  = 1<<litBits - 1
		distMask = 1<<distBits - 1
	)
	lit, dist := d.lit, d.dist
	in, out := viewOf(d.buf), viewOf(slab)
	pos, inEnd, outEnd := d.pos, len(d.buf)-fastInput, len(slab)-Slack
	st := more

	// Of n only the low byte counts: whole entries are subtracted from it.
	bits, n := d.bits, uint64(d.n)
	bits |= load64(in, pos) << (n & 63)
	pos += int(n>>3&7 ^ 7)
	n |= 56
	e := lit[bits&litMask]

	for pos <= inEnd && w <= outEnd {
		last := bits // e and what follows
		bits >>= e & 63
		n -= uint64(e)
		if e&isLiteral != 0 {
			store16(out, w, uint16(e>>16))
			w += int(e >> 12 & 3)
			e = lit[bits&litMask]
			last = bits
			bits >>= e & 63
			n -= uint64(e)
			if e&isLiteral != 0 {
				store16(out, w, uint16(e>>16))
				w += int(e >> 12 & 3)
				e = lit[bits&litMask]
				last = bits
				bits >>= e & 63
				n -= uint64(e)
				if e&isLiteral != 0 {
					store16(out, w, uint16(e>>16))
					w += int(e >> 12 & 3)
					bits |= load64(in, pos) << (n & 63)
					pos += int(n>>3&7 ^ 7)
					n |= 56
					e = lit[bits&litMask]
					continue
				}
			}
		}

		if e&isSpecial != 0 {
			if e&kind == subtable {
				e = lit[index(e, bits)&(litSize-1)]
				bits = last >> (e & 63)
				n += litBits - uint64(e)
				if e&isLiteral != 0 {
					store16(out, w, uint16(e>>16))
					w++
					bits |= load64(in, pos) << (n & 63)
					pos += int(n>>3&7 ^ 7)
					n |= 56
					e = lit[bits&litMask]
					continue
				}
			}
			if e&kind == blockEnd {
				d.step = stepEndBlock
				break
			}
			if e&isSpecial != 0 {
				st = d.wrong(uint(e&0xff), noLength)
				break
			}
		}
		length := value(e, last)

		if uint8(n) < maxBits+13 {
			bits |= load64(in, pos) << (n & 63)
			pos += int(n>>3&7 ^ 7)
			n |= 56
		}
		e = dist[bits&distMask]
		if e&kind == subtable {
			e = dist[index(e, bits>>distBits)&(distSize-1)]
		}
		from := w - value(e, bits)
		bits >>= e & 63
		n -= uint64(e)
		if from < floor || e&isSpecial != 0 {
			st = d.wrong(uint(e&0xff), tooFar)
			if e&isSpecial != 0 {
				d.reason = noDistance
			}
			break
		}
		bits |= load64(in, pos) << (n & 63)
		pos += int(n>>3&7 ^ 7)
		n |= 56
		e = lit[bits&litMask]

		end := w + length
		switch distance := w - from; {
		case distance >= 16:
			copy16(out, w, from)
			copy16(out, w+16, from+16)
			for w += 32; w < end; w += 16 {
				from += 16
				copy16(out, w, from+16)
			}
		case distance >= 8:
			for at := w; at < end; at += 8 {
				store64(out, at, load64(out, from))
				from += 8
			}
		default:
			repeat(out, w, end, distance)
		}
		w = end
	}
	d.bits, d.n, d.pos = bits, uint(n&63), pos
	return w, st
}

// repeat writes the last distance bytes before w, at most 7, up to end and at
// most 7 bytes beyond.
func repeat(out view, w, end, distance int) {
	p := load64(out, w-distance) & (1<<(8*distance) - 1) * repeatMul[distance&7]
	for step := int(repeatStep[distance&7]); w < end; w += step {
		store64(out, w, p)
	}
}

// repeatMul times some bytes are those bytes as often as they fit in eight, and
// repeatStep is how many whole bytes of these repetitions there are.
var (
	repeatMul  = [8]uint64{1: 0x0101010101010101, 2: 0x0001000100010001, 3: 0x0001000001000001, 4: 0x0000000100000001, 5: 0x0000010000000001, 6: 0x0001000000000001, 7: 0x0100000000000001}
	repeatStep = [8]uint8{1: 8, 2: 8, 3: 6, 4: 8, 5: 5, 6: 6, 7: 7}
)
