package bzip2

import (
	"encoding/binary"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

const (
	minTrees, maxTrees = 2, 6
	groupSize          = 50 // symbols for which one selector chooses the tree
	maxSelectors       = 1<<15 - 1

	// firstBlock is how much memory a block gets at first, in bytes. More
	// comes with the data.
	firstBlock = 64 << 10
)

// readBlock decodes a block, after its mark and checksum, for z.runs.
func (z *Reader) readBlock() error {
	randomised := z.bits.take(1) == 1
	origin := int(z.bits.take(24))
	var list [256]byte // the bytes in use
	used := z.readUsed(&list)
	trees, selectors := int(z.bits.take(3)), int(z.bits.take(15))
	switch err := z.bits.short(); {
	case err != nil:
		return err
	case used == 0:
		return fault.Corruptf("block that uses no byte")
	case trees < minTrees || trees > maxTrees:
		return fault.Corruptf("number of trees not 2 to 6")
	case selectors == 0:
		return fault.Corruptf("block without selectors")
	}
	if err := z.readSelectors(selectors, trees); err != nil {
		return err
	}
	for i := range trees {
		if err := z.readTree(&z.trees[i], used+2); err != nil {
			return err
		}
	}
	if err := z.readSymbols(z.selectors[:selectors], &list, used); err != nil {
		return err
	}
	if origin >= len(z.block) {
		return fault.Corruptf("origin pointer outside the block")
	}
	if !z.inverseBWT(origin) {
		return fault.Corruptf("transform of no data")
	}
	if randomised {
		Randomise(z.block)
	}
	z.runs = runs{block: z.block}
	return nil
}

// readUsed reads which bytes the block uses, as a map of 16 ranges of 16, into
// list. It returns how many there are.
func (z *Reader) readUsed(list *[256]byte) int {
	n := 0
	ranges := z.bits.take(16)
	for high := range 16 {
		if ranges>>(15-high)&1 == 0 {
			continue
		}
		bytes := z.bits.take(16)
		for low := range 16 {
			if bytes>>(15-low)&1 == 1 {
				list[n] = byte(high<<4 | low)
				n++
			}
		}
	}
	return n
}

// readSelectors reads which tree decodes each group of symbols: places in a
// move-to-front list of trees, each as so many ones and a zero.
func (z *Reader) readSelectors(n, trees int) error {
	list := [maxTrees]uint8{0, 1, 2, 3, 4, 5}
	for i := range n {
		place := 0
		for z.bits.take(1) == 1 {
			if place++; place == trees {
				return fault.Corruptf("selector of a tree that is not there")
			}
		}
		tree := list[place]
		copy(list[1:place+1], list[:place])
		list[0] = tree
		z.selectors[i] = tree
	}
	return z.bits.short()
}

// readTree reads the lengths of a tree's codes, each as steps from the one before.
func (z *Reader) readTree(tree *huffman, symbols int) error {
	lengths := z.lengths[:symbols]
	length := z.bits.take(5)
	for i := range lengths {
		for {
			if err := z.bits.short(); err != nil {
				return err
			}
			if length < 1 || length > maxCode {
				return fault.Corruptf("code length not 1 to 20")
			}
			if z.bits.take(1) == 0 {
				break
			}
			length += 1 - 2*z.bits.take(1)
		}
		lengths[i] = uint8(length)
	}
	if err := z.bits.short(); err != nil {
		return err
	}
	tree.build(lengths)
	return nil
}

// Symbols: two digits of a run's length, then places in the list from 1 on, then
// the end.
const runA, runB = 0, 1

// readSymbols decodes the symbols to the end of the block, into z.block and
// z.counts. The bytes of list, used of them, are moved to the front.
//
// The first eight places are in front, the first of all in the lowest byte; list
// holds the others.
func (z *Reader) readSymbols(selectors []uint8, list *[256]byte, used int) error {
	var (
		b        = z.bits // a copy, to be put back before any return
		front    = binary.LittleEndian.Uint64(list[:])
		block    = z.block[:cap(z.block)]
		n        = 0
		limit    = z.level * levelBytes
		end      = uint32(used + 1)
		run      = 0
		runDigit = 1
	)
	z.counts = [256]uint32{}
	if len(block) == 0 {
		block = make([]byte, min(firstBlock, limit))
	}
	block = block[:min(len(block), limit)]
	for _, selector := range selectors {
		tree := &z.trees[selector]
		if !tree.valid {
			z.bits = b
			return fault.Corruptf("more codes than their lengths allow")
		}
		for range groupSize {
			if b.n < maxCode {
				if left := len(b.win) - b.pos; left >= 8 {
					b.acc |= binary.BigEndian.Uint64(b.win[b.pos:]) >> b.n
					took := (63 - b.n) / 8
					b.pos += int(took)
					b.n += took * 8
				} else {
					z.bits = b
					z.bits.fill()
					b = z.bits
				}
			}
			entry := tree.table[b.acc>>(64-tableBits)]
			symbol, length := entry>>8, uint(entry&0xff)
			if length == 0 {
				if symbol, length = tree.long(b.acc); length == 0 {
					z.bits = b
					if b.n < maxCode {
						return z.bits.ended()
					}
					return fault.Corruptf("code that no symbol has")
				}
			}
			if length > b.n {
				z.bits = b
				return z.bits.ended()
			}
			b.acc <<= length
			b.n -= length

			if symbol <= runB {
				if runDigit > limit {
					z.bits = b
					return fault.Corruptf("run past the end of the block")
				}
				run += runDigit << symbol
				runDigit <<= 1
				continue
			}
			if run > 0 {
				if run > limit-n {
					z.bits = b
					return fault.Corruptf("run past the end of the block")
				}
				for run > len(block)-n {
					block = grow(block, n, limit)
				}
				c := byte(front)
				z.counts[c] += uint32(run)
				fill(block[n:n+run], c)
				n += run
				run, runDigit = 0, 1
			}
			if symbol == end {
				z.bits = b
				z.block = block[:n]
				return nil
			}
			var c byte
			if place := symbol - 1; place < 8 {
				shift := place * 8
				moved := ^uint64(0) >> (56 - shift)
				c = byte(front >> shift)
				front = front&^moved | front<<8&moved | uint64(c)
			} else {
				c = list[place]
				copy(list[9:place+1], list[8:place])
				list[8] = byte(front >> 56)
				front = front<<8 | uint64(c)
			}
			if n == len(block) {
				if n == limit {
					z.bits = b
					return fault.Corruptf("block larger than its level allows")
				}
				block = grow(block, n, limit)
			}
			block[n] = c
			z.counts[c]++
			n++
		}
	}
	z.bits = b
	return fault.Corruptf("block without end")
}

// grow is block, of which n bytes are in use, with twice the room but not more
// than limit.
func grow(block []byte, n, limit int) []byte {
	more := make([]byte, min(2*len(block), limit))
	copy(more, block[:n])
	return more
}

// fill sets all of b to c.
func fill(b []byte, c byte) {
	if len(b) < 16 {
		for i := range b {
			b[i] = c
		}
		return
	}
	b[0] = c
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
