package httpstore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
)

// Served is the part of an object that a response states it is.
type Served struct {
	From  int64 // offset of the first byte
	Count int64 // bytes of the body; -1 when the response does not say
	Size  int64 // bytes of the whole object
}

// Due returns how many bytes of the body answer a request of length bytes from offset
// on, -1 for all. A response that begins elsewhere or carries too little is
// driver.ErrTransient: bytes of another place are never taken for those requested.
// A response that ignored the range is good for one that begins at 0.
func (s Served) Due(offset, length int64) (int64, error) {
	if s.From != offset {
		return 0, fmt.Errorf("response begins at byte %d instead of %d: %w", s.From, offset, driver.ErrTransient)
	}
	due := max(0, s.Size-offset)
	if length >= 0 {
		due = min(due, length)
	}
	if s.Count >= 0 && s.Count < due {
		return 0, fmt.Errorf("response carries %d bytes instead of %d: %w", s.Count, due, driver.ErrTransient)
	}
	return due, nil
}

// ContentRange parses the header "bytes FROM-TO/SIZE" (RFC 9110, section 14.4). An
// unknown size, "*", is refused like any other text.
func ContentRange(header string) (Served, error) {
	bad := fmt.Errorf("malformed Content-Range %q: %w", header, driver.ErrTransient)
	unit, rest, _ := strings.Cut(strings.TrimSpace(header), " ")
	span, size, ok := strings.Cut(strings.TrimSpace(rest), "/")
	if !ok || !strings.EqualFold(unit, "bytes") {
		return Served{}, bad
	}
	first, last, ok := strings.Cut(span, "-")
	from, err1 := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(last, 10, 64)
	whole, err3 := strconv.ParseInt(size, 10, 64)
	if !ok || err1 != nil || err2 != nil || err3 != nil || from < 0 || to < from || whole <= to {
		return Served{}, bad
	}
	return Served{From: from, Count: to - from + 1, Size: whole}, nil
}
