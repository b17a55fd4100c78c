package gocloudstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"

	"gocloud.dev/gcerrors"

	"github.com/thaw-go/thaw/blob/driver"
)

// classes are the causes that an error may have already.
var classes = []error{
	fs.ErrNotExist, fs.ErrPermission, context.Canceled, context.DeadlineExceeded,
	driver.ErrChanged, driver.ErrArchived, driver.ErrTransient, driver.ErrConflict, driver.ErrUnsupported,
}

// classify returns err with the class that package driver demands. The network comes
// first: some drivers call a name that does not resolve "not found".
func classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if end := ctx.Err(); end != nil {
		return as(end, err)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return as(driver.ErrNoHost, err)
	}
	if isNetwork(err) {
		return as(driver.ErrTransient, err)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return as(fs.ErrNotExist, err) // fileblob: a file in the place of a folder
	}
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		return as(fs.ErrNotExist, err)
	case gcerrors.PermissionDenied:
		return as(fs.ErrPermission, err)
	case gcerrors.ResourceExhausted, gcerrors.DeadlineExceeded:
		// The caller's deadline is looked at above: this one is the service's.
		return as(driver.ErrTransient, err)
	case gcerrors.Unimplemented:
		return as(driver.ErrUnsupported, err)
	}
	return err
}

// as makes errors.Is find a class in err.
func as(class, err error) error {
	if errors.Is(err, class) {
		return err
	}
	return fmt.Errorf("%w: %w", class, err)
}

// isConflict reports whether a conditional write failed by its condition.
func isConflict(err error) bool {
	code := gcerrors.Code(err)
	return code == gcerrors.FailedPrecondition || code == gcerrors.AlreadyExists
}

// isNetwork reports whether err is a failure below the service's protocol, name look-ups
// included.
func isNetwork(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return true
	}
	// Numbers of the system are net.Errors too, those of files included.
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EPIPE)
}
