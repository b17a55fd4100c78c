package inflate

import (
	"errors"
	"fmt"
)

// ErrCorrupt is the cause of an [*Error] when the bytes are no deflate data.
var ErrCorrupt = errors.New("corrupt deflate data")

// Error says where decoding failed.
type Error struct {
	Offset  int64  // whole stored bytes before the fault
	Bit     uint8  // bits of the next stored byte before the fault
	Decoded int64  // bytes decoded before the fault
	Reason  string // what is wrong with the data; empty for other causes
	Err     error  // ErrCorrupt, io.ErrUnexpectedEOF or the source's error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("inflate: stored offset %d bit %d, decoded offset %d: %v", e.Offset, e.Bit, e.Decoded, e.Err)
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
