package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/thaw-go/thaw/blob/driver"
)

// Causes that an [*Error] may wrap. Others are fs.ErrNotExist, fs.ErrPermission,
// fs.ErrInvalid, io.ErrUnexpectedEOF and the context errors.
var (
	// ErrChanged is the cause when an object is not, or no longer, the version
	// that was requested or read so far.
	ErrChanged = driver.ErrChanged

	// ErrArchived is the cause when an object is in an archive tier and must be
	// restored before it can be read. See [Store.Restore].
	ErrArchived = driver.ErrArchived

	// ErrTransient is the cause when a request may succeed later: it was
	// throttled, it timed out, the service answered with 5xx, or the connection
	// failed. It is returned after the retries of [Retry].
	ErrTransient = driver.ErrTransient

	// ErrConflict is the cause when a condition of [PutOptions] did not hold.
	// Nothing was written.
	ErrConflict = driver.ErrConflict

	// ErrUnsupported is the cause when the store cannot do what was requested,
	// and when no imported package has registered a URL's scheme.
	ErrUnsupported = driver.ErrUnsupported

	// ErrOrder is the cause when a listing was not in ascending order of keys or
	// named a key twice. The Key of the [*Error] is the one that came too late.
	// Objects may be missing from what was listed before: do not resume from that
	// key, but list again from the start. A store that goes on listing out of order
	// can be read by its keys ([Keys]).
	ErrOrder = driver.ErrOrder
)

// Error is the error of every operation on a Store. It names the operation and the
// object, once; the cause repeats neither.
type Error struct {
	// Op is the operation: "open", "list", "stat", "read", "put", "copy",
	// "tag", "delete" or "restore".
	Op string

	// Store is the name of the Store, or what was to be opened, without
	// credentials.
	Store string

	// Key is the object's key. It is empty for errors of the whole store.
	Key string

	// Offset is the stored offset at which a read failed: all bytes before it
	// were returned. It is 0 where none were, and for other operations.
	Offset int64

	// Err is the cause. It is never nil.
	Err error
}

// Error returns operation, store, key, an offset above 0, and the cause, as one line.
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

// wrap returns err as an *Error; nil stays nil, and an *Error as it is. An error of a
// driver after the end of ctx becomes the context's.
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
