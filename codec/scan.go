package codec

import "io"

// Scanner finds the parts of an object in its stored bytes, by headers alone, as a
// scanner of package frame finds records in decoded bytes. What it finds are a hint for
// whoever reads the object in parallel, and what [Inspect] lists; decoding proves
// them. It belongs to one goroutine and one object.
type Scanner interface {
	// Scan returns the next Step. b holds stored bytes from the end of the last one
	// on, left is how many there are up to the object's end, or -1. A Step may be
	// longer than b: what is between headers need not be read.
	//
	// io.ErrShortBuffer asks for a longer b, unless b is all that is left. io.EOF is
	// for an empty b where the object may end, io.ErrUnexpectedEOF for an object
	// that ends inside a part, [ErrTrailing] for bytes that are no member. Other
	// errors are causes of this package, bare or wrapped.
	Scan(b []byte, left int64) (Step, error)
}

// Step is a run of stored bytes in which a [Scanner] found a header. Only Role and
// Size are required.
type Step struct {
	Role Role

	// Part says what was found. Size is how many bytes the Step takes, 0 for an end
	// without any (of which no more than four may follow one another), and -1 for all
	// that is left. Offset is not looked at.
	//
	// Decoded, at StepBegin, is the size that the member's header states, or -1; then
	// those of its blocks and of its end are added up, of which -1 is not known
	// either. Window and Memory at StepEnd replace those of StepBegin if they are not
	// 0. A Part without Kind counts, but is not listed. Blocks of -1 says that blocks
	// are not listed.
	Part

	// Unit says that a unit begins with the Step, State what opens it: see [Unit].
	Unit  bool
	State []byte

	Memory  int64 // that a reader needs for it, as in Needs
	Allow   int64 // what Options.MaxWindow must allow, if more than Window
	Claimed int64 // the window that a header states, where no part can use so much

	Variants, Notes []string // for the Info
}

// Role is what a [Step] is to its object.
type Role uint8

const (
	StepBegin Role = iota // a member begins, with its header
	StepBlock             // a block, of a member or of the object
	StepEnd               // the end of a member, with its trailer
	StepSkip              // bytes without data, which are of no member
	StepRest              // members whose ends headers do not tell
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

// border shows g the bytes that are next in in, waiting for no more of them than g
// asks for. It consumes nothing but what is left of a source that ends too early.
func border(in *Input, g grammar) error {
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
