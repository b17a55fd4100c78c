package frame

import (
	"errors"
	"fmt"
)

// Causes that an [*Error] may wrap, beside io.ErrUnexpectedEOF.
var (
	ErrRecord  = errors.New("bad record")            // the bytes are no record of the format
	ErrTooLong = errors.New("record over the limit") // more than Options.MaxRecord bytes
	ErrLost    = errors.New("place lost")            // beside another: no later record can be found

	// ErrUnsupported is a variant of the format that no record is found in: text in
	// UTF-16, a sparse file in a tar archive.
	ErrUnsupported = errors.New("not supported")
)

// Error says what is wrong with one record.
type Error struct {
	Framer string
	Offset int64 // from the start of the record to the fault
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %d bytes into the record: %v", e.Framer, e.Offset, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
