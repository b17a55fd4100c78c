package httpstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"syscall"

	"github.com/thaw-go/thaw/blob/driver"
)

// classes are the causes that package driver demands.
var classes = []error{
	fs.ErrNotExist, fs.ErrPermission, context.Canceled, context.DeadlineExceeded, driver.ErrChanged, driver.ErrArchived,
	driver.ErrTransient, driver.ErrConflict, driver.ErrUnsupported, io.ErrUnexpectedEOF, io.EOF,
}

// Known reports whether err has a class of package driver, or is an end of data.
func Known(err error) bool {
	for _, class := range classes {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// Status returns the class of an HTTP status alone; nil means none. 412
// and 409 mean different things to reads and writes and have none.
func Status(code int) error {
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return fs.ErrPermission
	case code == http.StatusNotFound, code == http.StatusGone:
		return fs.ErrNotExist
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests:
		return driver.ErrTransient
	case code == http.StatusNotImplemented:
		return driver.ErrUnsupported
	case code >= 500:
		return driver.ErrTransient
	}
	return nil
}

// Network is the class of a failure below the service's protocol: transient for
// connections and name look-ups, nil for anything else. A certificate that does
// not verify stays as it is: another attempt meets it again.
func Network(err error) error {
	if isCertificate(err) {
		return nil
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return driver.ErrNoHost
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return driver.ErrTransient
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return driver.ErrTransient
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return driver.ErrTransient
	}
	if e, ok := errors.AsType[*url.Error](err); ok && !Known(e.Err) {
		return driver.ErrTransient // no answer at all: a connection closed while idle, and its like
	}
	for _, broken := range []error{
		net.ErrClosed, io.EOF, io.ErrUnexpectedEOF,
		syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE,
	} {
		if errors.Is(err, broken) {
			return driver.ErrTransient
		}
	}
	return nil
}

// isCertificate knows what TLS refuses.
func isCertificate(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	return false
}

// Classify returns err with the class that package driver demands: that of the end of
// ctx, else the one that service returns for the service's own errors, else that of the
// network. service also returns how to put the error in words, empty for
// the error's own, and a class, nil if it knows none.
func Classify(ctx context.Context, err error, service func(error) (words string, class error)) error {
	if err == nil {
		return nil
	}
	words, class := service(err)
	if end := ctx.Err(); end != nil {
		class = end
	}
	if class == nil && words == "" {
		if class = Network(err); class == nil && Known(err) {
			return err
		}
	}
	if words == "" {
		words = plain(err)
	}
	if class == driver.ErrTransient && isEnd(err) {
		err = nil // the end of a context that is not the caller's
	}
	return &fault{class: class, words: words, err: err}
}

// isEnd knows the end of a context, that of a client's own time limit included.
func isEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// plain puts an error in words without the URL that an HTTP client quotes: its
// query may hold a signature.
func plain(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Op + ": " + e.Err.Error()
	}
	return err.Error()
}

// fault is an error with a class and another text.
type fault struct {
	class error // nil for class other
	words string
	err   error // nil when it must not be taken for the caller's
}

func (f *fault) Error() string {
	if f.class == nil || f.words == f.class.Error() {
		return f.words
	}
	return f.class.Error() + ": " + f.words
}

// Unwrap returns the class and the cause.
func (f *fault) Unwrap() []error {
	return slices.DeleteFunc([]error{f.class, f.err}, func(err error) bool { return err == nil })
}
