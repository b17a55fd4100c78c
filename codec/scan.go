package codec

import "io"

// Scanner finds the members and blocks of one object, in order, by their headers. It does not
// see what lies between headers. [Inspect] lists what it finds, and Codec.Split returns units.
// What a Scanner says is a hint; only a Decoder's verdict proves it. It belongs to one
// goroutine.
type Scanner interface {
	// Scan returns the next Step. b begins where the last Step ended, at the start of the object
	// for the first call. left is how many bytes the object has from there on, or -1 if that
	// is not known. b may be shorter than that, and shorter than the Step: only the header must
	// be in b. Scan does not keep b.
	//
	// Scan returns
	//
	//   - io.ErrShortBuffer if b is too short and not all that is left,
	//   - io.EOF if b is empty and the object may end here,
	//   - io.ErrUnexpectedEOF if the object ends inside a member,
	//   - [ErrTrailing] if the bytes are no member,
	//   - another cause of this package if the header is wrong.
	//
	// After io.ErrShortBuffer, Scan is called again for the same place with a longer b. After
	// any other error it is not called again.
	Scan(b []byte, left int64) (Step, error)
}

// Step is a run of stored bytes that a [Scanner] recognised by its header. Role and Size are
// required; zero values of other fields say nothing.
type Step struct {
	Role Role

	// Part describes the run. Some of its fields have a meaning of their own here:
	//
	//   - Kind is what the format calls it. If it is empty, the run is not listed; its sizes
	//     still count.
	//   - Offset is ignored: a Step begins where the last one ended.
	//   - Size is how many bytes the run takes, or -1 for all that is left. It may be more
	//     than the object has left: then the object is cut, and Scan is not called again. At
	//     most four Steps in a row may take 0 bytes.
	//   - Decoded of a StepBegin is the size that the header states for the whole member. If
	//     it is -1, the sizes of the member's blocks and end are added up, and if one of
	//     these is -1, the size of the member is not known.
	//   - Window of a StepEnd replaces that of the StepBegin, unless it is 0.
	//   - Blocks of -1 says that the format has blocks which are not listed.
	Part

	// Unit says that a unit begins with this Step. State is the State of that [Unit].
	Unit  bool
	State []byte

	// Memory is what a Decoder needs, in bytes, as in [Needs]. At a StepEnd it replaces that of
	// the StepBegin, unless it is 0.
	Memory int64

	// Allow is what Options.MaxWindow must be at least, in bytes. 0 means Window.
	Allow int64

	// Claimed is the window that the header states, in bytes, if it is larger than the data
	// can use.
	Claimed int64

	Variants []string // added to Info.Variants
	Notes    []string // added to Info.Notes

	framing bool // members are only the framing of the format, as blocks of BGZF are
}

// Role says what a [Step] is. A member is one StepBegin, any number of StepBlock, and one
// StepEnd. Blocks may also stand outside of members.
type Role uint8

// The roles of a Step.
const (
	StepBegin Role = iota // the header of a member
	StepBlock             // a block
	StepEnd               // the trailer of a member
	StepSkip              // bytes without data that belong to no member
	StepRest              // one member or more, whose ends no header shows
)

// short is the error for b that is too short.
func short(b []byte, left int64) error {
	if int64(len(b)) == left {
		return io.ErrUnexpectedEOF
	}
	return io.ErrShortBuffer
}

// atEnd is the error for an empty b where the object may end.
func atEnd(left int64) error {
	if left == 0 {
		return io.EOF
	}
	return io.ErrShortBuffer
}

// grammar is what a format's Decoder and its Scanner share: what the header that
// b begins with says. It does not change in look.
type grammar interface {
	// look answers as [Scanner] does; what it found is kept for whoever asks.
	look(b []byte, left int64) error
}

// lookNext shows g the bytes that are next in in, waiting for no more of them than g
// asks for. It consumes nothing but what is left of a source that ends too early.
func lookNext(in *Input, g grammar) error {
	for n := max(1, in.Buffered()); ; n++ {
		b, err := in.Peek(n)
		left := int64(-1)
		if err == io.EOF {
			left = int64(len(b))
		}
		look := g.look(b, left)
		switch {
		case look == io.ErrShortBuffer && err != nil && err != io.EOF:
			return err
		case look == io.ErrShortBuffer:
			n = len(b)
			continue
		case look == io.ErrUnexpectedEOF:
			in.Discard(len(b))
		}
		return look
	}
}
