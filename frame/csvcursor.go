package frame

import (
	"bytes"

	"github.com/thaw-go/thaw/internal/byteindex"
)

// csvCursor is where a Scan is in its slab.
type csvCursor struct {
	pos    int  // the next byte to look at
	start  int  // where the record begins, after empty lines
	last   int  // the last end
	quoted bool // pos is within quotes
	empty  bool // empty lines are records
	header bool // the header, which is no record, is still to come
	ends   []uint32
	masks  csvMasks
}

// scan goes to the end of slab, or to a quote there that may be doubled.
func (c *csvCursor) scan(slab []byte, eof bool, comma byte) {
	quote := -1  // the next one, len(slab) for none
	singly := -1 // quotes before it are looked at one by one
	for {
		if quote < c.pos {
			quote = indexFrom(slab, c.pos, '"')
		}
		if quote-c.pos < csvNear && c.pos > singly && len(slab)-c.pos >= byteindex.Block {
			from := c.pos
			if c.blocks(slab, comma) {
				singly = c.pos + csvRun
			} else {
				singly = c.pos
			}
			if c.pos > from {
				continue
			}
		}
		if c.quoted {
			switch {
			case quote == len(slab):
				c.pos = quote
				return
			case quote+1 == len(slab) && !eof: // it may be doubled
				c.pos = quote
				return
			case quote+1 < len(slab) && slab[quote+1] == '"':
				c.pos = quote + 2
			default:
				c.pos, c.quoted = quote+1, false
			}
			continue
		}
		c.feeds(slab, quote)
		if quote == len(slab) {
			c.pos = quote
			return
		}
		c.quoted = quote == c.start || slab[quote-1] == comma
		c.pos = quote + 1
	}
}

// feeds ends the lines up to a place before which nothing is quoted.
func (c *csvCursor) feeds(slab []byte, to int) {
	kept := len(c.ends)
	c.ends = byteindex.AppendBehind(c.ends, slab[:to], c.pos, '\n')
	for _, end := range c.ends[kept:] {
		if pos := int(end); c.record(slab, pos) {
			c.ends[kept], c.last = end, pos
			kept++
		}
		c.start = int(end)
	}
	c.ends = c.ends[:kept]
}

// feed ends the line at the line feed before pos.
func (c *csvCursor) feed(slab []byte, pos int) {
	if c.record(slab, pos) {
		c.last = pos
		c.ends = append(c.ends, uint32(pos))
	}
	c.start = pos
}

// record reports whether the row that ends at pos is a record.
func (c *csvCursor) record(slab []byte, pos int) bool {
	if pos-c.start <= 2 && !c.empty && emptyLine(slab[c.start:pos]) {
		return false
	}
	if c.header {
		c.header = false
		return false
	}
	return true
}

// indexFrom is where c stands in b at or after pos, or len(b).
func indexFrom(b []byte, pos int, c byte) int {
	i := bytes.IndexByte(b[pos:], c)
	if i < 0 {
		return len(b)
	}
	return pos + i
}

// emptyLine says that a line that ends in a line feed holds nothing else but a
// carriage return.
func emptyLine(line []byte) bool {
	return len(line) == 1 || len(line) == 2 && line[0] == '\r'
}
