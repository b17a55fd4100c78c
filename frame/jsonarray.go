package frame

import (
	"bytes"
	"io"
)

// jsonArray returns the elements of the one array (RFC 8259) that the object is.
// Everything is checked as for json, the array's own brackets and commas too. What
// stands before an element goes to its raw bytes; the closing bracket and white
// space belong to none. An empty array has no records.
//
// A final partial element, and an array that is not closed, is
// io.ErrUnexpectedEOF. Anything after the array is [ErrRecord]. A Scanner continues after an element that is too long, and not after one that is
// bad: [ErrNoResync].
func jsonArray() Framer {
	return RefuseUTF16(Framer{
		Name: "json-array",
		New: func(opts *Options) (Scanner, error) {
			s := &jsonArrayScanner{atStart: opts.Offset == 0, place: arrayNext}
			if s.atStart {
				s.place = arrayOpen
			}
			return s, nil
		},
		Body: jsonArrayBody,
	})
}

// arrayPlace is where in the array a Scanner is.
type arrayPlace uint8

const (
	arrayOpen    arrayPlace = iota // before the opening bracket
	arrayFirst                     // before the first element or the closing bracket
	arrayElement                   // before or in an element
	arrayNext                      // after an element
	arrayClosed                    // after the closing bracket
)

type jsonArrayScanner struct {
	value   jsonValue
	place   arrayPlace
	seen    int  // bytes after the last end that were looked at
	atStart bool // no end reported and the object's offset 0 is the slab's
	within  bool // Resync was called and is not done
	over    bool // the end of the object was refused and left out
	bad     error
}

func (s *jsonArrayScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	if s.over && len(slab) == 0 {
		return ends, nil
	}
	pos, last := min(s.seen, len(slab)), 0
	fail := func(at int, err error) ([]uint32, error) {
		return ends, &Error{Framer: "json-array", Offset: int64(at - last), Err: err}
	}
	if s.bad != nil {
		return fail(0, s.bad)
	}
	for {
		at, result := s.next(slab, pos, eof)
		switch {
		case result == jsonBad:
			return fail(at, badJSON(slab[at]))
		case result == jsonDone:
			pos, last = at, at
			ends = append(ends, uint32(last))
			s.atStart = false
			continue
		case eof && s.place != arrayClosed:
			return fail(at, io.ErrUnexpectedEOF)
		}
		s.seen = at - last
		return ends, nil
	}
}

// next goes on from pos to the end of an element.
func (s *jsonArrayScanner) next(b []byte, pos int, eof bool) (at int, result jsonResult) {
	if s.atStart && pos == 0 {
		if len(b) < len(bom) && bytes.HasPrefix(bom, b) && !eof {
			return 0, jsonMore
		}
		if bytes.HasPrefix(b, bom) {
			pos = len(bom)
		}
	}
	for {
		if s.place != arrayElement {
			for pos < len(b) && isJSONSpace(b[pos]) {
				pos++
			}
			if pos == len(b) {
				return pos, jsonMore
			}
		}
		switch {
		case s.place == arrayElement:
			at, result = s.value.next(b, pos)
			if result == jsonMore && eof && s.value.atEnd() == jsonDone {
				result = jsonDone
			}
			if result == jsonDone {
				s.value.reset()
				s.place = arrayNext
			}
			return at, result
		case s.place == arrayOpen && b[pos] == '[':
			s.place = arrayFirst
		case s.place == arrayFirst && b[pos] != ']':
			s.place = arrayElement
			continue
		case s.place == arrayNext && b[pos] == ',':
			s.place = arrayElement
		case s.place == arrayNext && b[pos] == ']', s.place == arrayFirst:
			s.place = arrayClosed
		default:
			return pos, jsonBad
		}
		pos++
	}
}

func (s *jsonArrayScanner) State() []byte { return nil }

// Resync leaves out one element. Where it is bad the next Scan says so.
func (s *jsonArrayScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if s.bad != nil {
		return len(slab), eof
	}
	if !s.within {
		s.within = true
		s.seen = 0
		s.value.reset()
		s.place = arrayNext
		if s.atStart {
			s.place = arrayOpen
		}
	}
	n, result := s.next(slab, 0, eof)
	s.atStart = s.atStart && n == 0
	switch {
	case result == jsonMore && !eof:
		return n, false
	case result == jsonMore:
		n, s.over = len(slab), true
	case result == jsonBad:
		s.bad = badJSON(slab[n])
	}
	s.within = false
	return n, true
}

// jsonArrayBody cuts off what stands before the element.
func jsonArrayBody(raw []byte, offset int64) []byte {
	if offset == 0 {
		raw = bytes.TrimPrefix(raw, bom)
	}
	raw = trimJSONSpace(raw)
	if len(raw) > 0 && (offset == 0 || raw[0] == ',') {
		raw = raw[1:]
	}
	return trimJSONSpace(raw)
}
