package frame

import (
	"encoding/binary"
	"fmt"
	"math"
)

// prefixed is u16be, u16le, u32be, u32le, u64be and u64le: an unsigned length of
// width bytes stands before each record and counts the record alone.
//
// A final partial record, be it cut in its length, is io.ErrUnexpectedEOF. A
// Scanner continues as far after a record as its length says: a
// length that lies leads astray. One over 2^63 is no length: [ErrNoResync].
func prefixed(name string, width int, length func([]byte) uint64) Framer {
	size := func(b []byte) (uint64, error) {
		if len(b) < width {
			return 0, nil
		}
		n := length(b)
		if n > math.MaxInt64 {
			return 0, fmt.Errorf("%w: length of %d: %w", ErrRecord, n, ErrNoResync)
		}
		return uint64(width) + n, nil
	}
	return Framer{
		Name: name,
		New: func(opts *Options) (Scanner, error) {
			s := newSized(name, opts, size)
			if width == 2 {
				s.run = shortRun(int(length([]byte{0, 1})))
			}
			return s, nil
		},
		Body: func(raw []byte, _ int64) []byte { return raw[min(width, len(raw)):] },
	}
}

// shortRun goes through records whose length takes two bytes, of which the second
// counts for so much.
func shortRun(second int) func(slab []byte, pos int, limit uint64, ends []uint32) ([]uint32, int) {
	first := 0x101 - second
	return func(slab []byte, pos int, limit uint64, ends []uint32) ([]uint32, int) {
		for len(slab)-pos >= 2 {
			if limit >= 2 && eightZeros(slab[pos:]) {
				at := uint32(pos)
				ends = append(ends, at+2, at+4, at+6, at+8)
				pos += 8
				continue
			}
			size := 2 + int(slab[pos])*first + int(slab[pos+1])*second
			if size > len(slab)-pos || uint64(size) > limit {
				break
			}
			pos += size
			ends = append(ends, uint32(pos))
		}
		return ends, pos
	}
}

func allPrefixed() []Framer {
	be, le := binary.BigEndian, binary.LittleEndian
	return []Framer{
		prefixed("u16be", 2, func(b []byte) uint64 { return uint64(be.Uint16(b)) }),
		prefixed("u16le", 2, func(b []byte) uint64 { return uint64(le.Uint16(b)) }),
		prefixed("u32be", 4, func(b []byte) uint64 { return uint64(be.Uint32(b)) }),
		prefixed("u32le", 4, func(b []byte) uint64 { return uint64(le.Uint32(b)) }),
		prefixed("u64be", 8, be.Uint64),
		prefixed("u64le", 8, le.Uint64),
	}
}
