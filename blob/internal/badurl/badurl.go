// Package badurl is how adaptors say that the URL of a store is wrong, whatever is
// stored: a program tells that from a failure and blames its arguments.
package badurl

import (
	"fmt"
	"io/fs"
)

// Errorf is fs.ErrInvalid in words of its own. It wraps what %w does.
func Errorf(format string, args ...any) error { return &invalid{fmt.Errorf(format, args...)} }

type invalid struct{ error }

func (e *invalid) Is(target error) bool { return target == fs.ErrInvalid }

func (e *invalid) Unwrap() error { return e.error }
