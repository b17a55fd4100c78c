package s3store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"slices"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// byCode are the codes whose class does not follow from their HTTP status
// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
var byCode = map[string]error{
	"InvalidObjectState":         driver.ErrArchived,    // 403
	"ObjectNotInActiveTierError": driver.ErrArchived,    // 403
	"RequestTimeout":             driver.ErrTransient,   // 400
	"RequestTimeTooSkewed":       driver.ErrTransient,   // 403; the SDK has learnt the skew
	"IncompleteBody":             driver.ErrTransient,   // 400
	"SlowDown":                   driver.ErrTransient,   // 503, elsewhere 400 or 429
	"Throttling":                 driver.ErrTransient,   // 400
	"ThrottlingException":        driver.ErrTransient,   // 400
	"RequestLimitExceeded":       driver.ErrTransient,   // 400
	"BandwidthLimitExceeded":     driver.ErrTransient,   // 400
	"InternalError":              driver.ErrTransient,   // 500, or within a 200
	"OperationAborted":           driver.ErrTransient,   // 409
	"ConditionalRequestConflict": driver.ErrConflict,    // 409
	"ExpiredToken":               fs.ErrPermission,      // 400
	"InvalidToken":               fs.ErrPermission,      // 400
	"TokenRefreshRequired":       fs.ErrPermission,      // 400
	"NotImplemented":             driver.ErrUnsupported, // 501
}

// missingCodes are the codes of a 404 for an object or a bucket. The response to a HEAD
// has no code.
var missingCodes = []string{"", "NoSuchKey", "NoSuchBucket", "NoSuchVersion", "NotFound", "UnknownError"}

// classOf returns the class of an answer, nil for none.
func classOf(code string, status int) error {
	if class, ok := byCode[code]; ok {
		return class
	}
	switch status {
	case http.StatusNotFound:
		if !slices.Contains(missingCodes, code) {
			return nil // something else is missing: a user, an upload
		}
	case http.StatusPreconditionFailed:
		return driver.ErrChanged
	case http.StatusTemporaryRedirect: // a new bucket whose name is not known everywhere
		return driver.ErrTransient
	}
	return httpstore.Status(status)
}

// answer returns the code of a response, if it has one, and its status; 0 means that
// there was no response.
func answer(err error) (code string, status int) {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code = api.ErrorCode()
	}
	if res, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && res.Response != nil && res.Response.Response != nil {
		status = res.HTTPStatusCode()
	}
	return code, status
}

// classify returns err with the class that package driver demands.
func (d *Driver) classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if end := ctx.Err(); end != nil {
		return &classified{end, err}
	}
	if cred, ok := asCredentials(err); ok {
		if cred.renewal {
			return &classified{driver.ErrTransient, cred}
		}
		return &classified{fs.ErrPermission, cred}
	}
	code, status := answer(err)
	if code == "NoSuchBucket" {
		return &classified{fs.ErrNotExist, fmt.Errorf("bucket %q does not exist: %w", d.bucket, err)}
	}
	if status != 0 {
		d.exists.Store(d.exists.Load() || code == "NoSuchKey")
		if region := otherRegion(err, status); region != "" {
			return fmt.Errorf("bucket %q is in region %s: %w", d.bucket, region, err)
		}
	}
	if status == http.StatusForbidden && (code == "AccessDenied" || code == "Forbidden") && !d.opts.RequesterPays {
		err = fmt.Errorf("%w (a bucket whose requesters pay needs request_payer=requester in its URL)", err)
	}
	if class := classOf(code, status); class != nil {
		return &classified{class, err}
	}
	if isTransport(err) {
		if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
			return &classified{driver.ErrNoHost, err}
		}
		return &classified{driver.ErrTransient, err}
	}
	return err
}

// otherRegion returns the bucket's region if a response sends the client there.
func otherRegion(err error, status int) string {
	if status != http.StatusMovedPermanently && status != http.StatusBadRequest {
		return ""
	}
	res, _ := errors.AsType[*smithyhttp.ResponseError](err)
	return res.Response.Header.Get("X-Amz-Bucket-Region")
}

// isTransport reports whether err is a failure below the protocol, or a response cut
// short, which another attempt may not meet.
func isTransport(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return false
	}
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return true
	}
	_, ok := errors.AsType[*smithy.DeserializationError](err)
	return ok
}

// classified is err in a class. errors.Is finds the class alone: a time-out of the
// network says of itself that it is a context's.
type classified struct{ class, err error }

func (e *classified) Error() string {
	if e.class == e.err {
		return e.err.Error()
	}
	return e.class.Error() + ": " + e.err.Error()
}

func (e *classified) Is(target error) bool { return errors.Is(e.class, target) }

func (e *classified) As(target any) bool { return errors.As(e.err, target) }
