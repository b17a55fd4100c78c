package main

import (
	"io"

	"github.com/thaw-go/thaw/codec"
)

// scanner finds members without decoding them. From what it finds, codec.Inspect lists
// the parts of an object, and Codec.Split its units, which decode side by side.
type scanner struct {
	inside bool
}

// Scan looks at the header that b begins with.
func (s *scanner) Scan(b []byte, left int64) (codec.Step, error) {
	final := int64(len(b)) == left
	if s.inside {
		return s.runs(b, final)
	}
	n := min(len(b), len(magic))
	switch {
	case final && n == 0:
		return codec.Step{}, io.EOF
	case string(b[:n]) != magic[:n]:
		return codec.Step{}, codec.ErrTrailing
	case n < len(magic):
		return codec.Step{}, short(final)
	}
	s.inside = true
	return codec.Step{
		Role: codec.StepBegin, Unit: true,
		Part: codec.Part{Kind: "member", Size: int64(n), Decoded: -1, Checksum: "crc32"},
	}, nil
}

// runs takes the runs that are in b, or the end mark and the checksum.
func (s *scanner) runs(b []byte, final bool) (codec.Step, error) {
	if len(b) > 0 && b[0] == 0 {
		s.inside = false
		return codec.Step{Role: codec.StepEnd, Part: codec.Part{Size: 1 + 4}}, nil
	}
	st := codec.Step{Role: codec.StepBlock}
	for len(b) >= 2 && b[0] != 0 {
		st.Size += 2
		st.Decoded += int64(b[0])
		b = b[2:]
	}
	if st.Size == 0 {
		return st, short(final)
	}
	return st, nil
}

// short is the error for too few bytes.
func short(final bool) error {
	if final {
		return io.ErrUnexpectedEOF
	}
	return io.ErrShortBuffer
}
