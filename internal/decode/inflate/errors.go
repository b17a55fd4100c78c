package inflate

import "fmt"

// Error says where decoding failed.
type Error struct {
	Offset  int64 // whole stored bytes before the fault
	Bit     uint8 // bits of the next stored byte before the fault
	Decoded int64 // bytes decoded before the fault
	Err     error // a *fault.Error, io.ErrUnexpectedEOF or the source's error
}

func (e *Error) Error() string {
	return fmt.Sprintf("inflate: stored offset %d bit %d, decoded offset %d: %v", e.Offset, e.Bit, e.Decoded, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
