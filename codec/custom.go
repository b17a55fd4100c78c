package codec

import (
	"errors"
	"io"
)

// NewDecoder returns a Decoder for a custom format. Call it in NewReader of the [Codec] called
// name. It keeps the promises of this package for all but what is inside a member: it reads
// one member after the other, adds offsets to errors and repeats them, applies MaxDecoded,
// MaxRatio and IgnoreTrailing, and has Reset and Close. It implements [Positioned], and
// [Restarter] with a restart point after each member. It reads nothing. opts may be nil; its
// other fields are for open to obey.
//
// open reads the header of the next member from in and returns a reader of the member's data.
// first is true for the first member of an object. open returns
//
//   - io.EOF if in is at its end,
//   - [ErrTrailing] if what follows is no member; it must not have consumed any of it,
//   - io.ErrUnexpectedEOF if in ends inside the header,
//   - another cause of this package if the header is wrong,
//   - an error of in as it is.
//
// If a format allows only one member, open returns io.EOF or ErrTrailing when first is false.
//
// The reader returns decoded bytes, and errors in the same way. It returns io.EOF only after it
// has read the end mark of the member and verified its checksum, and reads nothing from in
// after that. It may use in until open is called again. It is never called with an empty slice,
// nor after it has returned io.EOF or an error.
func NewDecoder(name string, src io.Reader, opts *Options, open func(in *Input, first bool) (io.Reader, error)) (Decoder, error) {
	return NewDecoderAt(name, src, Point{}, opts, open)
}

// NewDecoderAt returns a Decoder as [NewDecoder] does that begins at p. Call it in Restart of
// the [Codec] called name. src begins at the stored offset p.Stored, where a member begins or
// the object ends. Offsets of the Decoder count from the start of the object, and first is
// false for all members unless p is the start. A Point with State is [ErrUnsupported].
func NewDecoderAt(name string, src io.Reader, p Point, opts *Options, open func(in *Input, first bool) (io.Reader, error)) (Decoder, error) {
	return restarter(name, func(*Options) (format, error) { return &custom{open: open}, nil })(src, p, opts)
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
