package frame

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

const regexpPrefix = "regexp:"

// regexpHead is how much of a line the expression sees, in bytes. A line of any
// length is decided on with so much of it.
const regexpHead = 4096

// regexpFamily is "regexp:RE": a line that RE matches begins a record, and those
// that it does not match belong to the record before them, such as the lines of a
// stack trace. RE is of the regexp package; ^ and $ are the line's start and end.
// It sees the first 4,096 bytes of a line, without the line's ending. The object's
// first line begins a record whatever it is. A byte order mark at offset 0 belongs
// to no record. To see that a record ends takes what RE sees of the next line.
//
// The format does not show whether the last record is complete. After a bad record a
// Scanner continues at the next line that RE matches.
var regexpFamily = family{prefix: regexpPrefix, arg: "RE", make: func(arg string) (Framer, error) {
	re, err := regexp.Compile(arg)
	if err != nil {
		reason := err
		if e, ok := errors.AsType[*syntax.Error](err); ok {
			reason = fmt.Errorf("%s: %q", e.Code, e.Expr)
		}
		return Framer{}, fmt.Errorf("not a regular expression of Go: %w", reason)
	}
	return RefuseUTF16(Framer{
		Name: regexpPrefix + arg,
		New: func(opts *Options) (Scanner, error) {
			return &regexpScanner{re: re, known: true, atStart: opts.Offset == 0}, nil
		},
		Body: lineBody,
	}), nil
}}

type regexpScanner struct {
	re      *regexp.Regexp
	line    int  // where after the last end the last line begins
	seen    int  // bytes after the last end that hold no line feed that was not looked at
	known   bool // the last line was matched, or is the record's first
	atStart bool // no end reported and the object's offset 0 is the slab's
	within  bool // Resync was called and is not done
}

func (s *regexpScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	last := 0
	for s.find(slab, eof) {
		// The line is the first of a record, of which it is known.
		last += s.line
		slab = slab[s.line:]
		ends = append(ends, uint32(last))
		s.seen -= s.line
		s.line = 0
		s.atStart = false
	}
	if eof && len(slab) > 0 && !(s.atStart && bytes.Equal(slab, bom)) {
		ends = append(ends, uint32(last+len(slab)))
	}
	return ends, nil
}

// find looks for the next line that begins a record and leaves s.line there.
func (s *regexpScanner) find(slab []byte, eof bool) bool {
	for {
		if !s.known {
			head := slab[min(s.line, len(slab)):min(s.line+regexpHead, len(slab))]
			looked := min(s.seen-s.line, len(head))
			end := bytes.IndexByte(head[looked:], '\n')
			if end < 0 {
				s.seen = s.line + len(head)
			}
			if len(head) == 0 || end < 0 && len(head) < regexpHead && !eof {
				return false
			}
			if end >= 0 {
				head = cutLineEnd(head[:looked+end+1])
			}
			s.known = true
			if s.re.Match(head) {
				return true
			}
		}
		i := bytes.IndexByte(slab[min(s.seen, len(slab)):], '\n')
		if i < 0 {
			s.seen = len(slab)
			return false
		}
		s.seen += i + 1
		s.line, s.known = s.seen, false
	}
}

func (s *regexpScanner) State() []byte { return nil }

// Resync leaves out the first line and those that do not begin a record.
func (s *regexpScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if !s.within {
		s.line, s.seen, s.known, s.atStart, s.within = 0, 0, true, false, true
	}
	found := s.find(slab, eof)
	switch {
	case found:
		n = s.line
	case eof:
		n = len(slab)
	case s.known:
		n = s.seen
	default:
		n = s.line
	}
	s.line, s.seen = 0, max(s.seen-n, 0)
	if found || eof {
		s.seen, s.known, s.within = 0, true, false
		return n, true
	}
	return n, false
}
