package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
)

// Causes that an [*Error] may wrap, beside fs.ErrNotExist, fs.ErrPermission,
// io.ErrUnexpectedEOF and the context errors.
var (
	ErrChanged     = driver.ErrChanged     // another version than the one asked for
	ErrArchived    = driver.ErrArchived    // in an archive tier, not restored
	ErrTransient   = driver.ErrTransient   // throttled, timed out, 5xx, connection lost
	ErrConflict    = driver.ErrConflict    // a Put's condition did not hold
	ErrUnsupported = driver.ErrUnsupported // the store cannot do this

	// ErrOrder says that a listing was not in ascending order of keys, or named
	// one twice: the Key of the [*Error]. There may be gaps in what it listed
	// before, so no listing goes on from there.
	ErrOrder = driver.ErrOrder
)

// Error says what failed on which object.
type Error struct {
	Op     string // "open", "list", "stat", "read", "put", "delete", "restore"
	Store  string // name of the store, without credentials
	Key    string // empty for errors of the whole store
	Offset int64  // stored offset of a read; 0 for its start, -1 where it has no meaning
	Err    error  // the cause, never nil
}

// Error returns operation, store, key and an offset above 0, then the cause.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "blob: %s %s", e.Op, e.Store)
	if e.Key != "" {
		fmt.Fprintf(&b, " %q", e.Key)
	}
	if e.Offset > 0 {
		fmt.Fprintf(&b, " at offset %d", e.Offset)
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrap makes an *Error of err. What is one already stays as it is. A driver's
// error after the end of ctx becomes the context's.
func (s *Store) wrap(ctx context.Context, op, key string, offset int64, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if end := ctx.Err(); end != nil && !errors.Is(err, end) {
		err = fmt.Errorf("%w (%v)", end, err)
	}
	return &Error{Op: op, Store: s.name, Key: key, Offset: offset, Err: s.secrets.scrub(err)}
}
