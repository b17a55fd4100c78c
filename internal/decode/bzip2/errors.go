package bzip2

import "fmt"

// CorruptError says what in the stream contradicts the format.
type CorruptError string

func (e CorruptError) Error() string { return string(e) }

// ChecksumError says that decoded data is not what was encoded.
type ChecksumError struct {
	What      string // "block" or "stream"
	Got, Want uint32
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("CRC-32 of the %s is %08x, stored is %08x", e.What, e.Got, e.Want)
}
