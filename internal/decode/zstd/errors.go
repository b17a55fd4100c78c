package zstd

import "errors"

// ErrCorrupt is the cause of an [*Error].
var ErrCorrupt = errors.New("corrupt zstd data")

// Error says what is wrong with the data.
type Error struct{ Reason string }

func (e *Error) Error() string { return ErrCorrupt.Error() + ": " + e.Reason }

func (e *Error) Unwrap() error { return ErrCorrupt }

func corrupt(reason string) error { return &Error{Reason: reason} }
