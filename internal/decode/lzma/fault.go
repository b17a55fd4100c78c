package lzma

import "fmt"

// Cause is the kind of a [Fault].
type Cause uint8

// The kinds of faults of LZMA data and its containers.
const (
	Corrupt     Cause = iota // a rule of the format is broken
	Checksum                 // a stored check or size differs from what was decoded
	Unsupported              // a feature that is not decoded here
	Window                   // a dictionary beyond the limit
)

// Fault is an error of the data, as opposed to one of its source.
type Fault struct {
	Cause           Cause
	What            string
	Needed, Allowed int64 // bytes, with Window
}

func (f *Fault) Error() string {
	if f.Cause == Window {
		return fmt.Sprintf("dictionary of %d bytes needed, %d allowed", f.Needed, f.Allowed)
	}
	return f.What
}

// Corruptf is a Fault of cause [Corrupt].
func Corruptf(format string, args ...any) error {
	return &Fault{Cause: Corrupt, What: fmt.Sprintf(format, args...)}
}
