package byteindex

import (
	"bytes"
	"slices"
)

// AppendBehind appends to places where each c of src[from:] ends: its index in src
// plus 1. src is shorter than 4 GiB.
func AppendBehind(places []uint32, src []byte, from int, c byte) []uint32 {
	if vector {
		places, from = appendVector(places, src, from, c)
	}
	for {
		i := bytes.IndexByte(src[from:], c)
		if i < 0 {
			return places
		}
		from += i + 1
		places = append(places, uint32(from))
	}
}

// appendVector does so for all blocks that are whole, and reports where the rest
// begins.
func appendVector(places []uint32, src []byte, from int, c byte) ([]uint32, int) {
	for n := (len(src) - from) / Block; n > 0; n = (len(src) - from) / Block {
		// One place a block is much; where it is not enough, room doubles.
		places = slices.Grow(places, Block+n)
		free := places[len(places):cap(places)]
		done, found := scanVector(&free[0], len(free), &src[from], n, c, uint32(from))
		places = places[:len(places)+found]
		from += done * Block
	}
	return places, from
}
