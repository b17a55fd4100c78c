package brotli

import (
	"bytes"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// maxTrees is how many codes a map may name.
const maxTrees = 256

// contextMap reads a map of size contexts to codes, RFC 7932 section 7.3, and how
// many codes there are.
func (d *decoder) contextMap(to []uint8, size int) ([]uint8, int, error) {
	b := &d.bits
	trees := b.count()
	if cap(to) < size {
		to = make([]uint8, size)
	}
	to = to[:size]
	if trees == 1 {
		clear(to)
		return to, trees, b.err
	}
	zeros := 0 // how many symbols stand for runs of zeros
	if b.take(1) == 1 {
		zeros = 1 + b.take(4)
	}
	var err error
	d.code, err = d.prefix.read(b, d.code[:0], trees+zeros, trees+zeros)
	if err != nil {
		return to, trees, err
	}
	at := 0
	if e := d.code[0]; e.bits() == 0 && (e.value() == 0 || int(e.value()) > zeros) {
		// The only symbol takes no bits.
		repeat(to, uint8(max(0, int(e.value())-zeros)))
		at = size
	}
	for at < size {
		s := b.symbol(d.code)
		run := 1
		switch {
		case s == 0:
			to[at] = 0
		case s <= zeros:
			run = 1<<s + b.take(uint(s))
			if run > size-at {
				return to, trees, fault.Corruptf("run beyond the end of a context map")
			}
			clear(to[at : at+run])
		default:
			to[at] = uint8(s - zeros)
		}
		if b.err != nil {
			return to, trees, b.err
		}
		at += run
	}
	if b.take(1) == 1 {
		moveToFront(to)
	}
	return to, trees, b.err
}

// repeat sets all of to to v, by copies of ever more of it.
func repeat[T any](to []T, v T) {
	if len(to) == 0 {
		return
	}
	to[0] = v
	for n := 1; n < len(to); n *= 2 {
		copy(to[n:], to[:n])
	}
}

// moveToFront turns places in a list, from which what is named moves to the
// front, into what stands there.
func moveToFront(m []uint8) {
	var list [maxTrees]uint8
	for i := range list {
		list[i] = uint8(i)
	}
	if len(m) > 0 && bytes.Count(m, m[:1]) == len(m) {
		// The same place again and again: the list up to it turns round.
		turn := int(m[0]) + 1
		for i := range min(turn, len(m)) {
			m[i] = uint8(turn - 1 - i)
		}
		for n := turn; n < len(m); n *= 2 {
			copy(m[n:], m[:n])
		}
		return
	}
	for i, place := range m {
		v := list[place]
		copy(list[1:], list[:place])
		list[0] = v
		m[i] = v
	}
}

// count is a number from 1 to 256.
func (b *bitReader) count() int {
	if b.take(1) == 0 {
		return 1
	}
	n := uint(b.take(3))
	return 1<<n + 1 + b.take(n)
}
