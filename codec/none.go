package codec

import "io"

// noneCodec passes plain data through. Any offset is a restart point, and an
// empty source is an empty object.
func noneCodec() Codec {
	return Codec{
		Name:      None,
		Plain:     true,
		Encodings: []string{"identity"},
		Requires:  func([]byte) (Needs, error) { return Needs{Size: -1}, nil },
		NewReader: opener(None, newPlain),
		Scan:      newNoneScanner,
		Split:     splitter(None, newNoneScanner, nil),
		restarts:  "any byte",
		Restart:   restarter(None, newPlain),
	}
}

// noneUnit is the size of a unit of plain data.
const noneUnit = 8 << 20

// noneScanner cuts plain data anywhere, and looks at none of it.
type noneScanner struct {
	unit int64 // bytes of it so far
}

func newNoneScanner() Scanner { return new(noneScanner) }

func (*noneScanner) shows() int64 { return 0 }

func (s *noneScanner) Scan(b []byte, left int64) (Step, error) {
	n := min(noneUnit-s.unit, left)
	if left < 0 {
		n = min(noneUnit-s.unit, int64(len(b)))
	}
	if n == 0 {
		return Step{}, atEnd(left)
	}
	st := Step{Role: StepBlock, Unit: s.unit == 0, Part: Part{Size: n, Decoded: n}}
	s.unit = (s.unit + n) % noneUnit
	return st, nil
}

// plain is one member that ends where the source does.
type plain struct {
	in    *Input
	turn  int // of in, when the member began
	given int64
}

func newPlain(*Options) (format, error) { return new(plain), nil }

func (f *plain) begin(in *Input, first bool) error {
	if !first && in == f.in && in.resets == f.turn {
		return io.EOF // the source ended before
	}
	f.in, f.turn, f.given = in, in.resets, 0
	return nil
}

func (f *plain) read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	f.given += int64(n)
	return n, err
}

func (f *plain) point() (Point, bool) {
	return Point{Stored: f.in.Offset(), Decoded: f.given}, true
}

func (f *plain) close() { f.in = nil }
