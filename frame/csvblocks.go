package frame

import "math/bits"

const (
	// csvNear is how near the next quote must be for blocks to pay.
	csvNear = 4 * block
	// csvQuiet is how many blocks without a quote it takes to go back.
	csvQuiet = 4
)

// csvCursor is where a Scan is in its slab.
type csvCursor struct {
	pos    int  // the next byte to look at
	start  int  // where the record begins, behind empty lines
	last   int  // the last end
	quoted bool // pos is within quotes
	empty  bool // empty lines are records
	ends   []uint32
}

// feed ends the line at the line feed before pos.
func (c *csvCursor) feed(slab []byte, pos int) {
	if c.empty || !emptyLine(slab[c.start:pos]) {
		c.last = pos
		c.ends = append(c.ends, uint32(pos))
	}
	c.start = pos
}

// blocks goes through slab in whole blocks, without a branch for a quote: the
// parity of the quotes up to a byte says whether it is quoted. This holds while
// every quote that opens stands at the start of a field or behind one that
// closes, which makes the two a doubled quote. It stops before a block where that
// is not so, and when quotes become rare. feed is the next line feed, or
// len(slab), and so is nextFeed.
func (c *csvCursor) blocks(slab []byte, comma byte, feed int) (nextFeed int) {
	var (
		quoted uint64 // all bits: the block begins within quotes
		closed uint64 // 1: the byte before the block is a quote that closes
	)
	if c.quoted {
		quoted = ^uint64(0)
	}
scan:
	for quiet := 0; len(slab)-c.pos >= block && quiet < csvQuiet; c.pos += block {
		quotes := matches((*[block]byte)(slab[c.pos:]), '"')
		within := quoted
		if quotes != 0 {
			within ^= parity(quotes)
		}
		for m := quotes & within &^ (quotes<<1 | closed); m != 0; m &= m - 1 {
			at := c.pos + bits.TrailingZeros64(m)
			if at == c.start {
				continue
			}
			if before := slab[at-1]; before != comma && before != '\n' {
				break scan
			}
		}
		for ; feed < c.pos+block; feed = indexFrom(slab, feed+1, '\n') {
			if within>>(feed-c.pos)&1 == 0 {
				c.feed(slab, feed+1)
			}
		}
		quoted = uint64(int64(within) >> 63)
		closed = quotes >> 63 &^ quoted
		quiet++
		if quotes|quoted != 0 {
			quiet = 0
		}
	}
	c.quoted = quoted != 0
	if closed != 0 { // looked at again: it may be the first of a doubled quote
		c.pos--
		c.quoted = true
	}
	return feed
}
