package frame

import (
	"math/bits"

	"github.com/thaw-go/thaw/internal/byteindex"
)

const (
	// csvBlocks is how many blocks are looked through at once.
	csvBlocks = 16
	// csvRun is their size in bytes.
	csvRun = csvBlocks * byteindex.Block
	// csvNear is how near the next quote must be for blocks to pay.
	csvNear = 4 * byteindex.Block
)

// csvMasks have a bit for each byte of csvBlocks blocks.
type csvMasks struct {
	quotes, commas, feeds [csvBlocks]uint64
}

// blocks goes through slab in whole blocks, without a branch for a quote: the
// parity of the quotes up to a byte says whether it is quoted. This holds while
// every quote that opens stands at the start of a field or after one that
// closes, which makes the two a doubled quote. It says that it stopped before a
// block where that is not so; else it stops where quotes become rare.
func (c *csvCursor) blocks(slab []byte, comma byte) (irregular bool) {
	var (
		quoted uint64 // all bits: the block begins within quotes
		closed uint64 // 1: the byte before the block is a quote that closes
		before uint64 // 1: the block's first byte is a field's, if it is not quoted
	)
	if c.quoted {
		quoted = ^uint64(0)
	}
	if c.pos == c.start || slab[c.pos-1] == comma {
		before = 1
	}
	for !irregular {
		n := min(len(slab)-c.pos, csvRun) / byteindex.Block
		if n == 0 || !c.masks.fill(slab[c.pos:], n, comma) {
			break
		}
		for i, quotes := range c.masks.quotes[:n] {
			feeds := c.masks.feeds[i]
			within := quoted ^ parity(quotes)
			starts := c.masks.commas[i] | feeds
			if quotes&within&^(quotes<<1|closed|starts<<1|before) != 0 {
				irregular = true
				break
			}
			for m := feeds &^ within; m != 0; m &= m - 1 {
				c.feed(slab, c.pos+bits.TrailingZeros64(m)+1)
			}
			quoted = uint64(int64(within) >> 63)
			closed = quotes >> 63 &^ quoted
			before = starts >> 63
			c.pos += byteindex.Block
		}
	}
	c.quoted = quoted != 0
	if closed != 0 { // looked at again: it may be the first of a doubled quote
		c.pos--
		c.quoted = true
	}
	return irregular
}

// fill describes n blocks of b. It gives up where there is no quote.
func (m *csvMasks) fill(b []byte, n int, comma byte) bool {
	byteindex.Masks(m.quotes[:n], b, '"')
	any := uint64(0)
	for _, quotes := range m.quotes[:n] {
		any |= quotes
	}
	if any == 0 {
		return false
	}
	byteindex.Masks(m.commas[:n], b, comma)
	byteindex.Masks(m.feeds[:n], b, '\n')
	return true
}

// parity has each bit set at and after which an odd number of bits of m is.
func parity(m uint64) uint64 {
	m ^= m << 1
	m ^= m << 2
	m ^= m << 4
	m ^= m << 8
	m ^= m << 16
	m ^= m << 32
	return m
}
