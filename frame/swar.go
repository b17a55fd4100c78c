package frame

import (
	"encoding/binary"
	"math/bits"
)

// Blocks of 64 bytes are looked through eight bytes at a time in one register.

const (
	block = 64
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// spread repeats c in every byte.
func spread(c byte) uint64 { return ones * uint64(c) }

// matches has a bit set for each byte of b that is c.
func matches(b *[block]byte, c byte) (m uint64) {
	x := spread(c)
	// Bit i of byte j is byte j of word i, until the turn.
	for i := 0; i < block; i += 16 {
		v := binary.LittleEndian.Uint64(b[i:i+8]) ^ x
		w := binary.LittleEndian.Uint64(b[i+8:i+16]) ^ x
		m = m>>2 | (v-ones)&^v&highs>>1 | (w-ones)&^w&highs
	}
	if m == 0 {
		return 0
	}
	m = turn(m)
	// A borrow may set the bit behind one that is set: each such is looked at.
	for doubt := m & (m << 1); doubt != 0; doubt &= doubt - 1 {
		if at := bits.TrailingZeros64(doubt); b[at] != c {
			m &^= 1 << at
		}
	}
	return m
}

// turn swaps bit i of byte j with bit j of byte i.
func turn(m uint64) uint64 {
	t := (m ^ m>>7) & 0x00aa00aa00aa00aa
	m ^= t ^ t<<7
	t = (m ^ m>>14) & 0x0000cccc0000cccc
	m ^= t ^ t<<14
	t = (m ^ m>>28) & 0x00000000f0f0f0f0
	return m ^ t ^ t<<28
}

// parity has each bit set at and behind which an odd number of bits of m is.
func parity(m uint64) uint64 {
	m ^= m << 1
	m ^= m << 2
	m ^= m << 4
	m ^= m << 8
	m ^= m << 16
	m ^= m << 32
	return m
}
