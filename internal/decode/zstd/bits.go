package zstd

import (
	"encoding/binary"
	"math/bits"
)

// forward reads bits of b from its first byte on, the lowest of each byte first.
// Bits after the end are zeros; over reports their use.
type forward struct {
	b   []byte
	pos int // in bits
}

// peek is the next n bits, at most 24.
func (r *forward) peek(n int) int {
	var v uint32
	for i, at := 0, r.pos>>3; i < 4 && at+i < len(r.b); i++ {
		v |= uint32(r.b[at+i]) << (8 * i)
	}
	return int(v >> (r.pos & 7) & (1<<n - 1))
}

func (r *forward) over() bool { return r.pos > 8*len(r.b) }

// used is how many bytes have bits that were read.
func (r *forward) used() int { return (r.pos + 7) >> 3 }

// backward reads bits of b from its end: the highest set bit of the last byte is
// the end mark, the bits below it come first. Bits before b are zeros, and left is
// negative once they were used.
type backward struct {
	b    []byte
	left int // bits to come
}

// start begins at the end mark of b. It is false if there is none.
func (r *backward) start(b []byte) bool {
	if len(b) == 0 || b[len(b)-1] == 0 {
		return false
	}
	*r = backward{b: b, left: 8*(len(b)-1) + bits.Len8(b[len(b)-1]) - 1}
	return true
}

// peek is the next n bits, at most 56; the first of them is the highest.
func (r *backward) peek(n int) uint64 {
	from := r.left - n
	if from < 0 {
		if r.left <= 0 {
			return 0
		}
		return r.word(0) & (1<<r.left - 1) << -from
	}
	return r.word(from>>3) >> (from & 7) & (1<<n - 1)
}

// highest is a word of the next bits, 57 of them or, followed by zeros, all that
// are left.
func (r *backward) highest() uint64 {
	n := (r.left + 7) >> 3
	switch {
	case n >= 8:
		return r.word(n-8) << uint(8*n-r.left)
	case r.left > 0:
		return r.word(0) << uint(64-r.left)
	}
	return 0
}

// word is the eight bytes at i.
func (r *backward) word(i int) uint64 {
	if len(r.b)-i >= 8 {
		return binary.LittleEndian.Uint64(r.b[i:])
	}
	var v uint64
	for k, c := range r.b[i:] {
		v |= uint64(c) << (8 * k)
	}
	return v
}

func (r *backward) read(n int) uint64 {
	v := r.peek(n)
	r.left -= n
	return v
}
