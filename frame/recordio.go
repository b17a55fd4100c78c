package frame

import (
	"encoding/binary"
	"fmt"
)

// The header of a RecordIO record, little endian: the magic number, then a word
// of three bits that say which part it is and 29 bits of length.
const (
	rioMagic  = 0xced7230a
	rioHeader = 8
	rioLength = 1<<29 - 1
)

// rioPart is which part of a record follows.
type rioPart uint32

const (
	rioWhole rioPart = iota
	rioFirst
	rioMiddle
	rioLast
)

// recordio is the RecordIO of dmlc-core, which MXNet and SageMaker use
// (https://mxnet.apache.org/versions/1.9.1/api/faq/recordio): magic number,
// length, data, zeros up to a multiple of four bytes.
//
// A record whose data holds the magic number is stored in parts, without it, and
// cannot be returned without a copy: it is [ErrRecord], and the record after it
// follows. At a bad magic number a Scanner continues at the next one
// on a multiple of four bytes. A final partial record is io.ErrUnexpectedEOF.
func recordio() Framer {
	return Framer{
		Name:       "recordio",
		Extensions: []string{".recordio", ".rec"},
		New: func(opts *Options) (Scanner, error) {
			return &rioScanner{sizedScanner: newSized("recordio", opts, rioSize)}, nil
		},
		Body: func(raw []byte, _ int64) []byte {
			if len(raw) < rioHeader {
				return nil
			}
			_, length := rioWord(raw)
			return raw[rioHeader:min(rioHeader+length, len(raw))]
		},
	}
}

type rioScanner struct {
	*sizedScanner
	searching bool // Resync looks for a magic number
	parts     bool // Resync leaves out the parts of one record
}

// rioWord is what stands after the magic number.
func rioWord(b []byte) (rioPart, int) {
	word := binary.LittleEndian.Uint32(b[4:])
	return rioPart(word >> 29), int(word & rioLength)
}

func rioSize(b []byte) (uint64, error) {
	if len(b) < 4 {
		return 0, nil
	}
	if got := binary.LittleEndian.Uint32(b); got != rioMagic {
		return 0, fmt.Errorf("%w: magic number %08x, want %08x", ErrRecord, got, uint32(rioMagic))
	}
	if len(b) < rioHeader {
		return 0, nil
	}
	part, length := rioWord(b)
	if part != rioWhole {
		return 0, fmt.Errorf("%w: stored in parts, this is %d", ErrRecord, part)
	}
	return uint64(rioPadded(length)), nil
}

// rioPadded is the raw size of a part with length bytes of data.
func rioPadded(length int) int { return rioHeader + (length+3)&^3 }

// Resync leaves out the record, with all its parts, if it begins with the magic
// number, and else what is before the next one.
func (s *rioScanner) Resync(slab []byte, eof bool) (n int, done bool) {
	for {
		if s.skip > 0 {
			take := min(s.skip, uint64(len(slab)-n))
			s.skip -= take
			n += int(take)
			if s.skip > 0 {
				return n, eof
			}
			if !s.parts {
				return n, true
			}
		}
		rest := slab[n:]
		if s.searching {
			at, found := rioFind(rest)
			n += at
			switch {
			case found:
				s.searching = false
				return n, true
			case eof:
				return len(slab), true
			}
			return n, false
		}
		if len(rest) < rioHeader {
			if eof {
				return len(slab), true
			}
			return n, false
		}
		part, length := rioWord(rest)
		magic := binary.LittleEndian.Uint32(rest) == rioMagic
		switch {
		case s.parts && (!magic || part == rioWhole || part == rioFirst): // the next record
			s.parts = false
			return n, true
		case !magic:
			s.searching = true
			if n == 0 {
				n = 4
			}
		default:
			s.parts = part == rioFirst || part == rioMiddle
			s.skip = uint64(rioPadded(length))
		}
	}
}

// rioFind finds the header of a record's start in b, on a multiple of four
// bytes. Without one, what is before at holds none.
func rioFind(b []byte) (at int, found bool) {
	for ; at+rioHeader <= len(b); at += 4 {
		if binary.LittleEndian.Uint32(b[at:]) != rioMagic {
			continue
		}
		if part, _ := rioWord(b[at:]); part == rioWhole || part == rioFirst {
			return at, true
		}
	}
	return at, false
}
