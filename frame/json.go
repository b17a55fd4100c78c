package frame

import (
	"bytes"
	"fmt"
	"io"
)

// jsonDocs separates JSON texts (RFC 8259) that follow each other with or without
// white space, printed on as many lines as they like. Each is checked: what no
// parser takes is [ErrRecord]. Strings are not checked to be UTF-8, numbers may
// be of any size, and arrays and objects stand at most 10,000 deep in each other.
// White space before a text goes to its raw bytes, that behind the last to none.
//
// A final partial text is io.ErrUnexpectedEOF; a number at the end is whole. A
// Scanner finds its place again behind a text that is too long, and not behind
// one that is bad: [ErrLost].
func jsonDocs() Framer {
	return text(Framer{
		Name:       "json",
		Extensions: []string{".json"},
		New: func(opts *Options) (Scanner, error) {
			return &jsonScanner{name: "json", atStart: opts.Offset == 0}, nil
		},
		Body: func(raw []byte, offset int64) []byte {
			if offset == 0 {
				raw = bytes.TrimPrefix(raw, bom)
			}
			return trimJSONSpace(raw)
		},
	})
}

type jsonScanner struct {
	name    string
	value   jsonValue
	seen    int  // bytes behind the last end that value was given
	atStart bool // no end reported and the object's offset 0 is the slab's
	bad     error
}

func (s *jsonScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	if s.bad != nil {
		return ends, &Error{Framer: s.name, Err: s.bad}
	}
	pos, last := min(s.seen, len(slab)), 0
	if s.atStart && pos == 0 {
		if len(slab) < len(bom) && bytes.HasPrefix(bom, slab) && !eof {
			return ends, nil
		}
		if bytes.HasPrefix(slab, bom) {
			pos = len(bom)
		}
	}
	for {
		at, result := s.value.next(slab, pos)
		if result == jsonMore && eof {
			result = s.value.atEnd()
		}
		switch {
		case result == jsonBad:
			return ends, &Error{Framer: s.name, Offset: int64(at - last), Err: badJSON(slab[at])}
		case result == jsonDone:
			s.value.reset()
			pos, last = at, at
			ends = append(ends, uint32(last))
			continue
		case eof && s.value.begun():
			return ends, &Error{Framer: s.name, Offset: int64(at - last), Err: io.ErrUnexpectedEOF}
		}
		s.atStart = s.atStart && last == 0
		s.seen = at - last
		return ends, nil
	}
}

// badJSON is the error of a byte that cannot stand where it does.
func badJSON(c byte) error {
	return fmt.Errorf("%w: no JSON at %q: %w", ErrRecord, c, ErrLost)
}

func (s *jsonScanner) State() []byte { return nil }

// Resync leaves out one text. Where it is bad the next Scan says so.
func (s *jsonScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if s.bad != nil {
		return len(slab), eof
	}
	if s.seen >= 0 {
		if s.atStart && len(slab) < len(bom) && bytes.HasPrefix(bom, slab) && !eof {
			return 0, false
		}
		if s.atStart && bytes.HasPrefix(slab, bom) {
			n = len(bom)
		}
		s.value.reset()
		s.seen, s.atStart = -1, false
	}
	n, result := s.value.next(slab, n)
	switch {
	case result == jsonMore && !eof:
		return n, false
	case result == jsonMore:
		n = len(slab)
	case result == jsonBad:
		s.bad = badJSON(slab[n])
	}
	s.value.reset()
	s.seen = 0
	return n, true
}

// trimJSONSpace cuts leading white space off.
func trimJSONSpace(b []byte) []byte {
	for len(b) > 0 && isJSONSpace(b[0]) {
		b = b[1:]
	}
	return b
}
