package zstd

import (
	"math/bits"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/mem"
)

// decodeStream decodes one stream of literals into dst. Bits must be used exactly.
func (t *huffTable) decodeStream(dst, b []byte) error {
	var r backward
	if !r.start(b) {
		return errStream
	}
	return t.finishStream(dst, &r)
}

// finishStream decodes the rest of a stream into dst, which it fills.
func (t *huffTable) finishStream(dst []byte, r *backward) error {
	for len(dst) > 0 {
		w, used := r.highest(), 0
		n := min(turn, len(dst))
		for i := range dst[:n] {
			e := t.at(w)
			w <<= e & 63
			used += int(e & 0xff)
			dst[i] = byte(e >> 8)
		}
		if r.left -= used; r.left < 0 {
			return errStream
		}
		dst = dst[n:]
	}
	if r.left != 0 {
		return errStream
	}
	return nil
}

var errStream = fault.Corruptf("bits of a literal stream left over or missing")

// turn is how many literals of a stream a turn of the loop takes: their bits, the
// end mark's or what is left of a byte, and the bit that counts are within 64.
const turn = 5

// decodeStreams decodes four streams, which lie one after the other in b, each but the
// last with a quarter of dst, rounded up. b begins with the sizes of three.
func (t *huffTable) decodeStreams(dst, b []byte) error {
	if len(dst) < 6 || len(b) < 6 {
		return fault.Corruptf("too few literals for four streams")
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
		done = t.decodeTogether(dst, b, quarter, &at, &r)
	}
	for i := range r {
		if err := t.finishStream(dst[i*quarter+done:min(len(dst), (i+1)*quarter)], &r[i]); err != nil {
			return err
		}
	}
	return nil
}

// decodeTogether decodes from all streams at once while each has bytes for a turn, and
// returns how many literals of each it decoded. The streams have eight bytes at least.
func (t *huffTable) decodeTogether(dst, b []byte, quarter int, at *[5]int, r *[4]backward) int {
	s := streams{in: mem.Of(b), out: mem.Of(dst), quarter: quarter, table: t}
	for i := range r {
		s.p[i] = at[i+1] - 8
		s.w[i] = (mem.Load64(s.in, s.p[i]) | 1) << uint(8*len(r[i].b)-r[i].left)
	}
	for {
		s.turns = (len(dst) - 3*quarter - s.i) / turn
		for i, p := range s.p {
			s.turns = min(s.turns, (p-at[i])/7)
		}
		if s.turns <= 0 {
			break
		}
		s.decode()
	}
	for i := range r {
		r[i].left = 8*(s.p[i]+8-at[i]) - bits.TrailingZeros64(s.w[i])
	}
	return s.i
}

// streams are four that are decoded at once.
//
// The words hold the next bits highest. Below them a bit is set: the zeros under
// it are as many as bits were used of the eight bytes at the stream's position. A
// turn uses 55 bits at most and begins with fewer than 8 used, so a position
// falls by at most 7.
type streams struct {
	w       [4]uint64
	p       [4]int
	in, out mem.View
	i       int // literals of each that were decoded
	quarter int // where in out the second stream goes
	table   *huffTable
	turns   int // to be done
}

// portable does the turns.
func (s *streams) portable() {
	t, out := s.table, s.out
	w0, w1, w2, w3 := s.w[0], s.w[1], s.w[2], s.w[3]
	i0, i1, i2, i3 := s.i, s.i+s.quarter, s.i+2*s.quarter, s.i+3*s.quarter
	for range s.turns {
		for k := range turn {
			e0, e1, e2, e3 := t.at(w0), t.at(w1), t.at(w2), t.at(w3)
			w0 <<= e0 & 63
			mem.Store8(out, i0+k, byte(e0>>8))
			w1 <<= e1 & 63
			mem.Store8(out, i1+k, byte(e1>>8))
			w2 <<= e2 & 63
			mem.Store8(out, i2+k, byte(e2>>8))
			w3 <<= e3 & 63
			mem.Store8(out, i3+k, byte(e3>>8))
		}
		i0 += turn
		i1 += turn
		i2 += turn
		i3 += turn
		w0 = s.refill(0, w0)
		w1 = s.refill(1, w1)
		w2 = s.refill(2, w2)
		w3 = s.refill(3, w3)
	}
	s.w = [4]uint64{w0, w1, w2, w3}
	s.i = i0
}

// refill makes the word of stream i whole again.
func (s *streams) refill(i int, w uint64) uint64 {
	n := bits.TrailingZeros64(w)
	s.p[i] -= n >> 3
	return (mem.Load64(s.in, s.p[i]) | 1) << uint(n&7)
}
