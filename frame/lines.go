package frame

import (
	"bytes"

	"github.com/thaw-go/thaw/internal/byteindex"
)

// bom is the UTF-8 byte order mark.
var bom = []byte("\xef\xbb\xbf")

// lines separates by line feed. A carriage return before it is cut off; one
// elsewhere is data. The last line needs no line feed. Blank lines are records. A
// byte order mark at offset 0 belongs to no record.
//
// The format does not show whether the last record is complete: what follows the last
// line feed is a record. After a bad record a Scanner continues after the next line feed.
func lines() Framer {
	return RefuseUTF16(Framer{
		Name:       "lines",
		Extensions: []string{".txt", ".log"},
		New: func(opts *Options) (Scanner, error) {
			return &lineScanner{atStart: opts.Offset == 0}, nil
		},
		Body: lineBody,
	})
}

type lineScanner struct {
	seen    int  // bytes after the last end that hold no line feed
	atStart bool // no end reported and the object's offset 0 is the slab's
}

func (s *lineScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	had := len(ends)
	ends = byteindex.AppendBehind(ends, slab, min(s.seen, len(slab)), '\n')
	last := 0
	if len(ends) > had {
		last = int(ends[len(ends)-1])
	}
	if eof && last < len(slab) && !(last == 0 && s.atStart && bytes.Equal(slab, bom)) {
		last = len(slab)
		ends = append(ends, uint32(last))
	}
	s.atStart = s.atStart && last == 0
	s.seen = len(slab) - last
	return ends, nil
}

func (s *lineScanner) State() []byte { return nil }

func (s *lineScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	s.seen, s.atStart = 0, false
	if i := bytes.IndexByte(slab, '\n'); i >= 0 {
		return i + 1, true
	}
	return len(slab), eof
}

// lineBody cuts the line's ending off, and the byte order mark at offset 0.
func lineBody(raw []byte, offset int64) []byte {
	if offset == 0 {
		raw = bytes.TrimPrefix(raw, bom)
	}
	return cutLineEnd(raw)
}

// cutLineEnd cuts "\n" or "\r\n" off. A final "\r" alone stays.
func cutLineEnd(raw []byte) []byte {
	n := len(raw)
	if n == 0 || raw[n-1] != '\n' {
		return raw
	}
	if n > 1 && raw[n-2] == '\r' {
		return raw[:n-2]
	}
	return raw[:n-1]
}
