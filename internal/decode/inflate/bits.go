package inflate

import "encoding/binary"

// bitReader reads bits of buf, the lowest of each byte first.
//
// bits holds n bits that are taken from buf and not yet used, the next one
// lowest. Above them there may be bits of bytes at pos and after, in their right
// places: filling them in again changes nothing. Outside of a run n is below 8.
type bitReader struct {
	buf  []byte
	pos  int // next byte of buf
	bits uint64
	n    uint
}

// need reports whether k bits are there, taking bytes as required. k is at most 56.
func (b *bitReader) need(k uint) bool {
	for b.n < k {
		if b.pos == len(b.buf) {
			return false
		}
		b.bits |= uint64(b.buf[b.pos]) << b.n
		b.pos++
		b.n += 8
	}
	return true
}

// refill takes as many bytes as are there and fit, for at least 56 bits.
func (b *bitReader) refill() {
	if len(b.buf)-b.pos < 8 {
		b.need(56)
		return
	}
	b.bits |= binary.LittleEndian.Uint64(b.buf[b.pos:]) << (b.n & 63)
	b.pos += int((63 - b.n) >> 3)
	b.n |= 56
}

// take uses k bits that need has promised.
func (b *bitReader) take(k uint) uint64 {
	v := b.bits & (1<<k - 1)
	b.bits >>= k
	b.n -= k
	return v
}

// align drops the rest of a byte that is partly used.
func (b *bitReader) align() { b.take(b.n & 7) }

// giveBack returns whole unused bytes to buf.
func (b *bitReader) giveBack() {
	b.pos -= int(b.n >> 3)
	b.n &= 7
	b.bits &= 1<<b.n - 1
}
