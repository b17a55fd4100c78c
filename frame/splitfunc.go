package frame

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// FromSplitFunc returns a framer called name that splits as split does, a function for
// bufio.Scanner.
//
// Nothing is copied: a token must lie within the data that split received, and advance
// must reach the token's end. Bytes that split advances over without a token belong to
// the raw bytes of the next record, and to none at the end of the object. [Framer.Body]
// calls split with a record's raw bytes and atEOF true to find the token again. So split
// must keep no state, and return the same token then; the Scanner checks this for every
// record.
//
// Unlike bufio.Scanner, nothing is left out silently. Bytes for which split returns
// neither advance nor token at the end of the object are io.ErrUnexpectedEOF. A token
// without advance is [ErrRecord], and so are bytes after bufio.ErrFinalToken and an error
// of split, which is wrapped. The advance of a final token is ignored. An empty final
// token that takes no bytes is no record.
//
// A record that spans slabs is passed to split from its start each time: the cost grows
// with the square of a record's size.
func FromSplitFunc(name string, split bufio.SplitFunc) Framer {
	return Framer{
		Name: name,
		New: func(*Options) (Scanner, error) {
			return &splitScanner{name: name, split: split}, nil
		},
		Body: func(raw []byte, _ int64) []byte {
			token, _ := splitToken(split, raw)
			if tokenEnd(raw, token) < 0 { // raw was cut
				return nil
			}
			return token
		},
	}
}

type splitScanner struct {
	name  string
	split bufio.SplitFunc
	skip  int  // bytes after the last end that split advanced over without a token
	final bool // bufio.ErrFinalToken was seen
}

func (s *splitScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	last, pos := 0, min(s.skip, len(slab))
	fail := func(err error) ([]uint32, error) {
		s.skip = 0
		return ends, &Error{Framer: s.name, Offset: int64(pos - last), Err: err}
	}
	for pos < len(slab) {
		if s.final {
			return fail(fmt.Errorf("%w: bytes after the final token", ErrRecord))
		}
		advance, token, err := s.split(slab[pos:], eof)
		switch {
		case errors.Is(err, bufio.ErrFinalToken):
			s.final = true
			if token == nil {
				continue
			}
			end := tokenEnd(slab[pos:], token)
			if end < 0 {
				return fail(errForeignToken)
			}
			if end == 0 {
				continue
			}
			advance = end
		case err != nil:
			return fail(fmt.Errorf("%w: %w", ErrRecord, err))
		case advance < 0 || advance > len(slab)-pos:
			return fail(fmt.Errorf("%w: split advances by %d of %d bytes", ErrRecord, advance, len(slab)-pos))
		case token == nil && advance > 0:
			pos += advance
			continue
		case token == nil && eof:
			return fail(io.ErrUnexpectedEOF)
		case token == nil:
			s.skip = pos - last
			return ends, nil
		case advance == 0:
			return fail(fmt.Errorf("%w: token without advance", ErrRecord))
		}
		if end := tokenEnd(slab[pos:pos+advance], token); end < 0 {
			return fail(errForeignToken)
		}
		if again, ok := splitToken(s.split, slab[last:pos+advance]); !ok || !sameBytes(again, token) {
			return fail(fmt.Errorf("%w: split returns another token for the record's bytes alone", ErrRecord))
		}
		pos += advance
		last = pos
		ends = append(ends, uint32(last))
	}
	s.skip = pos - last
	return ends, nil
}

func (s *splitScanner) State() []byte { return nil }

var errForeignToken = fmt.Errorf("%w: token is not within the bytes that split advances over", ErrRecord)

// splitToken is the first token that split finds in raw as the last bytes.
func splitToken(split bufio.SplitFunc, raw []byte) (token []byte, ok bool) {
	for len(raw) > 0 {
		advance, token, err := split(raw, true)
		if token != nil && (err == nil || errors.Is(err, bufio.ErrFinalToken)) {
			return token, true
		}
		if err != nil || advance <= 0 || advance > len(raw) {
			break
		}
		raw = raw[advance:]
	}
	return nil, false
}

// tokenEnd is where in data token ends, or -1 when it does not lie within. An
// empty token lies at the start.
func tokenEnd(data, token []byte) int {
	if len(token) == 0 {
		return 0
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(token)))
	base := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	if from < base || from+uintptr(len(token)) > base+uintptr(len(data)) {
		return -1
	}
	return int(from-base) + len(token)
}

// sameBytes says that a and b are the same memory, or both empty.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || unsafe.SliceData(a) == unsafe.SliceData(b))
}
