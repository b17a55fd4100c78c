package driver

import (
	"errors"
	"fmt"
	"io/fs"
)

// Errors that drivers wrap, beside fs.ErrNotExist, fs.ErrPermission and the
// context errors.
var (
	ErrChanged     = errors.New("object changed while it was read")
	ErrArchived    = errors.New("object is archived and must be restored first")
	ErrTransient   = errors.New("temporary failure")
	ErrConflict    = errors.New("condition not met")
	ErrUnsupported = errors.New("not supported by this store")
	ErrOrder       = errors.New("listing is out of order")
)

// OrderError is [ErrOrder] with the keys: a listing named Key after After, which is
// not less.
type OrderError struct{ Key, After string }

// Error gives both keys.
func (e *OrderError) Error() string {
	return fmt.Sprintf("%v: %q follows %q", ErrOrder, e.Key, e.After)
}

// Is makes the error ErrOrder.
func (e *OrderError) Is(target error) bool { return target == ErrOrder }

// ErrNoHost says that the name of a service's host does not exist, by an answer of the
// name service. It is [ErrTransient] too: such answers come and go while names are
// changed. Where nothing was ever reached it is final, since a name is mistyped then.
var ErrNoHost error = noHost{}

type noHost struct{}

func (noHost) Error() string { return "no such host" }

func (noHost) Is(target error) bool { return target == ErrTransient }

// ErrFolder says that a folder has the key and no object does, for stores that know
// folders. It is fs.ErrNotExist too.
var ErrFolder = fmt.Errorf("is a folder, not an object: %w", fs.ErrNotExist)
