package frame

import (
	"encoding/binary"
	"io"
	"math"
)

// sizedScanner finds records whose header says how long they are.
type sizedScanner struct {
	name  string
	limit uint64 // raw bytes of the largest record

	// size reads a header at the start of b and returns the raw bytes of the
	// record, header included; 0 when b is too short. Its errors wrap
	// ErrNoResync where the size cannot be known.
	size func(b []byte) (uint64, error)

	// run appends the ends of records of slab from pos on while their headers are
	// plain and they are whole and within the limit. It returns where it stopped:
	// what begins there is for size to judge. Nil: size looks at every record.
	run func(slab []byte, pos int, limit uint64, ends []uint32) ([]uint32, int)

	// check looks at a whole record. Nil: there is nothing to check.
	check func(raw []byte) error

	skip uint64 // bytes of the record that Resync leaves out that are to come
	lost bool   // Resync met a size that cannot be known: no place is found again
}

// newSized makes a scanner that refuses records over opts.MaxRecord by their
// header, and any that no slab can hold.
func newSized(name string, opts *Options, size func([]byte) (uint64, error)) *sizedScanner {
	limit := uint64(math.MaxUint32)
	if opts.MaxRecord > 0 {
		limit = min(limit, uint64(opts.MaxRecord))
	}
	return &sizedScanner{name: name, limit: limit, size: size}
}

func (s *sizedScanner) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	pos := 0
	fail := func(offset int, err error) ([]uint32, error) {
		return ends, &Error{Framer: s.name, Offset: int64(offset), Err: err}
	}
	for pos < len(slab) {
		if s.run != nil {
			if ends, pos = s.run(slab, pos, s.limit, ends); pos == len(slab) {
				break
			}
		}
		rest := slab[pos:]
		size, err := s.size(rest)
		switch {
		case err != nil:
			return fail(0, err)
		case size > s.limit:
			return fail(0, ErrTooLong)
		case size == 0 || size > uint64(len(rest)):
			if eof {
				return fail(len(rest), io.ErrUnexpectedEOF)
			}
			return ends, nil
		}
		if s.check != nil {
			if err := s.check(rest[:size]); err != nil {
				return fail(0, err)
			}
		}
		pos += int(size)
		ends = append(ends, uint32(pos))
	}
	return ends, nil
}

// eightZeros reports whether b begins with eight zeros: as many empty records as
// there are lengths in them. One after the other these cost more than their bytes,
// since each begins where the length before says.
func eightZeros(b []byte) bool {
	return len(b) >= 8 && binary.LittleEndian.Uint64(b) == 0
}

func (s *sizedScanner) State() []byte { return nil }

// Resync leaves out as many bytes as the bad record's header says it has.
func (s *sizedScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	if s.lost {
		return len(slab), eof
	}
	if s.skip == 0 {
		size, err := s.size(slab)
		switch {
		case err != nil:
			s.lost = true
			return len(slab), eof
		case size == 0 && !eof:
			return 0, false
		case size == 0:
			return len(slab), true
		}
		s.skip = size
	}
	take := min(s.skip, uint64(len(slab)))
	s.skip -= take
	return int(take), s.skip == 0 || eof
}
