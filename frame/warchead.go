package frame

import (
	"bytes"
	"fmt"
	"strconv"
)

// warcVersion begins a record; the version's number follows.
const warcVersion = "WARC/"

// maxWARCLine is how much of a line of the header is looked at, in bytes: longer
// ones are passed over without being held.
const maxWARCLine = 256

// warcHead is how far the header of a record is read. pos and what was seen before
// it are not looked at again.
type warcHead struct {
	pos    int  // the next byte to look at; once done, the block's first
	begun  bool // the version was seen
	within bool // pos is in a line that is passed over
	done   bool
	length uint64 // Content-Length
	known  bool
}

// blockEnd is where in the record the block ends.
func (h *warcHead) blockEnd() uint64 { return uint64(h.pos) + h.length }

// read goes on in b, which begins with the record. It stops before what is wrong.
func (h *warcHead) read(b []byte) error {
	for !h.begun {
		switch rest := b[h.pos:]; {
		case len(rest) > 0 && (rest[0] == '\r' || rest[0] == '\n'):
			h.pos++
			continue
		case string(rest[:min(len(rest), len(warcVersion))]) != warcVersion[:min(len(rest), len(warcVersion))]:
			return fmt.Errorf("%w: no WARC version", ErrRecord)
		case len(rest) < len(warcVersion):
			return nil
		}
		h.begun = true
		h.within = true // the version line itself
	}
	for !h.done {
		rest := b[h.pos:]
		i := bytes.IndexByte(rest[:min(len(rest), maxWARCLine)], '\n')
		if i < 0 && (h.within || len(rest) >= maxWARCLine) {
			if !h.within {
				if err := h.line(rest[:maxWARCLine], false); err != nil {
					return err
				}
				h.within = true
			}
			if i = bytes.IndexByte(rest, '\n'); i < 0 {
				h.pos += len(rest)
				return nil
			}
		}
		if i < 0 {
			return nil
		}
		if line := rest[:i+1]; !h.within {
			if err := h.line(line, true); err != nil {
				return err
			}
		}
		h.within = false
		h.pos += i + 1
	}
	return nil
}

// line takes what a line says, or the first bytes of one.
func (h *warcHead) line(line []byte, whole bool) error {
	if whole && emptyLine(line) {
		if !h.known {
			return fmt.Errorf("%w: no Content-Length", ErrRecord)
		}
		h.done = true
		return nil
	}
	if bytes.HasPrefix(line, []byte(warcVersion)) {
		return fmt.Errorf("%w: version line within a header", ErrRecord)
	}
	if h.known {
		return nil
	}
	name, value, found := bytes.Cut(line, []byte{':'})
	if !found || !bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
		return nil
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 62)
	if err != nil || !whole {
		return fmt.Errorf("%w: Content-Length %q", ErrRecord, value)
	}
	h.length, h.known = n, true
	return nil
}

// findWARC looks for a version line from n on, in whatever line: WARC/, a number
// with a point, and on the next line the name of a field. Without one, what is
// before at holds none.
func findWARC(b []byte, n int, eof bool) (at int, found bool) {
	for {
		i := bytes.Index(b[n:], []byte(warcVersion))
		if i < 0 {
			return max(n, len(b)-len(warcVersion)+1), false
		}
		n += i
		yes, more := isWARCVersion(b[n+len(warcVersion):])
		if yes || more && !eof {
			return n, yes
		}
		n += len(warcVersion)
	}
}

// isWARCVersion says that b goes on as a version line does after WARC/; more that
// b is too short.
func isWARCVersion(b []byte) (yes, more bool) {
	const point, feed = '.', '\n'
	for _, end := range []byte{point, feed} {
		digits := 0
		for digits < len(b) && '0' <= b[digits] && b[digits] <= '9' {
			digits++
		}
		if digits > 3 || digits == 0 && len(b) > 0 {
			return false, false
		}
		b = b[digits:]
		if end == feed && len(b) > 0 && b[0] == '\r' {
			b = b[1:]
		}
		if len(b) == 0 {
			return false, true
		}
		if b[0] != end {
			return false, false
		}
		b = b[1:]
	}
	if len(b) == 0 {
		return false, true
	}
	c := b[0] | 0x20
	return 'a' <= c && c <= 'z', false
}
