package frame

import (
	"encoding/binary"
	"fmt"
	"math"
)

// varint is a base-128 length before each record, as protobuf's delimited streams
// have it (https://protobuf.dev/programming-guides/encoding/#varints).
//
// A length of more than 10 bytes, or over 2^63 as a negative one is written, is
// [ErrRecord] and [ErrNoResync]. A final partial record, be it cut in its length,
// is io.ErrUnexpectedEOF. A Scanner continues as far after a record as its
// length says.
func varint() Framer {
	return Framer{
		Name: "varint",
		New: func(opts *Options) (Scanner, error) {
			s := newSized("varint", opts, varintSize)
			s.run = varintRun
			return s, nil
		},
		Body: func(raw []byte, _ int64) []byte {
			if len(raw) > 0 && raw[0] < 0x80 {
				return raw[1:]
			}
			_, n := binary.Uvarint(raw)
			return raw[max(n, 0):]
		},
	}
}

// varintRun goes through records whose length takes one byte or two.
func varintRun(slab []byte, pos int, limit uint64, ends []uint32) ([]uint32, int) {
	for pos < len(slab) {
		if eightZeros(slab[pos:]) {
			at := uint32(pos)
			ends = append(ends, at+1, at+2, at+3, at+4, at+5, at+6, at+7, at+8)
			pos += 8
			continue
		}
		size := 1 + int(slab[pos])
		if size > 0x80 {
			if pos+1 >= len(slab) || slab[pos+1] >= 0x80 {
				break
			}
			size += 1 - 0x80 + int(slab[pos+1])<<7
		}
		if size > len(slab)-pos || uint64(size) > limit {
			break
		}
		pos += size
		ends = append(ends, uint32(pos))
	}
	return ends, pos
}

func varintSize(b []byte) (uint64, error) {
	length, n := binary.Uvarint(b)
	switch {
	case n < 0:
		return 0, fmt.Errorf("%w: length of more than 64 bits: %w", ErrRecord, ErrNoResync)
	case n == 0:
		return 0, nil
	case length > math.MaxInt64:
		return 0, fmt.Errorf("%w: length of %d: %w", ErrRecord, int64(length), ErrNoResync)
	}
	return uint64(n) + length, nil
}
