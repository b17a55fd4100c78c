package inflate_test

import (
	"fmt"
	"testing"
)

// small are short streams that have every kind of block.
func small() map[string][]byte {
	text := lines(350) + noisy(40) + lines(200)
	m := map[string][]byte{
		"stored, fixed, dynamic": func() []byte {
			w := new(bitWriter).stored(false, "abc").fixed(false).lits("hello ").match(5, 6).match(20, 1).end()
			lit := steep(286, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 284, 285, 256)
			return w.dynamic(false, lit, flat(14)).lits("abcmm").match(258, 3).end().stored(true, "end").out
		}(),
		"no distances": new(bitWriter).dynamic(true, flat(257), []int{0}).lits("abc").end().out,
	}
	for _, level := range []int{-2, 1, 6, 9} {
		m[fmt.Sprint("level ", level)] = deflate(text, level, 200)
	}
	return m
}

// TestTruncated cuts streams at every byte.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for name, data := range small() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDecoders()
			for n := range data {
				d.check(t, data[:n])
			}
		})
	}
}

// TestFlipped changes every single bit of streams.
func TestFlipped(t *testing.T) {
	t.Parallel()
	for name, data := range small() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDecoders()
			b := append([]byte(nil), data...)
			for i := range 8 * len(b) {
				b[i/8] ^= 1 << (i % 8)
				d.check(t, b)
				b[i/8] ^= 1 << (i % 8)
			}
		})
	}
}
