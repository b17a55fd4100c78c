package frame

import (
	"bytes"

	"github.com/thaw-go/thaw/internal/byteindex"
)

// ndjson separates JSON values that stand one to a line, as
// https://github.com/ndjson/ndjson-spec has it. It is like lines, but a line of
// JSON white space alone is no record: it goes to the raw bytes of the record
// that follows it, and to none at the end of the object. The values are not
// looked into.
//
// The format does not show whether the last record is complete. After a bad record a
// Scanner continues after the next line that is not blank.
func ndjson() Framer {
	return RefuseUTF16(Framer{
		Name:       "ndjson",
		Extensions: []string{".ndjson", ".jsonl"},
		New: func(opts *Options) (Scanner, error) {
			return &ndjsonScanner{atStart: opts.Offset == 0}, nil
		},
		Body: ndjsonBody,
	})
}

type ndjsonScanner struct {
	line    int  // where after the last end the unfinished line begins: what is before it is blank
	seen    int  // bytes after the last end that need not be looked at again
	atStart bool // no end reported and the object's offset 0 is the slab's
	resync  bool // in the line that Resync leaves out, after the blank ones
}

func (s *ndjsonScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	line, pos, last := s.line, min(s.seen, len(slab)), 0
	if s.atStart && line == 0 && bytes.HasPrefix(slab, bom) {
		line, pos = len(bom), max(pos, len(bom))
	}
	kept := len(ends)
	ends = byteindex.AppendBehind(ends, slab, pos, '\n')
	for _, end := range ends[kept:] {
		// The byte before the line feed mostly decides.
		if to := int(end); to-line > 1 && slab[to-2] > ' ' || !blank(slab[line:to]) {
			ends[kept], last = end, to
			kept++
		}
		line = int(end)
	}
	ends = ends[:kept]
	if eof && line < len(slab) && !blank(slab[line:]) {
		last, line = len(slab), len(slab)
		ends = append(ends, uint32(last))
	}
	s.atStart = s.atStart && last == 0
	s.line, s.seen = line-last, len(slab)-last
	return ends, nil
}

func (s *ndjsonScanner) State() []byte { return nil }

func (s *ndjsonScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if s.atStart {
		if len(slab) < len(bom) && bytes.HasPrefix(bom, slab) && !eof {
			return 0, false
		}
		if bytes.HasPrefix(slab, bom) {
			n = len(bom)
		}
	}
	s.line, s.seen, s.atStart = 0, 0, false
	if !s.resync {
		for n < len(slab) && isJSONSpace(slab[n]) {
			n++
		}
		if n == len(slab) {
			return n, eof
		}
		s.resync = true
	}
	if i := bytes.IndexByte(slab[n:], '\n'); i >= 0 {
		s.resync = false
		return n + i + 1, true
	}
	return len(slab), eof
}

// ndjsonBody cuts the blank lines before the record and the line's ending off,
// and the byte order mark at offset 0.
func ndjsonBody(raw []byte, offset int64) []byte {
	if offset == 0 {
		raw = bytes.TrimPrefix(raw, bom)
	}
	for len(raw) > 0 && raw[0] <= ' ' {
		i := bytes.IndexByte(raw, '\n')
		if i < 0 || !blank(raw[:i]) {
			break
		}
		raw = raw[i+1:]
	}
	return cutLineEnd(raw)
}

// blank says that b holds JSON white space alone.
func blank(b []byte) bool {
	for _, c := range b {
		if !isJSONSpace(c) {
			return false
		}
	}
	return true
}

// isJSONSpace is RFC 8259's ws.
func isJSONSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
