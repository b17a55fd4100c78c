package inflate

import "github.com/thaw-go/thaw/internal/decode/mem"

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
	in, out := mem.Of(d.buf), mem.Of(slab)
	pos, inEnd, outEnd := d.pos, len(d.buf)-fastInput, len(slab)-Slack
	st := more

	// Of n only the low byte counts: whole entries are subtracted from it.
	bits, n := d.bits, uint64(d.n)
	bits |= mem.Load64(in, pos) << (n & 63)
	pos += int(n>>3&7 ^ 7)
	n |= 56
	e := lit[bits&litMask]

	for pos <= inEnd && w <= outEnd {
		last := bits // e and what follows
		bits >>= e & 63
		n -= uint64(e)
		if e&isLiteral != 0 {
			mem.Store16(out, w, uint16(e>>16))
			w += int(e >> 12 & 3)
			e = lit[bits&litMask]
			last = bits
			bits >>= e & 63
			n -= uint64(e)
			if e&isLiteral != 0 {
				mem.Store16(out, w, uint16(e>>16))
				w += int(e >> 12 & 3)
				e = lit[bits&litMask]
				last = bits
				bits >>= e & 63
				n -= uint64(e)
				if e&isLiteral != 0 {
					mem.Store16(out, w, uint16(e>>16))
					w += int(e >> 12 & 3)
					bits |= mem.Load64(in, pos) << (n & 63)
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
					mem.Store16(out, w, uint16(e>>16))
					w++
					bits |= mem.Load64(in, pos) << (n & 63)
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
			bits |= mem.Load64(in, pos) << (n & 63)
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
		bits |= mem.Load64(in, pos) << (n & 63)
		pos += int(n>>3&7 ^ 7)
		n |= 56
		e = lit[bits&litMask]

		end := w + length
		switch distance := w - from; {
		case distance >= 16:
			mem.Copy16(out, w, out, from)
			mem.Copy16(out, w+16, out, from+16)
			for w += 32; w < end; w += 16 {
				from += 16
				mem.Copy16(out, w, out, from+16)
			}
		case distance >= 8:
			for at := w; at < end; at += 8 {
				mem.Store64(out, at, mem.Load64(out, from))
				from += 8
			}
		default:
			mem.Repeat(out, w, end, distance)
		}
		w = end
	}
	d.bits, d.n, d.pos = bits, uint(n&63), pos
	return w, st
}
