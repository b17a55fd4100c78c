package driver

import (
	"errors"
	"fmt"
	"io/fs"
)

// Causes that drivers wrap, beside fs.ErrNotExist, fs.ErrPermission, fs.ErrInvalid and the
// context errors. Package blob documents what they mean to users.
var (
	// ErrChanged is the cause when the object is not the version requested.
	ErrChanged = errors.New("object changed while it was read")

	// ErrArchived is the cause when a read needs a restore first.
	ErrArchived = errors.New("object is archived and must be restored first")

	// ErrTransient is the cause of what another request may not meet. Package
	// blob retries it.
	ErrTransient = errors.New("temporary failure")

	// ErrConflict is the cause when the condition of a Put did not hold.
	ErrConflict = errors.New("condition not met")

	// ErrUnsupported is the cause when the store cannot do what was requested.
	ErrUnsupported = errors.New("not supported by this store")

	// ErrOrder is the cause when a listing is out of order; see [OrderError].
	ErrOrder = errors.New("listing is out of order")
)

// OrderError is an [ErrOrder] with the keys: a listing named Key after After, which is
// not less.
type OrderError struct{ Key, After string }

// Error names both keys.
func (e *OrderError) Error() string {
	return fmt.Sprintf("%v: %q follows %q", ErrOrder, e.Key, e.After)
}

// Is reports whether target is [ErrOrder].
func (e *OrderError) Is(target error) bool { return target == ErrOrder }

// ErrNoHost is the cause when the name service answers that a service's host does not
// exist. It is [ErrTransient] too, since such answers come and go while names are
// changed. Package blob takes it for final until the service has answered once: the name
// is then mistyped.
var ErrNoHost error = noHost{}

type noHost struct{}

func (noHost) Error() string { return "no such host" }

func (noHost) Is(target error) bool { return target == ErrTransient }

// ErrFolder is the cause when a folder has the key and no object does, on stores that
// know folders. It is fs.ErrNotExist too.
var ErrFolder = NotExist("is a folder, not an object")

// NotExist returns an error that is fs.ErrNotExist and has the given text alone. Use it
// where the text of fs.ErrNotExist would repeat that.
func NotExist(text string) error { return &notExist{text} }

type notExist struct{ text string }

func (e *notExist) Error() string { return e.text }

func (e *notExist) Is(target error) bool { return target == fs.ErrNotExist }
