package frame

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// warc returns the records of a WARC file (ISO 28500, WARC/0.17 to 1.1): the
// version line, the header and the block of Content-Length bytes. The two line
// ends after the block are cut off, and empty lines before a record, which the
// standard does not have. Lines may end without a carriage return. A header may
// be as long as a record.
//
// A final partial record is io.ErrUnexpectedEOF. A Scanner continues
// after a record that is too long by its length, and after a bad one at the next
// version line. Where the bytes after a block are not those that the standard
// wants, the length is believed if a version follows; else the block itself is
// searched, since a length that is too large covers records that are good.
func warc() Framer {
	return Framer{
		Name:       "warc",
		Extensions: []string{".warc"},
		New: func(opts *Options) (Scanner, error) {
			limit := uint64(math.MaxUint32)
			if opts.MaxRecord > 0 {
				limit = min(limit, uint64(opts.MaxRecord))
			}
			return &warcScanner{limit: limit}, nil
		},
		Body: func(raw []byte, _ int64) []byte {
			return cutLineEnd(cutLineEnd(raw[lineEnds(raw):]))
		},
	}
}

type warcScanner struct {
	limit   uint64 // raw bytes of the largest record
	head    warcHead
	refused bool // Scan refused the record
	search  int  // where in it Resync looks for the next one then
	doing   warcResync
	skip    uint64 // bytes of the block that Resync leaves out that are to come
	feeds   int    // line feeds after it
}

func (s *warcScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	last := 0
	s.refused = false
	refuse := func(at, search int, err error) ([]uint32, error) {
		s.refused, s.search = true, search
		return ends, &Error{Framer: "warc", Offset: int64(at), Err: err}
	}
	for last < len(slab) {
		rest := slab[last:]
		if err := s.head.read(rest); err != nil {
			return refuse(s.head.pos, s.head.pos, err)
		}
		if !s.head.done {
			if eof && s.head.begun || eof && lineEnds(rest) < len(rest) {
				return refuse(len(rest), len(rest), io.ErrUnexpectedEOF)
			}
			return ends, nil
		}
		end := s.head.blockEnd()
		if end+2 > s.limit {
			return ends, &Error{Framer: "warc", Offset: int64(s.head.pos), Err: ErrTooLong}
		}
		size, fault := warcRaw(rest, end)
		switch {
		case fault:
			at, search := int(size), s.head.pos
			next := rest[at:min(at+len(warcVersion), len(rest))]
			if string(next) == warcVersion[:len(next)] {
				if len(next) < len(warcVersion) && !eof {
					return ends, nil
				}
				search = at
			}
			return refuse(at, search, fmt.Errorf("%w: no line end after the block", ErrRecord))
		case size <= uint64(len(rest)):
			last += int(size)
			ends = append(ends, uint32(last))
			s.head = warcHead{}
			continue
		case eof:
			return refuse(len(rest), s.head.pos, io.ErrUnexpectedEOF)
		}
		return ends, nil
	}
	return ends, nil
}

func (s *warcScanner) State() []byte { return nil }

// lineEnds counts the carriage returns and line feeds that b begins with.
func lineEnds(b []byte) int {
	return len(b) - len(bytes.TrimLeft(b, "\r\n"))
}

// warcRaw is the raw size of the record whose block ends at end: two line ends
// follow. Before these are in b it is more than b has. fault says that b[size] is
// not part of them.
func warcRaw(b []byte, end uint64) (size uint64, fault bool) {
	size = end
	for range 2 {
		if size < uint64(len(b)) && b[size] == '\r' {
			size++
		}
		if size < uint64(len(b)) && b[size] != '\n' {
			return size, true
		}
		size++
	}
	return size, false
}

// warcResync is what Resync does.
type warcResync uint8

const (
	warcStart  warcResync = iota // nothing yet
	warcHeader                   // read the header
	warcSkip                     // leave out skip bytes and the line ends after them
	warcHere                     // the next record is here or nowhere near
	warcSearch                   // look for a version line
)

// Resync leaves out the record if its header is good and Scan did not refuse it,
// and else what is before the next version line.
func (s *warcScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if s.doing == warcStart {
		s.head, s.doing = warcHead{}, warcHeader
		if s.refused {
			n, s.doing = min(s.search, len(slab)), warcHere
		}
	}
	if s.doing == warcHeader {
		err := s.head.read(slab)
		n = s.head.pos
		switch {
		case err != nil:
			s.doing = warcHere
		case s.head.done:
			s.doing, s.skip, s.feeds = warcSkip, s.head.length, 0
		}
		s.head.pos = 0
	}
	if s.doing == warcSkip {
		take := min(s.skip, uint64(len(slab)-n))
		s.skip -= take
		n += int(take)
		for s.skip == 0 && s.doing == warcSkip && n < len(slab) {
			switch c := slab[n]; {
			case s.feeds == 2 || c != '\n' && c != '\r':
				s.doing = warcHere
			default:
				if n++; c == '\n' {
					s.feeds++
				}
			}
			if s.feeds == 2 {
				done = true
				break
			}
		}
	}
	if s.doing == warcHere && !done {
		size := min(len(warcVersion), len(slab)-n)
		switch at := slab[n : n+size]; {
		case string(at) != warcVersion[:size]:
			s.doing = warcSearch
		case size == len(warcVersion):
			done = true
		}
	}
	if s.doing == warcSearch && !done {
		n, done = findWARC(slab, n, eof)
	}
	if eof && !done {
		n, done = len(slab), true
	}
	if done {
		s.head, s.doing, s.refused = warcHead{}, warcStart, false
	}
	return n, done
}
