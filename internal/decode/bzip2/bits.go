package bzip2

import (
	"encoding/binary"
	"io"
)

// Source is where a Reader reads: *bufio.Reader is one. Peek must serve at least
// 16 bytes.
type Source interface {
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	Buffered() int
}

// bitReader reads bits, the highest of a byte first.
//
//	src:    discarded | win[:pos] | win[pos:] | not buffered
//	acc:      its first n bits are not used yet; their whole bytes are the last of win[:pos]
//
// So bytes that acc holds can be returned. Below its first n bits acc may hold
// bits of win[pos:], which are those that a refill puts there again.
type bitReader struct {
	src Source
	win []byte
	pos int
	acc uint64
	n   uint
	err error // of the source, io.ErrUnexpectedEOF for its end
	cut bool  // bits were asked for that err kept away; they read as 0
}

func (b *bitReader) reset(src Source) { *b = bitReader{src: src} }

// fill makes n at least 56, or less only if the source ended or failed.
func (b *bitReader) fill() {
	for b.n < 56 {
		if left := len(b.win) - b.pos; left >= 8 {
			b.acc |= binary.BigEndian.Uint64(b.win[b.pos:]) >> b.n
			took := (63 - b.n) / 8
			b.pos += int(took)
			b.n += took * 8
			return
		} else if left == 0 && !b.more() {
			return
		}
		b.acc |= uint64(b.win[b.pos]) << (56 - b.n)
		b.pos++
		b.n += 8
	}
}

// more replaces the used-up window by one that has at least one more byte. After an error
// the source is not asked again, but bytes that were returned to it are still there.
func (b *bitReader) more() bool {
	keep := int(b.n / 8)
	b.src.Discard(b.pos - keep)
	if b.err == nil {
		if _, b.err = b.src.Peek(keep + 1); b.err == io.EOF {
			b.err = io.ErrUnexpectedEOF
		}
	}
	b.win, _ = b.src.Peek(b.src.Buffered())
	b.pos = keep
	return len(b.win) > keep
}

// short is why bits were missing; nil if none were.
func (b *bitReader) short() error {
	if b.cut {
		return b.err
	}
	return nil
}

// ended uses up the bits that are left, too few for what was asked for, and returns why
// there are no more.
func (b *bitReader) ended() error {
	b.acc, b.n, b.cut = 0, 0, true
	return b.err
}

// take reads k bits, at most 32.
func (b *bitReader) take(k uint) uint32 {
	if b.n < k {
		if b.fill(); b.n < k {
			b.ended()
			return 0
		}
	}
	v := uint32(b.acc >> (64 - k))
	b.acc <<= k
	b.n -= k
	return v
}

// settle discards all bytes of which a bit was used, and no other.
func (b *bitReader) settle() {
	b.src.Discard(b.pos - int(b.n/8))
	b.win, b.pos = nil, 0
	b.n %= 8
}

// align skips to the next byte.
func (b *bitReader) align() {
	b.acc <<= b.n % 8
	b.n -= b.n % 8
}
