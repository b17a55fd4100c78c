package frame

import "encoding/binary"

// Blocks of 64 bytes are looked through eight bytes at a time in one register.

const (
	block = 64
	ones  = 0x0101010101010101
	lows  = 0x7f7f7f7f7f7f7f7f
	highs = 0x8080808080808080
)

// spread repeats c in every byte.
func spread(c byte) uint64 { return ones * uint64(c) }

// equal has the high bit of each byte set where w and x are the same there.
func equal(w, x uint64) uint64 {
	w ^= x
	return ^((w&lows + lows) | w) & highs
}

// matches has a bit set for each byte of b that is c.
func matches(b *[block]byte, c byte) (m uint64) {
	x := spread(c)
	// Bit i of byte j is byte j of word i, until the turn.
	for i := 0; i < block; i += 16 {
		v := binary.LittleEndian.Uint64(b[i : i+8])
		w := binary.LittleEndian.Uint64(b[i+8 : i+16])
		m = m>>2 | equal(v, x)>>1 | equal(w, x)
	}
	return turn(m)
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
