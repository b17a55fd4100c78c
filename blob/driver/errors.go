package driver

import "errors"

// Errors that drivers wrap, beside fs.ErrNotExist, fs.ErrPermission and the
// context errors.
var (
	ErrChanged     = errors.New("object changed while it was read")
	ErrArchived    = errors.New("object is archived and must be restored first")
	ErrTransient   = errors.New("temporary failure")
	ErrConflict    = errors.New("condition not met")
	ErrUnsupported = errors.New("not supported by this store")
)
