package codec

import (
	"encoding/binary"
	"math/bits"
)

// The primes of xxHash's 32-bit form.
const (
	xxPrime1 uint32 = 2654435761
	xxPrime2 uint32 = 2246822519
	xxPrime3 uint32 = 3266489917
	xxPrime4 uint32 = 668265263
	xxPrime5 uint32 = 374761393
)

// xxh32 is a running XXH32 of the xxHash specification. Reset it before use.
type xxh32 struct {
	lanes [4]uint32
	seed  uint32
	total uint64
	tail  [16]byte // the last total%16 bytes, not yet mixed in
}

func (h *xxh32) reset(seed uint32) {
	*h = xxh32{seed: seed, lanes: [4]uint32{
		seed + xxPrime1 + xxPrime2, seed + xxPrime2, seed, seed - xxPrime1,
	}}
}

// write mixes p in.
func (h *xxh32) write(p []byte) {
	held := int(h.total % 16)
	h.total += uint64(len(p))
	if held > 0 {
		n := copy(h.tail[held:], p)
		if held+n < 16 {
			return
		}
		h.mix(h.tail[:])
		p = p[n:]
	}
	whole := len(p) &^ 15
	h.mix(p[:whole])
	copy(h.tail[:], p[whole:])
}

// mix takes whole stripes of 16 bytes. Two stripes a round and 64-bit loads keep
// the four multipliers busy: the chain through one lane is what bounds the speed.
func (h *xxh32) mix(p []byte) {
	a, b, c, d := h.lanes[0], h.lanes[1], h.lanes[2], h.lanes[3]
	for ; len(p) >= 32; p = p[32:] {
		x, y := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		a, b = xxRound(a, uint32(x)), xxRound(b, uint32(x>>32))
		c, d = xxRound(c, uint32(y)), xxRound(d, uint32(y>>32))
		x, y = binary.LittleEndian.Uint64(p[16:]), binary.LittleEndian.Uint64(p[24:])
		a, b = xxRound(a, uint32(x)), xxRound(b, uint32(x>>32))
		c, d = xxRound(c, uint32(y)), xxRound(d, uint32(y>>32))
	}
	if len(p) >= 16 {
		x, y := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		a, b = xxRound(a, uint32(x)), xxRound(b, uint32(x>>32))
		c, d = xxRound(c, uint32(y)), xxRound(d, uint32(y>>32))
	}
	h.lanes = [4]uint32{a, b, c, d}
}

func xxRound(lane, x uint32) uint32 {
	return bits.RotateLeft32(lane+x*xxPrime2, 13) * xxPrime1
}

// sum is the hash of what was written so far.
func (h *xxh32) sum() uint32 {
	s := h.seed + xxPrime5
	if h.total >= 16 {
		s = bits.RotateLeft32(h.lanes[0], 1) + bits.RotateLeft32(h.lanes[1], 7) +
			bits.RotateLeft32(h.lanes[2], 12) + bits.RotateLeft32(h.lanes[3], 18)
	}
	s += uint32(h.total)
	p := h.tail[:h.total%16]
	for ; len(p) >= 4; p = p[4:] {
		s = bits.RotateLeft32(s+binary.LittleEndian.Uint32(p)*xxPrime3, 17) * xxPrime4
	}
	for _, c := range p {
		s = bits.RotateLeft32(s+uint32(c)*xxPrime5, 11) * xxPrime1
	}
	s ^= s >> 15
	s *= xxPrime2
	s ^= s >> 13
	s *= xxPrime3
	return s ^ s>>16
}

// xxh32Of is the hash of p alone.
func xxh32Of(seed uint32, p []byte) uint32 {
	var h xxh32
	h.reset(seed)
	h.write(p)
	return h.sum()
}
