package codec

import (
	"errors"
	"io"
)

// NewDecoder is a Decoder for a format of one's own that keeps the promises of
// this package: sticky and positioned errors, limits, members one behind the
// other, trailing bytes, Reset and Close. It is what a Codec's NewReader returns.
//
// open reads the header of the next member from in and returns a reader of its
// data; first says that nothing was decoded yet. It returns io.EOF if in is at
// its end, and [ErrTrailing], with nothing consumed, if what follows is no
// member. The reader returns io.EOF only behind the member's end mark, with its
// checksums verified, having read nothing past it from in. Faults are the causes
// of this package, io.ErrUnexpectedEOF, and errors of in as they are. A format
// that is not for concatenating returns io.EOF or ErrTrailing once first is
// false.
//
// NewDecoder reads nothing. opts may be nil.
func NewDecoder(name string, src io.Reader, opts *Options, open func(in *Input, first bool) (io.Reader, error)) (Decoder, error) {
	return opener(name, func(*Options) (format, error) { return &custom{open: open}, nil })(src, opts)
}

type custom struct {
	open func(in *Input, first bool) (io.Reader, error)
	r    io.Reader
}

func (f *custom) begin(in *Input, first bool) (err error) {
	f.r, err = f.open(in, first)
	if errors.Is(err, ErrTrailing) {
		return errNoMember
	}
	return err
}

func (f *custom) read(p []byte) (int, error) { return f.r.Read(p) }

func (f *custom) close() { f.r = nil }
