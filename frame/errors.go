package frame

import (
	"errors"
	"fmt"
)

// Causes that an [*Error] wraps. Another is io.ErrUnexpectedEOF.
var (
	// ErrRecord is the cause when the bytes are no record of the format.
	ErrRecord = errors.New("bad record")

	// ErrTooLong is the cause when a record has more than Options.MaxRecord bytes,
	// framing included.
	ErrTooLong = errors.New("record over the limit")

	// ErrNoResync is wrapped together with another cause when no later record of the object can
	// be found. In package stream, skipping such a record fails the object.
	ErrNoResync = errors.New("no later record can be found")

	// ErrUnsupported is wrapped together with [ErrRecord] when the bytes are a variant that
	// this package does not read, such as text in UTF-16 or a sparse file in a tar
	// archive. [Registry.Lookup] returns it for names that it does not know.
	ErrUnsupported = errors.New("not supported")
)

// Error is the error of one record: bad, too long or unfinished. The caller knows where
// in the object the record begins.
type Error struct {
	Framer string // its name
	Offset int64  // from the start of the record to the fault, in bytes
	Err    error  // the cause, never nil
}

// Error returns the framer, the offset and the cause.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %d bytes into the record: %v", e.Framer, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
