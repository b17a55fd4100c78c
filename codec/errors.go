package codec

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/thaw-go/thaw/internal/amount"
)

// Causes that an [*Error] wraps, found by errors.Is. Beside them there are io.ErrUnexpectedEOF
// for a truncated object, errors of the source, and those of [Options.Grow].
var (
	// ErrCorrupt says that the stored bytes break a rule of their format. Another read
	// of the same version ends the same, unless the store returned wrong bytes.
	ErrCorrupt = errors.New("corrupt data")

	// ErrChecksum says that a checksum, or a size that the object states, is not that of
	// the decoded data: data that was already returned may be wrong. A damaged byte is
	// this error if the damaged data can still be decoded, and else ErrCorrupt.
	ErrChecksum = errors.New("checksum mismatch")

	// ErrLimit says that an object needs more than [Options] or this package allow. A
	// [*LimitError] has the figures.
	ErrLimit = errors.New("limit exceeded")

	// ErrTrailing says that bytes which are no member follow the last member. All data was
	// returned before. See [Options.IgnoreTrailing].
	ErrTrailing = errors.New("trailing bytes that are no member")

	// ErrDictionary says that the data needs a dictionary which is neither in
	// [Options.Dictionaries] nor in the object. [Inspect] returns its id.
	ErrDictionary = errors.New("dictionary missing")

	// ErrUnsupported says that this package has no decoder for the format, or not for a
	// feature that the object uses.
	ErrUnsupported = errors.New("not supported")
)

// Error is an error of a [Decoder], of [Inspect] or of a Split, and where it failed.
type Error struct {
	// Codec is the name of the codec that failed. Of nested layers it is the innermost one
	// that the error passed through; Err then holds the Error of the layer outside it.
	Codec string

	// StoredOffset is how many stored bytes were consumed before the failure, counted from
	// the start of the object. For an inner layer these are the bytes that the layer outside
	// it decoded to.
	StoredOffset int64

	// DecodedOffset is how many decoded bytes precede the failure, counted from the start of
	// the object's data, also if decoding began at a restart point. Inspect and Split, which
	// decode little or nothing, leave it 0.
	DecodedOffset int64

	// Err is the cause: one of the causes above, io.ErrUnexpectedEOF, fs.ErrClosed, an error
	// of the source, or an error of [Options.Grow]. It is never nil.
	Err error
}

// Error returns the codec, the offsets that are not 0, and the cause.
func (e *Error) Error() string {
	if e.StoredOffset == 0 && e.DecodedOffset == 0 {
		return fmt.Sprintf("%s: %v", e.Codec, e.Err)
	}
	if e.DecodedOffset == 0 { // or not known
		return fmt.Sprintf("%s at stored offset %d: %v", e.Codec, e.StoredOffset, e.Err)
	}
	return fmt.Sprintf("%s at stored offset %d (decoded %d): %v", e.Codec, e.StoredOffset, e.DecodedOffset, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// LimitError is the cause of an error that is [ErrLimit], with its figures. errors.Is(err,
// ErrLimit) holds for it.
type LimitError struct {
	// What is limited: "window", "chunk", "dictionary", "memory", "decoded size", "expansion
	// ratio", "table entries", "layers" and others. The figures are in bytes, except for the
	// expansion ratio, table entries and layers.
	What string

	// Needed is what the object needs. 0 means that it is not known, only that it is more
	// than Allowed.
	Needed int64

	// Allowed is what [Options] or this package allow.
	Allowed int64
}

// amount writes n in the unit of what is limited: memory in powers of 1024, decoded data
// in bytes, everything else as a number.
func (e *LimitError) amount(n int64) string {
	switch e.What {
	case "window", "chunk", "dictionary", "memory", "index", "manifest":
		if amount.Memory(e.Needed) == amount.Memory(e.Allowed) {
			return fmt.Sprintf("%d bytes", n)
		}
		return amount.Memory(n)
	case "decoded size":
		return fmt.Sprintf("%d bytes", n)
	}
	return strconv.FormatInt(n, 10)
}

// Error returns what is limited and the figures that are known.
func (e *LimitError) Error() string {
	if e.Needed == 0 {
		return fmt.Sprintf("%v: %s of more than %s", ErrLimit, e.What, e.amount(e.Allowed))
	}
	return fmt.Sprintf("%v: %s of %s needed, %s allowed", ErrLimit, e.What, e.amount(e.Needed), e.amount(e.Allowed))
}

// Is reports whether target is [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }
