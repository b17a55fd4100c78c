package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// csv separates by line feeds outside quotes, as RFC 4180 has it, and tsv by every
// line feed: in text/tab-separated-values (IANA) quotes are data. Tabs between fields
// that may be quoted are csv:comma=09. A quote opens at
// the start of a field alone and is data elsewhere; within, a doubled quote is one
// of the text, and line feeds and carriage returns are kept. Of what follows a
// closing quote only the line feed matters. A carriage return without a line feed
// is data. An empty line is no record, unless the dialect wants it. The header is
// a record like any other, and the number of fields is not looked at, unless the
// dialect says otherwise.
//
// The last record needs no line feed, so that a final partial one cannot be distinguished
// from a complete one, except within quotes, where it is io.ErrUnexpectedEOF, unless
// the dialect closes them. A Scanner continues where the bad record
// ends by these rules. Where a quote is never closed and lines follow it, no
// later record can be found: they may be one field that was cut, or all the other rows.
func csv(name string, dialect csvDialect, extensions ...string) Framer {
	return RefuseUTF16(Framer{
		Name:       name,
		Extensions: extensions,
		HasHeader:  dialect.header,
		New: func(opts *Options) (Scanner, error) {
			s := &csvScanner{name: name, csvDialect: dialect, atStart: opts.Offset == 0}
			s.header = s.header && s.atStart
			if len(opts.State) > 0 {
				fields, n := binary.Uvarint(opts.State)
				if n != len(opts.State) || !dialect.ragged {
					return nil, fmt.Errorf("frame: %s: state %x is none of this framer", name, opts.State)
				}
				s.know(int(fields))
			}
			return s, nil
		},
		Body: func(raw []byte, offset int64) []byte { return dialect.body(raw, offset) },
	})
}

type csvScanner struct {
	name string
	csvDialect
	start   int  // where after the last end the record begins: before it are empty lines and the header
	seen    int  // bytes after the last end that need not be looked at again
	quoted  bool // the byte at seen is within quotes
	atStart bool // no end reported and the object's offset 0 is the slab's
	headed  bool // the header, where it is no record, is before start
	fields  int  // that the header has, 0 while that is not known
	state   []byte
	careful bool // a row was bad
	lost    bool // a quote was never closed
	bad     csvBad
}

func (s *csvScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	if s.lost {
		return ends, &Error{Framer: s.name, Offset: int64(len(slab)), Err: errQuote}
	}
	had, before, atStart := len(ends), len(ends), s.atStart
	c := csvCursor{start: s.start, pos: min(s.seen, len(slab)), quoted: s.quoted, empty: s.empty, header: s.header && !s.headed, ends: ends}
	if s.atStart && c.start == 0 && bytes.HasPrefix(slab, bom) {
		c.start, c.pos = len(bom), max(c.pos, len(bom))
	}
	to, last := len(slab), 0
	for more := true; more; last = c.last {
		if s.careful { // what is after a bad row will be looked at again
			to = min(c.pos+csvWindow, len(slab))
		}
		more = to < len(slab)
		s.rows(&c, slab[:to], eof && !more)
		if !s.ragged {
			continue
		}
		good, err := s.check(slab, c.ends[had:], last, atStart)
		if had += good; err != nil {
			s.atStart, s.careful = atStart && had == before, true
			return c.ends[:had], err
		}
	}
	s.atStart, s.headed = s.atStart && c.last == 0, !c.header
	s.start, s.seen, s.quoted = c.start-c.last, c.pos-c.last, c.quoted
	if eof && c.quoted {
		err := io.ErrUnexpectedEOF
		if s.lost = bytes.IndexByte(slab[c.start:], '\n') >= 0; s.lost {
			err = errQuote
		}
		return c.ends, &Error{Framer: s.name, Offset: int64(len(slab) - c.last), Err: err}
	}
	return c.ends, nil
}

// csvWindow is how many bytes are split into rows before these are checked, once one
// was bad.
const csvWindow = 2 << 10

// errQuote is the error of a quote that is never closed: what follows it may be one
// field that was cut, or all the other rows.
var errQuote = fmt.Errorf("%w in quotes of several lines: %w", io.ErrUnexpectedEOF, ErrNoResync)

// rows cuts slab from c.pos on.
func (s *csvScanner) rows(c *csvCursor, slab []byte, eof bool) {
	if s.bare {
		c.feeds(slab, len(slab))
		c.pos = len(slab)
	} else {
		c.scan(slab, eof, s.comma)
	}
	c.quoted = c.quoted && !(eof && s.open)
	if eof && c.start < len(slab) && !c.quoted {
		if !c.header {
			c.last = len(slab)
			c.ends = append(c.ends, uint32(c.last))
		}
		c.start = len(slab)
	}
}

// check counts the fields of records from last on. It reports how many are good,
// and the error of the one that is not.
func (s *csvScanner) check(slab []byte, ends []uint32, last int, atStart bool) (good int, err error) {
	offset := int64(1)
	if atStart && last == 0 {
		offset = 0
	}
	for i, end := range ends {
		raw := slab[last:end]
		body := cutLineEnd(raw)
		if offset == 0 || raw[0] <= '\r' { // something may be before it
			var header []byte
			if header, body = s.cut(raw, offset); header != nil {
				s.know(s.fieldsOf(header))
			}
		}
		switch n := s.fieldsOf(body); {
		case s.fields == 0:
			s.know(n)
		case n != s.fields:
			return i, &Error{Framer: s.name, Offset: int64(len(raw)),
				Err: fmt.Errorf("%w: fields: %d, and %d in the header", ErrRecord, n, s.fields)}
		}
		offset, last = 1, int(end)
	}
	return len(ends), nil
}

// know takes the number of the header's fields.
func (s *csvScanner) know(fields int) {
	s.fields, s.state = fields, binary.AppendUvarint(nil, uint64(fields))
}

// State is the number of the header's fields, where rows are held to it.
func (s *csvScanner) State() []byte {
	if !s.ragged {
		return nil
	}
	return s.state
}
