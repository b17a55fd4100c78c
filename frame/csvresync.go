package frame

import "bytes"

// csvBad is how far Resync is in the bad record.
type csvBad struct {
	within  bool // at least one byte was looked at
	header  bool // the row is the header, and no record
	fields  int  // of the row, before the one looked at
	quoted  bool
	lines   bool // a line feed was within quotes
	field   bool // the next byte is a field's first
	line    int  // bytes since the line's start, up to 2
	lastWas byte
}

// Resync leaves out one record, and the empty lines and the header before it that
// are none. The number of the header's fields is kept. It keeps a byte back within
// quotes, for Scan to say so where they are never closed.
func (s *csvScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if s.lost {
		return len(slab), eof
	}
	bad := &s.bad
	if !bad.within {
		if s.atStart && len(slab) < len(bom) && !eof {
			return 0, false
		}
		if s.atStart && bytes.HasPrefix(slab, bom) {
			n = len(bom)
		}
		*bad = csvBad{within: true, field: true, header: s.header && s.atStart}
		s.start, s.seen, s.quoted, s.atStart, s.headed = 0, 0, false, false, true
	}
	for n < len(slab) {
		c := slab[n]
		if bad.quoted && n+1 == len(slab) && !eof {
			return n, false
		}
		switch {
		case bad.quoted && c == '"':
			if n+1 < len(slab) && slab[n+1] == '"' {
				n++
			} else {
				bad.quoted = false
			}
		case bad.quoted:
			bad.lines = bad.lines || c == '\n'
		case c == '"' && bad.field && !s.bare:
			bad.quoted = true
		case c == '\n':
			if s.empty || bad.line > 1 || bad.line == 1 && bad.lastWas != '\r' {
				if s.fields == 0 {
					s.know(bad.fields + 1)
				}
				if !bad.header {
					bad.within = false
					return n + 1, true
				}
				bad.header = false
			}
			bad.line, bad.fields = -1, 0
		case c == s.comma:
			bad.fields++
		}
		bad.field = !bad.quoted && (c == s.comma || bad.line < 0)
		bad.line, bad.lastWas = min(bad.line+1, 2), c
		n++
	}
	if s.lost = eof && bad.quoted && bad.lines && !s.open; s.lost {
		return n - 1, true
	}
	bad.within = bad.within && !eof
	return n, eof
}
