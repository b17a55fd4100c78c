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
// [ErrRecord] and the place lost. A final partial record, be it cut in its length,
// is io.ErrUnexpectedEOF. A Scanner finds its place again as far behind a record
// as its length says.
func varint() Framer {
	return Framer{
		Name: "varint",
		New: func(opts *Options) (Scanner, error) {
			return newSized("varint", opts, varintSize), nil
		},
		Body: func(raw []byte, _ int64) []byte {
			_, n := binary.Uvarint(raw)
			return raw[max(n, 0):]
		},
	}
}

func varintSize(b []byte) (uint64, error) {
	length, n := binary.Uvarint(b)
	switch {
	case n < 0:
		return 0, fmt.Errorf("%w: length of more than 64 bits: %w", ErrRecord, ErrLost)
	case n == 0:
		return 0, nil
	case length > math.MaxInt64:
		return 0, fmt.Errorf("%w: length of %d: %w", ErrRecord, int64(length), ErrLost)
	}
	return uint64(n) + length, nil
}
