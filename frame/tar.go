package frame

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// maxPax is the largest pax header that is read, in bytes.
const maxPax = 32 << 10

// tar gives the data of each regular file in a tar archive: ustar, pax or GNU.
// Headers, padding, members without data and zero blocks go to the raw bytes of
// the file that follows. Checksums of headers are verified. Archives that stand
// behind each other are read on. Sparse files are [ErrRecord].
//
// An archive that ends without a zero block is io.ErrUnexpectedEOF, as is a final
// partial file. A Scanner finds its place again behind a file that is too long,
// and behind a bad header at the next block that is a header by its checksum.
func tar() Framer {
	return Framer{
		Name:       "tar",
		Extensions: []string{".tar"},
		New: func(opts *Options) (Scanner, error) {
			return newTarScanner(opts), nil
		},
		Body: tarBody,
	}
}

type tarScanner struct {
	limit     int64
	walk      tarWalk
	skip      int64 // bytes of the file that Resync leaves out that are to come
	searching bool  // Resync looks for a header
	within    bool  // Resync was called and is not done
}

// tarWalk goes over blocks up to a file's data.
type tarWalk struct {
	pos   int   // the next block
	size  int64 // from a pax header, for the next member
	sized bool
	ended bool // the last block was zero
}

func newTarScanner(opts *Options) *tarScanner {
	limit := int64(math.MaxUint32)
	if opts.MaxRecord > 0 {
		limit = min(limit, int64(opts.MaxRecord))
	}
	return &tarScanner{limit: limit}
}

// next walks to the next file. found says that pos is at its data, of size bytes;
// without an error and a file more blocks are needed.
func (w *tarWalk) next(b []byte) (size int64, found bool, err error) {
	for len(b)-w.pos >= tarBlock {
		head := b[w.pos : w.pos+tarBlock]
		if isZero(head) {
			w.ended = true
			w.pos += tarBlock
			continue
		}
		kind, size, err := parseTarHeader(head)
		if err != nil {
			return 0, false, err
		}
		data := b[w.pos+tarBlock:]
		switch kind {
		case tarExtended, tarExtra:
			if size > maxPax {
				return 0, false, fmt.Errorf("%w: header of %d bytes, at most %d are read", ErrRecord, size, maxPax)
			}
			if padTar(size) > int64(len(data)) {
				w.ended = false
				return 0, false, nil
			}
			if kind == tarExtended {
				if w.size, w.sized, err = paxSize(data[:size]); err != nil {
					return 0, false, err
				}
			}
			w.pos += tarBlock + int(padTar(size))
		case tarEmpty:
			w.pos += tarBlock
			w.sized = false
		case tarFile:
			if w.sized {
				size = w.size
			}
			w.ended = false
			return size, true, nil
		}
		w.ended = false
	}
	return 0, false, nil
}

// padTar rounds up to whole blocks.
func padTar(n int64) int64 {
	if n > math.MaxInt64-tarBlock {
		return n
	}
	return (n + tarBlock - 1) &^ (tarBlock - 1)
}

func isZero(b []byte) bool {
	return len(bytes.TrimLeft(b, "\x00")) == 0
}

func (s *tarScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	last := 0
	fail := func(offset int, err error) ([]uint32, error) {
		return ends, &Error{Framer: "tar", Offset: int64(offset), Err: err}
	}
	for {
		w := s.walk
		size, found, err := w.next(slab[last:])
		switch {
		case err != nil:
			return fail(w.pos, err)
		case found && size > s.limit-int64(w.pos)-tarBlock:
			return fail(w.pos, ErrTooLong)
		case found && padTar(size) <= int64(len(slab)-last-w.pos-tarBlock):
			last += w.pos + tarBlock + int(padTar(size))
			ends = append(ends, uint32(last))
			s.walk = tarWalk{}
			continue
		case eof && (found || !w.ended || !isZero(slab[last+w.pos:])):
			return fail(len(slab)-last, io.ErrUnexpectedEOF)
		case !found:
			s.walk = w
		}
		return ends, nil
	}
}

func (s *tarScanner) State() []byte { return nil }

// Resync leaves out the file, or what is before the next header.
func (s *tarScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if !s.within {
		s.walk = tarWalk{}
		s.within = true
	}
	if s.skip == 0 && !s.searching {
		size, found, err := s.walk.next(slab)
		n = s.walk.pos
		s.walk.pos = 0
		switch {
		case err != nil:
			s.searching = true
			n += tarBlock
		case found:
			s.skip = tarBlock + padTar(size)
		case eof:
			n = len(slab)
		}
	}
	if s.skip > 0 {
		take := min(s.skip, int64(len(slab)-n))
		s.skip -= take
		n += int(take)
		done = s.skip == 0
	}
	for s.searching && !done && len(slab)-n >= tarBlock {
		if b := slab[n : n+tarBlock]; !isZero(b) && checkTarSum(b) == nil {
			done = true
		} else {
			n += tarBlock
		}
	}
	if eof && !done {
		n, done = len(slab), true
	}
	if done {
		s.walk, s.skip, s.searching, s.within = tarWalk{}, 0, false, false
	}
	return n, done
}

// tarBody finds the file's data behind its headers.
func tarBody(raw []byte, _ int64) []byte {
	var w tarWalk
	size, found, err := w.next(raw)
	if err != nil || !found {
		return nil
	}
	data := raw[w.pos+tarBlock:]
	return data[:min(size, int64(len(data)))]
}
