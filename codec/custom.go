package codec

import (
	"errors"
	"io"
)

// NewDecoder returns a Decoder for a custom format that keeps the promises of this
// package: sticky errors with positions, the limits MaxDecoded and MaxRatio, one member
// after the other, trailing bytes, Reset and Close. It implements [Positioned] and, with a
// point after each member, [Restarter]. A Codec's NewReader calls it. It reads nothing.
// opts may be nil.
//
// open reads the header of the next member from in and returns a reader of its data; first
// is true for the first member of an object. open returns
//
//   - io.EOF if in is at its end,
//   - [ErrTrailing], having consumed nothing, if what follows is no member,
//   - io.ErrUnexpectedEOF if in ends inside the header, another cause of this package if the
//     header is wrong, and errors of in as they are.
//
// The reader returns the same causes. It returns io.EOF once it has read the member's end
// mark and verified its checksum, and reads nothing from in after that. It may use in until
// the next call of open. A format whose objects are one member returns io.EOF or
// ErrTrailing where first is false.
//
// The other options are for open to honour: MaxWindow and Grow where a header states how
// much memory its data takes, and SkipChecksums.
func NewDecoder(name string, src io.Reader, opts *Options, open func(in *Input, first bool) (io.Reader, error)) (Decoder, error) {
	return NewDecoderAt(name, src, Point{}, opts, open)
}

// NewDecoderAt is [NewDecoder] for a Codec's Restart: src begins at p.Stored, where a member
// begins or the object ends. Positions are those of the object. Where p is not its start,
// first is always false. A Point with State is [ErrUnsupported].
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
