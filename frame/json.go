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
// White space before a text goes to its raw bytes, that after the last to none.
//
// A final partial text is io.ErrUnexpectedEOF; a number at the end is whole. A
// Scanner continues after a text that is too long. After one that is bad
// it does so at the next line where every text before it, or the first 64, arrays and
// objects, stood on its own line; from
// there on each must. Else no later text can be found: [ErrNoResync].
func jsonDocs() Framer {
	return RefuseUTF16(Framer{
		Name:       "json",
		Extensions: []string{".json"},
		New: func(opts *Options) (Scanner, error) {
			return newJSON(opts)
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
	seen    int      // bytes after the last end that value has received
	atStart bool     // no end reported and the object's offset 0 is the slab's
	lines   jsonLine // of the texts up to the last end
	texts   byte     // how many of these were looked at for it
	search  bool     // Resync looks for a line
	state   []byte
	bad     error
}

// jsonTexts is how many texts of an object are looked at for how they stand on
// lines.
const jsonTexts = 64

// jsonLine is how texts stand on lines.
type jsonLine uint8

const (
	jsonFree    jsonLine = iota // somehow
	jsonUnknown                 // no text was seen
	jsonLined                   // each on one of its own
	jsonOnly                    // so, and later ones must
)

func newJSON(opts *Options) (Scanner, error) {
	s := &jsonScanner{name: "json", atStart: opts.Offset == 0}
	switch state := opts.State; {
	case s.atStart:
		s.lines = jsonUnknown
	case len(state) == 2 && (jsonLine(state[0]) == jsonLined || jsonLine(state[0]) == jsonOnly) && state[1] <= jsonTexts:
		s.lines, s.texts = jsonLine(state[0]), state[1]
	case len(state) > 0:
		return nil, fmt.Errorf("frame: json: state %x is none of this framer", state)
	}
	return s, nil
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
		var at int
		var result jsonResult
		if s.lines == jsonOnly {
			at, result = s.onLine(slab, pos)
		} else {
			at, result = s.value.next(slab, pos)
		}
		if result == jsonMore && eof {
			result = s.value.atEnd()
		}
		switch {
		case result == jsonBad:
			return ends, &Error{Framer: s.name, Offset: int64(at - last), Err: s.fault(slab[at])}
		case result == jsonDone:
			if s.texts < jsonTexts && s.lines != jsonFree {
				s.texts++
				s.line(slab[last:at], s.atStart && last == 0)
			}
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

// onLine is next of the value where texts must stand on lines: one is bad that is no
// array or object, and at the line feed that it does not end before.
func (s *jsonScanner) onLine(b []byte, pos int) (at int, result jsonResult) {
	if !s.value.begun() {
		for pos < len(b) && isJSONSpace(b[pos]) {
			pos++
		}
		if pos == len(b) {
			return pos, jsonMore
		}
		if b[pos] != '{' && b[pos] != '[' {
			return pos, jsonBad
		}
	}
	end := indexFrom(b, pos, '\n')
	if at, result = s.value.next(b[:end], pos); result == jsonMore && end < len(b) {
		return end, jsonBad
	}
	return at, result
}

// line takes how a text stands on its line. raw is the first of the object at its
// start.
func (s *jsonScanner) line(raw []byte, first bool) {
	if first {
		raw = bytes.TrimPrefix(raw, bom)
	}
	text := trimJSONSpace(raw)
	fresh := first && len(text) == len(raw) || len(text) < len(raw) && raw[len(raw)-len(text)-1] == '\n'
	switch {
	case s.lines == jsonOnly:
	case !fresh || text[0] != '{' && text[0] != '[' || bytes.IndexByte(text, '\n') >= 0:
		s.lines = jsonFree
	default:
		s.lines = jsonLined
	}
}

// fault is the error of a byte that cannot stand where it does.
func (s *jsonScanner) fault(c byte) error {
	switch {
	case s.lines == jsonOnly && c == '\n':
		return fmt.Errorf("%w: JSON that does not end on its line", ErrRecord)
	case s.lines >= jsonLined:
		return fmt.Errorf("%w: no valid JSON at %q", ErrRecord, c)
	}
	return badJSON(c)
}

// badJSON is that error where no later text can be found.
func badJSON(c byte) error {
	return fmt.Errorf("%w: no valid JSON at %q: %w", ErrRecord, c, ErrNoResync)
}

// State is how the texts before stand on lines, where that helps after a bad one. It is made
// when it changes, a few times in an object: whoever has one keeps it.
func (s *jsonScanner) State() []byte {
	if s.lines < jsonLined {
		return nil
	}
	if len(s.state) == 0 || s.state[0] != byte(s.lines) || s.state[1] != s.texts {
		s.state = []byte{byte(s.lines), s.texts}
	}
	return s.state
}

// Resync leaves out one text, or one line if the text is bad and texts stand on
// lines. Where it is bad and they do not, the next Scan says so.
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
		if s.lines == jsonUnknown {
			s.lines = jsonFree
		}
	}
	if !s.search {
		var result jsonResult
		if s.lines >= jsonLined {
			n, result = s.onLine(slab, n)
		} else {
			n, result = s.value.next(slab, n)
		}
		switch {
		case result == jsonMore && !eof:
			return n, false
		case result == jsonMore:
			n = len(slab)
		case result == jsonBad && s.lines >= jsonLined:
			s.search, s.lines = true, jsonOnly
		case result == jsonBad:
			s.bad = badJSON(slab[n])
		}
	}
	if s.search {
		if n, done = jsonNextLine(slab, n, eof); !done {
			return n, false
		}
	}
	s.value.reset()
	s.seen, s.search = 0, false
	return n, true
}

// jsonNextLine looks for the line feed before a line that may be a text: one that
// begins as no more than the middle of a text does is passed over.
func jsonNextLine(b []byte, n int, eof bool) (at int, found bool) {
	for {
		i := bytes.IndexByte(b[n:], '\n')
		if i < 0 {
			return len(b), eof
		}
		if n += i; n+1 == len(b) {
			return n, eof
		}
		if bytes.IndexByte([]byte(" \t\r\n\"}],:"), b[n+1]) < 0 {
			return n, true
		}
		n++
	}
}

// trimJSONSpace cuts leading white space off.
func trimJSONSpace(b []byte) []byte {
	for len(b) > 0 && isJSONSpace(b[0]) {
		b = b[1:]
	}
	return b
}
