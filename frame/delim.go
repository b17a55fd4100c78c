package frame

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"github.com/thaw-go/thaw/internal/byteindex"
)

// maxDelim is the longest separator, in bytes.
const maxDelim = 64

const delimPrefix = "delim:"

// errHex is the error of a parameter that is not bytes in hexadecimal.
func errHex(text string) error {
	return fmt.Errorf("%q is not bytes in hexadecimal, two digits each: 0a is a line feed", text)
}

// delimFamily is "delim:HEX": any string of 1 to 64 bytes separates.
var delimFamily = family{prefix: delimPrefix, arg: "HEX", make: func(arg string) (Framer, error) {
	sep, err := hex.DecodeString(arg)
	if err != nil {
		return Framer{}, errHex(arg)
	}
	if len(sep) == 0 || len(sep) > maxDelim {
		return Framer{}, fmt.Errorf("separator of %d bytes, want 1 to %d", len(sep), maxDelim)
	}
	return delimited(sep), nil
}}

// delimited ends a record at each sep, the leftmost first, without overlap. The
// last record needs none. Two in a row enclose an empty record.
//
// The format does not show whether the last record is complete. After a bad record a
// Scanner continues after the next separator.
func delimited(sep []byte) Framer {
	body := func(raw []byte, _ int64) []byte { return bytes.TrimSuffix(raw, sep) }
	if len(sep) == 1 {
		c := sep[0]
		body = func(raw []byte, _ int64) []byte {
			if n := len(raw); n > 0 && raw[n-1] == c {
				return raw[:n-1]
			}
			return raw
		}
	}
	return Framer{
		Name: delimPrefix + hex.EncodeToString(sep),
		New: func(*Options) (Scanner, error) {
			return &delimScanner{sep: sep}, nil
		},
		Body: body,
	}
}

type delimScanner struct {
	sep  []byte
	seen int // bytes after the last end at which no separator begins
}

func (s *delimScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	had, pos := len(ends), min(s.seen, len(slab))
	if len(s.sep) == 1 {
		ends = byteindex.AppendBehind(ends, slab, pos, s.sep[0])
	} else {
		ends = s.appendBehind(ends, slab, pos)
	}
	last := 0
	if len(ends) > had {
		last = int(ends[len(ends)-1])
	}
	if eof && last < len(slab) {
		last = len(slab)
		ends = append(ends, uint32(last))
	}
	s.seen = max(0, len(slab)-last-len(s.sep)+1)
	return ends, nil
}

// appendBehind appends the places after the separators of slab[pos:].
func (s *delimScanner) appendBehind(ends []uint32, slab []byte, pos int) []uint32 {
	for {
		i := s.index(slab[pos:])
		if i < 0 {
			return ends
		}
		pos += i + len(s.sep)
		ends = append(ends, uint32(pos))
	}
}

func (s *delimScanner) index(b []byte) int {
	if len(s.sep) == 1 {
		return bytes.IndexByte(b, s.sep[0])
	}
	return bytes.Index(b, s.sep)
}

func (s *delimScanner) State() []byte { return nil }

func (s *delimScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	s.seen = 0
	if i := s.index(slab); i >= 0 {
		return i + len(s.sep), true
	}
	if eof {
		return len(slab), true
	}
	return max(0, len(slab)-len(s.sep)+1), false
}
