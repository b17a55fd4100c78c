package codec

import "io"

// noneCodec passes plain data through. Any offset is a restart point, and an
// empty source is an empty object.
func noneCodec() Codec {
	return Codec{
		Name:      "none",
		Encodings: []string{"identity"},
		Requires:  func([]byte) (Needs, error) { return Needs{Size: -1}, nil },
		NewReader: opener("none", newPlain),
		Split:     noneSplit,
		Restart:   restarter("none", newPlain),
	}
}

// plain is one member that ends where the source does.
type plain struct {
	in    *Input
	given int64
}

func newPlain(*Options) (format, error) { return new(plain), nil }

func (f *plain) begin(in *Input, first bool) error {
	if !first && in == f.in {
		return io.EOF // the source ended before
	}
	f.in, f.given = in, 0
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
