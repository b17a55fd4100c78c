package zstd

import "math/bits"

// single decodes one stream of literals into dst. Bits must be used exactly.
func (t *huffTable) single(dst, b []byte) error {
	var r backward
	if !r.start(b) {
		return errStream
	}
	return t.rest(dst, &r)
}

// rest decodes the end of a stream, and short ones.
func (t *huffTable) rest(dst []byte, r *backward) error {
	for i := range dst {
		e := t[r.peek(huffBits)&(1<<huffBits-1)]
		r.left -= int(e & 0xff)
		if r.left < 0 {
			return errStream
		}
		dst[i] = byte(e >> 8)
	}
	if r.left != 0 {
		return errStream
	}
	return nil
}

var errStream = corrupt("bits of a literal stream left over or missing")

// turn is how many literals of a stream a turn of the loop takes: their bits, the
// end mark's or what is left of a byte, and the bit that counts are within 64.
const turn = 5

// four decodes four streams, which lie one behind the other in b, each but the
// last with a quarter of dst, rounded up. b begins with the sizes of three.
func (t *huffTable) four(dst, b []byte) error {
	if len(dst) < 6 || len(b) < 6 {
		return corrupt("too few literals for four streams")
	}
	quarter := (len(dst) + 3) / 4
	var at [5]int
	at[0], at[4] = 6, len(b)
	for i := range 3 {
		at[i+1] = at[i] + int(b[2*i]) + int(b[2*i+1])<<8
	}
	if at[3] >= len(b) {
		return errStream
	}
	var r [4]backward
	short := false
	for i := range r {
		if !r[i].start(b[at[i]:at[i+1]]) {
			return errStream
		}
		short = short || len(r[i].b) < 8
	}
	done := 0
	if !short {
		done = t.fast(dst, b, quarter, &at, &r)
	}
	for i := range r {
		if err := t.rest(dst[i*quarter+done:min(len(dst), (i+1)*quarter)], &r[i]); err != nil {
			return err
		}
	}
	return nil
}

// fast decodes from all streams at once while each has bytes for a turn, and
// returns how many literals of each it gave.
//
// The words hold the next bits highest. Below them a bit is set: the zeros under
// it are as many as bits were used of the eight bytes at the stream's position. A
// turn uses 55 bits at most and begins with fewer than 8 used, so a position
// falls by at most 7; the streams have at least 8 bytes.
func (t *huffTable) fast(dst, b []byte, quarter int, at *[5]int, r *[4]backward) int {
	in, out := viewOf(b), viewOf(dst)
	p0, p1, p2, p3 := at[1]-8, at[2]-8, at[3]-8, at[4]-8
	w0 := (load64(in, p0) | 1) << uint(8*len(r[0].b)-r[0].left)
	w1 := (load64(in, p1) | 1) << uint(8*len(r[1].b)-r[1].left)
	w2 := (load64(in, p2) | 1) << uint(8*len(r[2].b)-r[2].left)
	w3 := (load64(in, p3) | 1) << uint(8*len(r[3].b)-r[3].left)
	i0, i1, i2, i3 := 0, quarter, 2*quarter, 3*quarter
	for {
		turns := min((len(dst)-i3)/turn, (p0-at[0])/7, (p1-at[1])/7, (p2-at[2])/7, (p3-at[3])/7)
		if turns <= 0 {
			break
		}
		for range turns {
			e0 := t[w0>>(64-huffBits)]
			e1 := t[w1>>(64-huffBits)]
			e2 := t[w2>>(64-huffBits)]
			e3 := t[w3>>(64-huffBits)]
			w0 <<= e0 & 63
			store8(out, i0, byte(e0>>8))
			w1 <<= e1 & 63
			store8(out, i1, byte(e1>>8))
			w2 <<= e2 & 63
			store8(out, i2, byte(e2>>8))
			w3 <<= e3 & 63
			store8(out, i3, byte(e3>>8))

			e0 = t[w0>>(64-huffBits)]
			e1 = t[w1>>(64-huffBits)]
			e2 = t[w2>>(64-huffBits)]
			e3 = t[w3>>(64-huffBits)]
			w0 <<= e0 & 63
			store8(out, i0+1, byte(e0>>8))
			w1 <<= e1 & 63
			store8(out, i1+1, byte(e1>>8))
			w2 <<= e2 & 63
			store8(out, i2+1, byte(e2>>8))
			w3 <<= e3 & 63
			store8(out, i3+1, byte(e3>>8))

			e0 = t[w0>>(64-huffBits)]
			e1 = t[w1>>(64-huffBits)]
			e2 = t[w2>>(64-huffBits)]
			e3 = t[w3>>(64-huffBits)]
			w0 <<= e0 & 63
			store8(out, i0+2, byte(e0>>8))
			w1 <<= e1 & 63
			store8(out, i1+2, byte(e1>>8))
			w2 <<= e2 & 63
			store8(out, i2+2, byte(e2>>8))
			w3 <<= e3 & 63
			store8(out, i3+2, byte(e3>>8))

			e0 = t[w0>>(64-huffBits)]
			e1 = t[w1>>(64-huffBits)]
			e2 = t[w2>>(64-huffBits)]
			e3 = t[w3>>(64-huffBits)]
			w0 <<= e0 & 63
			store8(out, i0+3, byte(e0>>8))
			w1 <<= e1 & 63
			store8(out, i1+3, byte(e1>>8))
			w2 <<= e2 & 63
			store8(out, i2+3, byte(e2>>8))
			w3 <<= e3 & 63
			store8(out, i3+3, byte(e3>>8))

			e0 = t[w0>>(64-huffBits)]
			e1 = t[w1>>(64-huffBits)]
			e2 = t[w2>>(64-huffBits)]
			e3 = t[w3>>(64-huffBits)]
			w0 <<= e0 & 63
			store8(out, i0+4, byte(e0>>8))
			w1 <<= e1 & 63
			store8(out, i1+4, byte(e1>>8))
			w2 <<= e2 & 63
			store8(out, i2+4, byte(e2>>8))
			w3 <<= e3 & 63
			store8(out, i3+4, byte(e3>>8))
			i0 += turn
			i1 += turn
			i2 += turn
			i3 += turn
			n := bits.TrailingZeros64(w0)
			p0 -= n >> 3
			w0 = (load64(in, p0) | 1) << uint(n&7)
			n = bits.TrailingZeros64(w1)
			p1 -= n >> 3
			w1 = (load64(in, p1) | 1) << uint(n&7)
			n = bits.TrailingZeros64(w2)
			p2 -= n >> 3
			w2 = (load64(in, p2) | 1) << uint(n&7)
			n = bits.TrailingZeros64(w3)
			p3 -= n >> 3
			w3 = (load64(in, p3) | 1) << uint(n&7)
		}
	}
	r[0].left = 8*(p0+8-at[0]) - bits.TrailingZeros64(w0)
	r[1].left = 8*(p1+8-at[1]) - bits.TrailingZeros64(w1)
	r[2].left = 8*(p2+8-at[2]) - bits.TrailingZeros64(w2)
	r[3].left = 8*(p3+8-at[3]) - bits.TrailingZeros64(w3)
	return i0
}
