package frame

import (
	"bytes"
	"io"

	"github.com/thaw-go/thaw/internal/byteindex"
)

// csv separates by line feeds outside quotes, as RFC 4180 has it. A quote opens at
// the start of a field alone and is data elsewhere; within, a doubled quote is one
// of the text, and line feeds and carriage returns are kept. Of what follows a
// closing quote only the line feed matters. A carriage return without a line feed
// is data. An empty line is no record, unless the dialect wants it. The header is
// a record like any other, and the number of fields is not looked at.
//
// The last record needs no line feed, so that a final partial one cannot be told
// from a whole one, except within quotes, where it is io.ErrUnexpectedEOF, unless
// the dialect closes them. A Scanner finds its place again where the bad record
// ends by these rules: behind a quote that is never closed that is the end of the
// object.
func csv(name string, dialect csvDialect, extensions ...string) Framer {
	f := Framer{
		Name:       name,
		Extensions: extensions,
		Text:       true,
		New: func(opts *Options) (Scanner, error) {
			return &csvScanner{name: name, csvDialect: dialect, atStart: opts.Offset == 0}, nil
		},
		Body: csvBody,
	}
	if dialect.empty {
		f.Body = lineBody
	}
	return f
}

type csvScanner struct {
	name string
	csvDialect
	start   int  // where behind the last end the record begins: what is before it is empty lines
	seen    int  // bytes behind the last end that need not be looked at again
	quoted  bool // the byte at seen is within quotes
	atStart bool // no end reported and the object's offset 0 is the slab's
	bad     csvBad
}

func (s *csvScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	c := csvCursor{start: s.start, pos: min(s.seen, len(slab)), quoted: s.quoted, empty: s.empty, ends: ends}
	if s.atStart && c.start == 0 && bytes.HasPrefix(slab, bom) {
		c.start, c.pos = len(bom), max(c.pos, len(bom))
	}
	c.scan(slab, eof, s.comma)
	c.quoted = c.quoted && !(eof && s.open)
	if eof && c.start < len(slab) && !c.quoted {
		c.last, c.start = len(slab), len(slab)
		c.ends = append(c.ends, uint32(c.last))
	}
	s.atStart = s.atStart && c.last == 0
	s.start, s.seen, s.quoted = c.start-c.last, c.pos-c.last, c.quoted
	if eof && c.quoted {
		return c.ends, &Error{Framer: s.name, Offset: int64(len(slab) - c.last), Err: io.ErrUnexpectedEOF}
	}
	return c.ends, nil
}

// csvCursor is where a Scan is in its slab.
type csvCursor struct {
	pos    int  // the next byte to look at
	start  int  // where the record begins, behind empty lines
	last   int  // the last end
	quoted bool // pos is within quotes
	empty  bool // empty lines are records
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

// record tells whether the line that ends at pos is a record.
func (c *csvCursor) record(slab []byte, pos int) bool {
	return pos-c.start > 2 || c.empty || !emptyLine(slab[c.start:pos])
}

// indexFrom is where c stands in b at or behind pos, or len(b).
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

func (s *csvScanner) State() []byte { return nil }

// csvBad is how far Resync is in the bad record.
type csvBad struct {
	within  bool // at least one byte was looked at
	quoted  bool
	field   bool // the next byte is a field's first
	line    int  // bytes since the line's start, up to 2
	lastWas byte
}

// Resync leaves out one record and the empty lines before it that are none.
func (s *csvScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	bad := &s.bad
	if !bad.within {
		if s.atStart && len(slab) < len(bom) && !eof {
			return 0, false
		}
		if s.atStart && bytes.HasPrefix(slab, bom) {
			n = len(bom)
		}
		s.start, s.seen, s.quoted, s.atStart = 0, 0, false, false
		*bad = csvBad{within: true, field: true}
	}
	for n < len(slab) {
		c := slab[n]
		switch {
		case bad.quoted && c == '"':
			if n+1 == len(slab) && !eof {
				return n, false
			}
			if n+1 < len(slab) && slab[n+1] == '"' {
				n++
			} else {
				bad.quoted = false
			}
		case bad.quoted:
		case c == '"' && bad.field:
			bad.quoted = true
		case c == '\n':
			if s.empty || bad.line > 1 || bad.line == 1 && bad.lastWas != '\r' {
				bad.within = false
				return n + 1, true
			}
			bad.line = -1
		}
		bad.field = !bad.quoted && (c == s.comma || bad.line < 0)
		bad.line, bad.lastWas = min(bad.line+1, 2), c
		n++
	}
	bad.within = bad.within && !eof
	return n, eof
}

// csvBody cuts the empty lines before the record and its line feed off, and the
// byte order mark at offset 0.
func csvBody(raw []byte, offset int64) []byte {
	if offset == 0 {
		raw = bytes.TrimPrefix(raw, bom)
	}
	for {
		switch {
		case len(raw) > 0 && raw[0] == '\n':
			raw = raw[1:]
		case len(raw) > 1 && raw[0] == '\r' && raw[1] == '\n':
			raw = raw[2:]
		default:
			return cutLineEnd(raw)
		}
	}
}
