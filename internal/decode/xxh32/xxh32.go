// Package xxh32 is XXH32 of the xxHash specification, version 0.1.1, whose state can be saved.
package xxh32

import (
	"encoding/binary"
	"math/bits"
)

// The primes of xxHash's 32-bit form.
const (
	prime1 uint32 = 2654435761
	prime2 uint32 = 2246822519
	prime3 uint32 = 3266489917
	prime4 uint32 = 668265263
	prime5 uint32 = 374761393
)

// Digest is a running hash. Reset it before use. It belongs to one goroutine.
type Digest struct {
	lanes [4]uint32
	seed  uint32
	total uint64
	tail  [16]byte // the last total%16 bytes, not yet mixed in
}

// Reset begins again with a seed.
func (h *Digest) Reset(seed uint32) {
	*h = Digest{seed: seed, lanes: [4]uint32{
		seed + prime1 + prime2, seed + prime2, seed, seed - prime1,
	}}
}

// Write adds p.
func (h *Digest) Write(p []byte) {
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
func (h *Digest) mix(p []byte) {
	a, b, c, d := h.lanes[0], h.lanes[1], h.lanes[2], h.lanes[3]
	for ; len(p) >= 32; p = p[32:] {
		x, y := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		a, b = round(a, uint32(x)), round(b, uint32(x>>32))
		c, d = round(c, uint32(y)), round(d, uint32(y>>32))
		x, y = binary.LittleEndian.Uint64(p[16:]), binary.LittleEndian.Uint64(p[24:])
		a, b = round(a, uint32(x)), round(b, uint32(x>>32))
		c, d = round(c, uint32(y)), round(d, uint32(y>>32))
	}
	if len(p) >= 16 {
		x, y := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		a, b = round(a, uint32(x)), round(b, uint32(x>>32))
		c, d = round(c, uint32(y)), round(d, uint32(y>>32))
	}
	h.lanes = [4]uint32{a, b, c, d}
}

func round(lane, x uint32) uint32 {
	return bits.RotateLeft32(lane+x*prime2, 13) * prime1
}

// Sum returns the hash of what was written so far.
func (h *Digest) Sum() uint32 {
	s := h.seed + prime5
	if h.total >= 16 {
		s = bits.RotateLeft32(h.lanes[0], 1) + bits.RotateLeft32(h.lanes[1], 7) +
			bits.RotateLeft32(h.lanes[2], 12) + bits.RotateLeft32(h.lanes[3], 18)
	}
	s += uint32(h.total)
	p := h.tail[:h.total%16]
	for ; len(p) >= 4; p = p[4:] {
		s = bits.RotateLeft32(s+binary.LittleEndian.Uint32(p)*prime3, 17) * prime4
	}
	for _, c := range p {
		s = bits.RotateLeft32(s+uint32(c)*prime5, 11) * prime1
	}
	s ^= s >> 15
	s *= prime2
	s ^= s >> 13
	s *= prime3
	return s ^ s>>16
}

// StateSize is the size of what AppendState appends, in bytes.
const StateSize = 32

// AppendState appends to b what Restore takes, next to the seed and how much was written.
func (h *Digest) AppendState(b []byte) []byte {
	for _, lane := range h.lanes {
		b = binary.LittleEndian.AppendUint32(b, lane)
	}
	return append(b, h.tail[:]...)
}

// Restore goes on where AppendState was called, after total bytes. state has StateSize bytes.
func (h *Digest) Restore(seed uint32, total uint64, state []byte) {
	h.seed, h.total = seed, total
	for i := range h.lanes {
		h.lanes[i] = binary.LittleEndian.Uint32(state[4*i:])
	}
	copy(h.tail[:], state[4*len(h.lanes):])
}

// Of returns the hash of p alone.
func Of(seed uint32, p []byte) uint32 {
	var h Digest
	h.Reset(seed)
	h.Write(p)
	return h.Sum()
}
