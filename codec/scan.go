package codec

import "io"

// Scanner finds the parts of an object in its stored bytes, by headers alone, as a Scanner
// of package frame finds records in decoded bytes. [Inspect] lists what it finds, and
// Codec.Split makes units of it. Both are hints: only decoding proves them. A Scanner
// belongs to one goroutine and reads one object from its start.
type Scanner interface {
	// Scan returns the next Step. b holds the stored bytes from the end of the last Step
	// on, and left is how many there are up to the end of the object, or -1 where that is not
	// known. A Step may be longer than b: what lies between headers is not read.
	//
	// Scan returns
	//
	//   - io.ErrShortBuffer if it needs a longer b and b is not all that is left,
	//   - io.EOF for an empty b where the object may end,
	//   - io.ErrUnexpectedEOF if the object ends inside a part,
	//   - [ErrTrailing] if the bytes are no member,
	//   - other causes of this package, bare or wrapped.
	//
	// After io.ErrShortBuffer it is called again at the same place. Nobody calls it after
	// another error.
	Scan(b []byte, left int64) (Step, error)
}

// Step is a run of stored bytes in which a [Scanner] found a header. Only Role and Size are
// required.
type Step struct {
	Role Role

	// Part describes what was found.
	//
	// Size is how many bytes the Step takes, -1 for all that is left. At most four Steps in
	// a row may take 0 bytes. Offset is ignored. A Part without Kind counts in sizes, but is
	// not listed. Blocks of -1 says that blocks are not listed.
	//
	// Decoded at StepBegin is the decoded size that the member's header states. Where that is
	// -1, those of its blocks and its end are added up, and the member's is unknown if one of
	// them is -1.
	//
	// Window and Memory at StepEnd replace those of StepBegin where they are not 0.
	Part

	// Unit says that a unit begins with this Step. State opens it, see [Unit].
	Unit  bool
	State []byte

	Memory  int64 // what a Decoder needs for it, as in [Needs]
	Allow   int64 // what Options.MaxWindow must allow, where that is more than Window
	Claimed int64 // the window that a header states, where no part can use so much

	Variants []string // for Info.Variants
	Notes    []string // for Info.Notes

	framing bool // members are only the framing of the format, as blocks of BGZF are
}

// Role is what a [Step] is in its object. A member is one StepBegin, any number of StepBlock
// and one StepEnd.
type Role uint8

const (
	StepBegin Role = iota // a member begins, with its header
	StepBlock             // a block, of a member or of the object
	StepEnd               // the end of a member, with its trailer
	StepSkip              // bytes without data that belong to no member
	StepRest              // one or more members whose ends headers do not show
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
