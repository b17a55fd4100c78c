package byteindex

import (
	"encoding/binary"
	"math/bits"
)

// Block is how many bytes one turn looks at, and a mask describes.
const Block = 64

// Masks sets bit j of masks[i] where src[Block*i+j] is c, and clears it elsewhere.
// src has Block bytes for each mask at least.
func Masks(masks []uint64, src []byte, c byte) {
	if len(masks) == 0 {
		return
	}
	src = src[:len(masks)*Block]
	if vector {
		maskVector(&masks[0], &src[0], len(masks), c)
		return
	}
	for i := range masks {
		masks[i] = mask((*[Block]byte)(src[i*Block:]), c)
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// mask looks through b eight bytes at a time in one register.
func mask(b *[Block]byte, c byte) (m uint64) {
	x := ones * uint64(c)
	// Bit i of byte j is byte j of word i, until the turn.
	for i := 0; i < Block; i += 32 {
		s := binary.LittleEndian.Uint64(b[i:i+8]) ^ x
		t := binary.LittleEndian.Uint64(b[i+8:i+16]) ^ x
		u := binary.LittleEndian.Uint64(b[i+16:i+24]) ^ x
		v := binary.LittleEndian.Uint64(b[i+24:i+32]) ^ x
		m = m>>4 | ((s-ones)&^s&highs>>3 | (t-ones)&^t&highs>>2) | ((u-ones)&^u&highs>>1 | (v-ones)&^v&highs)
	}
	if m == 0 {
		return 0
	}
	m = turn(m)
	// A borrow may set the bit after one that is set: each such is looked at.
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
