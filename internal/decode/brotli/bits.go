package brotli

import (
	"bufio"
	"io"
)

// bitReader takes bits from its source, the lowest of each byte first. It takes a
// byte when a bit of it is needed, so that between two elements fewer than eight
// bits are held. After an error, which is kept, bits are zeros.
type bitReader struct {
	src *bufio.Reader
	acc uint64
	n   uint // bits of acc; those above are zeros
	err error
}

// fill holds n bits or more, at most 57.
func (b *bitReader) fill(n uint) bool {
	for b.n < n && b.err == nil {
		c, err := b.src.ReadByte()
		if err != nil {
			b.err = truncated(err)
			b.acc, b.n = 0, 0
			break
		}
		b.acc |= uint64(c) << b.n
		b.n += 8
	}
	return b.err == nil
}

// take is the next n bits, at most 32.
func (b *bitReader) take(n uint) int {
	if !b.fill(n) {
		return 0
	}
	v := int(b.acc & (1<<n - 1))
	b.acc >>= n
	b.n -= n
	return v
}

// symbol is the next one of a code.
func (b *bitReader) symbol(t []entry) int {
	for {
		e := t[b.acc&(1<<rootBits-1)]
		if e.isLink() {
			e = t[int(e.value())+int(b.acc>>rootBits)&(1<<(e.bits()-rootBits)-1)]
		}
		if e.bits() <= b.n {
			b.acc >>= e.bits()
			b.n -= e.bits()
			return int(e.value())
		}
		if !b.fill(b.n + 1) {
			return 0
		}
	}
}

// align drops the bits before the next whole byte. It is false if one is set.
func (b *bitReader) align() bool {
	ok := b.acc == 0
	b.acc, b.n = 0, 0
	return ok
}

// truncated is err for a place where the source must not end.
func truncated(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
