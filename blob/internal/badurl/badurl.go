// Package badurl holds what every opener of a store's URL needs to refuse one: the
// form of a scheme, and errors that are fs.ErrInvalid, so that a program blames its
// arguments and not the store.
package badurl

import (
	"fmt"
	"io/fs"
)

// Errorf formats an error as fmt.Errorf does. The error is fs.ErrInvalid and wraps
// what %w does.
func Errorf(format string, args ...any) error { return &invalid{fmt.Errorf(format, args...)} }

type invalid struct{ error }

func (e *invalid) Is(target error) bool { return target == fs.ErrInvalid }

func (e *invalid) Unwrap() error { return e.error }

// IsScheme reports whether s has the form of a URL scheme (RFC 3986, section 3.1).
// One letter is a drive, not a scheme.
func IsScheme(s string) bool {
	if len(s) < 2 {
		return false
	}
	for i, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return true
}
