// Package fault is the error that the decoders return for data that is at fault, as
// opposed to the source it comes from. Data that ends too early is
// io.ErrUnexpectedEOF in all of them.
package fault

import "fmt"

// Kind sorts faults by what the caller can do about them. It is the error that an
// [*Error] wraps: errors.Is(err, fault.Checksum).
type Kind uint8

const (
	Corrupt     Kind = iota // a rule of the format is broken
	Checksum                // a stored check or size differs from what was decoded
	Unsupported             // a variant of the format that is not decoded here
	Window                  // a window or dictionary beyond the limit, in bytes
	Tables                  // more entries of tables than the data may have
)

var kinds = [...]string{
	Corrupt: "corrupt data", Checksum: "checksum mismatch", Unsupported: "not supported", Window: "window", Tables: "table entries",
}

// Error implements error.
func (k Kind) Error() string { return kinds[k] }

// Error says what is wrong with the data.
type Error struct {
	Kind            Kind
	What            string // the rule that is broken; empty for Window and Tables
	Needed, Allowed int64  // for Window and Tables
}

func (e *Error) Error() string {
	if e.What == "" {
		return fmt.Sprintf("%s: %d needed, %d allowed", kinds[e.Kind], e.Needed, e.Allowed)
	}
	return fmt.Sprintf("%s: %s", kinds[e.Kind], e.What)
}

func (e *Error) Unwrap() error { return e.Kind }

// Corruptf returns an [*Error] of kind [Corrupt].
func Corruptf(format string, args ...any) error { return newf(Corrupt, format, args) }

// Checksumf returns an [*Error] of kind [Checksum].
func Checksumf(format string, args ...any) error { return newf(Checksum, format, args) }

// Unsupportedf returns an [*Error] of kind [Unsupported].
func Unsupportedf(format string, args ...any) error { return newf(Unsupported, format, args) }

func newf(kind Kind, format string, args []any) error {
	return &Error{Kind: kind, What: fmt.Sprintf(format, args...)}
}
