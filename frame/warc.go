package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// warcVersion begins a record; the version's number follows.
const warcVersion = "WARC/"

// maxWARCHeader is the longest header of a record, in bytes.
const maxWARCHeader = 32 << 10

// warc gives the records of a WARC file (ISO 28500, WARC/0.17 to 1.1): the
// version line, the header and the block of Content-Length bytes. The two line
// ends behind the block are cut off, and empty lines before a record, which the
// standard does not have. Lines may end without a carriage return.
//
// A final partial record is io.ErrUnexpectedEOF. A Scanner finds its place again
// behind a record that is too long, and behind a bad one at the next line that is
// a version.
func warc() Framer {
	return Framer{
		Name:       "warc",
		Extensions: []string{".warc"},
		New: func(opts *Options) (Scanner, error) {
			return &warcScanner{sizedScanner: newSized("warc", opts, warcSize)}, nil
		},
		Body: func(raw []byte, _ int64) []byte {
			return cutLineEnd(cutLineEnd(raw[lineEnds(raw):]))
		},
	}
}

type warcScanner struct {
	*sizedScanner
	doing warcResync
	feeds int // line feeds behind the block that Resync left out
}

// warcResync is what Resync does.
type warcResync uint8

const (
	warcStart  warcResync = iota // nothing yet
	warcSkip                     // leave out skip bytes and the line ends behind them
	warcSearch                   // look for a version
)

// Scan takes line ends at the end of the object for no record.
func (s *warcScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	before := len(ends)
	ends, err := s.sizedScanner.Scan(slab, eof, ends)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		rest := slab
		if len(ends) > before {
			rest = slab[ends[len(ends)-1]:]
		}
		if lineEnds(rest) == len(rest) {
			return ends, nil
		}
	}
	return ends, err
}

// lineEnds counts the carriage returns and line feeds that b begins with.
func lineEnds(b []byte) int {
	return len(b) - len(bytes.TrimLeft(b, "\r\n"))
}

// warcSize is the raw size of the record that b begins with: header, block and
// two line ends. Before these are in b it is the least that it can be.
func warcSize(b []byte) (uint64, error) {
	size, err := warcBlockEnd(b)
	if size == 0 || err != nil {
		return 0, err
	}
	for range 2 {
		rest := b[min(size, uint64(len(b))):]
		switch {
		case len(rest) == 0 || rest[0] == '\n':
			size++
		case rest[0] == '\r' && (len(rest) == 1 || rest[1] == '\n'):
			size += 2
		default:
			return 0, fmt.Errorf("%w: no line end %d bytes in, behind the block", ErrRecord, size)
		}
	}
	return size, nil
}

// warcBlockEnd is where in b or behind it the block ends, 0 when b ends in the
// header.
func warcBlockEnd(b []byte) (uint64, error) {
	head, err := warcHead(b)
	if head == 0 || err != nil {
		return 0, err
	}
	length, err := warcLength(b[:head])
	return uint64(head) + length, err
}

// warcHead is the size of the header with the empty line behind it, 0 when b ends
// in it.
func warcHead(b []byte) (int, error) {
	start := lineEnds(b)
	if rest := b[start:]; !bytes.HasPrefix(rest, []byte(warcVersion)[:min(len(rest), len(warcVersion))]) {
		return 0, fmt.Errorf("%w: no WARC version", ErrRecord)
	}
	window := b[:min(len(b), maxWARCHeader)]
	for pos := start; pos < len(window); {
		i := bytes.IndexByte(window[pos:], '\n')
		if i < 0 {
			break
		}
		line := window[pos : pos+i+1]
		pos += i + 1
		if emptyLine(line) {
			return pos, nil
		}
	}
	if len(window) == maxWARCHeader {
		return 0, fmt.Errorf("%w: header of more than %d bytes", ErrRecord, maxWARCHeader)
	}
	return 0, nil
}

// warcLength is the header's Content-Length.
func warcLength(head []byte) (uint64, error) {
	for line := range bytes.Lines(head) {
		name, value, _ := bytes.Cut(line, []byte{':'})
		if !bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			continue
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 63)
		if err != nil || n > math.MaxInt64-maxWARCHeader {
			return 0, fmt.Errorf("%w: Content-Length %q", ErrRecord, value)
		}
		return n, nil
	}
	return 0, fmt.Errorf("%w: no Content-Length", ErrRecord)
}

// Resync leaves out the record if its header is good, and else what is before
// the next line that is a version.
func (s *warcScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if s.doing == warcStart {
		end, err := warcBlockEnd(slab)
		switch {
		case err != nil:
			s.doing = warcSearch
		case end > 0:
			s.doing, s.skip = warcSkip, end
		case !eof:
			return 0, false
		}
	}
	if s.doing == warcSkip {
		n = int(min(s.skip, uint64(len(slab))))
		s.skip -= uint64(n)
		for s.skip == 0 && n < len(slab) && s.doing == warcSkip && !done {
			switch slab[n] {
			case '\n':
				n++
				s.feeds++
				done = s.feeds == 2
			case '\r':
				n++
			default:
				s.doing = warcSearch
			}
		}
	}
	if s.doing == warcSearch {
		const start = "\n" + warcVersion
		if i := bytes.Index(slab[n:], []byte(start)); i >= 0 {
			n, done = n+i+1, true
		} else {
			n = max(n, len(slab)-len(start)+1)
		}
	}
	if eof && !done {
		n, done = len(slab), true
	}
	if done {
		s.doing, s.skip, s.feeds = warcStart, 0, 0
	}
	return n, done
}
