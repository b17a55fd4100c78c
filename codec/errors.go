package codec

import (
	"errors"
	"fmt"
)

// Causes that an [*Error] may wrap, beside io.ErrUnexpectedEOF and errors of the
// source.
var (
	ErrCorrupt     = errors.New("corrupt data")
	ErrChecksum    = errors.New("checksum mismatch")
	ErrLimit       = errors.New("limit exceeded")
	ErrTrailing    = errors.New("trailing bytes that are no member")
	ErrDictionary  = errors.New("dictionary missing")
	ErrUnsupported = errors.New("not supported")
)

// Error says where in the stored and the decoded bytes a codec failed.
type Error struct {
	Codec   string
	Offset  int64 // stored bytes consumed
	Decoded int64 // bytes given before the error
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: stored offset %d, decoded offset %d: %v", e.Codec, e.Offset, e.Decoded, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// LimitError is an [ErrLimit] with its figures.
type LimitError struct {
	What    string // "window", "decoded size", "expansion ratio", "table entries"
	Needed  int64  // what the data asks for; 0 when that is only "more"
	Allowed int64
}

func (e *LimitError) Error() string {
	if e.Needed == 0 {
		return fmt.Sprintf("%v: %s of more than %d", ErrLimit, e.What, e.Allowed)
	}
	return fmt.Sprintf("%v: %s of %d needed, %d allowed", ErrLimit, e.What, e.Needed, e.Allowed)
}

func (e *LimitError) Is(target error) bool { return target == ErrLimit }
