package frame

import (
	"bytes"
	"fmt"
	"strconv"
)

// errPax is the error of a pax header that is none.
var errPax = fmt.Errorf("%w: pax header", ErrRecord)

// maxPaxKnown is the longest record of a pax header that is looked into, in bytes.
// Longer ones, such as the names in a folder of an incremental dump, are passed
// over without being held.
const maxPaxKnown = 64

// paxFacts is what pax headers and those of GNU tar say of the next member.
type paxFacts struct {
	size   int64
	sized  bool
	sparse bool  // its data lacks the holes
	part   bool  // its data begins in another volume
	named  bool  // the name in its header is not its own
	over   int64 // bytes to come of a record that is passed over
}

// read takes records from b, of which left bytes are a header's. It stops where a
// record is not all there, and before one that is bad.
func (p *paxFacts) read(b []byte, left int64) (n int, err error) {
	b = b[:min(left, int64(len(b)))]
	for n < len(b) {
		if p.over > 0 {
			take := min(p.over, int64(len(b)-n))
			if p.over == take && b[n+int(take)-1] != '\n' {
				return n, errPax
			}
			p.over -= take
			n += int(take)
			continue
		}
		size, digits, err := paxLength(b[n:])
		switch {
		case err != nil, size > left-int64(n):
			return n, errPax
		case size == 0: // the length is not all there
			return n, paxCut(left, b)
		case size > maxPaxKnown && len(b)-n >= maxPaxKnown:
			if !p.know(b[n+digits+1:n+maxPaxKnown], false) {
				return n, errPax
			}
			p.over = size
			continue
		case size > int64(len(b)-n):
			return n, paxCut(left, b)
		}
		record := b[n : n+int(size)]
		if record[size-1] != '\n' || !p.know(record[digits+1:size-1], true) {
			return n, errPax
		}
		n += int(size)
	}
	return n, nil
}

// paxCut is the error of a record that b ends in.
func paxCut(left int64, b []byte) error {
	if left == int64(len(b)) {
		return errPax
	}
	return nil
}

// paxLength reads the length that b begins with and counts its digits; it is 0
// when b ends in it.
func paxLength(b []byte) (size int64, digits int, err error) {
	for i, c := range b[:min(len(b), 20)] {
		switch {
		case '0' <= c && c <= '9' && i < 19:
			size = size*10 + int64(c-'0')
			continue
		case c != ' ' || size <= int64(i)+1:
			return 0, 0, errPax
		}
		return size, i, nil
	}
	return 0, 0, nil
}

// know takes what a record says, or the first bytes of one. It reports whether the
// record is one.
func (p *paxFacts) know(record []byte, whole bool) bool {
	key, value, found := bytes.Cut(record, []byte{'='})
	switch {
	case !found:
		return !whole
	case string(key) == "size":
		if !whole {
			return false
		}
		p.size, p.sized = 0, len(value) > 0 // an empty value takes an earlier one back
		if p.sized {
			size, err := strconv.ParseUint(string(value), 10, 63)
			p.size = int64(size)
			return err == nil
		}
	case string(key) == "path":
		p.named = true
	case bytes.HasPrefix(key, []byte("GNU.sparse.")), string(key) == "SCHILY.realsize", string(key) == "SUN.holesdata":
		p.sparse = true
	case string(key) == "GNU.volume.offset":
		p.part = true
	}
	return true
}

// member is what these facts and its header make of a member.
func (p *paxFacts) member(head []byte, kind tarKind, size int64) tarMember {
	m := tarMember{size: size}
	why := ""
	switch {
	case kind == tarSparse || p.sparse:
		why = "sparse file"
		m.extended = kind == tarSparse && head[482] != 0
	case kind == tarPart || p.part:
		why = "part of a file of another volume"
	case kind == tarUnknown:
		why = fmt.Sprintf("member of type %q", head[156])
	}
	if why != "" {
		m.refused = fmt.Errorf("%w: %s: %w", ErrRecord, why, ErrUnsupported)
	}
	return m
}
