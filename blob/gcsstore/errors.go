package gcsstore

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/storage"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// classify returns err with the class that package driver demands. A condition that does
// not hold is ErrChanged.
func classify(ctx context.Context, err error) error {
	return httpstore.Classify(ctx, err, service)
}

// service returns the class of an error of the service.
func service(err error) (words string, class error) {
	if e, ok := errors.AsType[*googleapi.Error](err); ok {
		return wordsOf(e), classOf(e)
	}
	if errors.Is(err, storage.ErrObjectNotExist) || errors.Is(err, storage.ErrBucketNotExist) {
		return plain(err), fs.ErrNotExist
	}
	if code, text := token(err); code != 0 {
		return text, httpstore.Status(code)
	}
	if code := status(err); code != 0 {
		return "", ofStatus(code)
	}
	return "", nil
}

// plain is the text for a missing object or a missing bucket.
func plain(err error) string {
	if errors.Is(err, storage.ErrBucketNotExist) {
		return "no such bucket"
	}
	return "no such object"
}

func classOf(e *googleapi.Error) error {
	for _, item := range e.Errors {
		if item.Reason == "rateLimitExceeded" || item.Reason == "userRateLimitExceeded" {
			return driver.ErrTransient // some of these come as 403
		}
	}
	return ofStatus(e.Code)
}

func ofStatus(code int) error {
	if code == http.StatusPreconditionFailed || code == http.StatusConflict {
		return driver.ErrChanged
	}
	return httpstore.Status(code)
}

// wordsOf returns status, code and message of a response, of either API.
func wordsOf(e *googleapi.Error) string {
	words := fmt.Sprintf("%d %s", e.Code, http.StatusText(e.Code))
	message := e.Message
	if message == "" {
		var answer struct{ Code, Message string }
		if xml.Unmarshal([]byte(e.Body), &answer) == nil && answer.Code != "" {
			message = answer.Code + ": " + answer.Message
		}
	}
	if message != "" {
		words += ": " + message
	}
	if e.Code == http.StatusBadRequest && requesterPays(e) {
		words += " (user_project=ID in its URL names the project that pays)"
	}
	return words
}

// requesterPays reports whether err is the refusal of a Requester Pays bucket, of either
// API.
func requesterPays(e *googleapi.Error) bool {
	var answer struct{ Code string }
	if xml.Unmarshal([]byte(e.Body), &answer) == nil && answer.Code == "UserProjectMissing" {
		return true
	}
	return slices.ContainsFunc(e.Errors, func(item googleapi.ErrorItem) bool { return item.Reason == "required" })
}

// token reports whether err is the refusal of an access token.
func token(err error) (code int, words string) {
	var response *http.Response
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		response = e.Response
	} else if e, ok := errors.AsType[*auth.Error](err); ok {
		response = e.Response
	}
	switch {
	case response == nil:
		return 0, ""
	case response.StatusCode >= 400 && response.StatusCode < 500 && httpstore.Status(response.StatusCode) == nil:
		return http.StatusForbidden, "no access token: " + response.Status
	}
	return response.StatusCode, "no access token: " + response.Status
}

// status returns the HTTP status of a service's error, over gRPC the one that stands for
// it. 0 means that the error is not the service's.
func status(err error) int {
	if e, ok := errors.AsType[*googleapi.Error](err); ok {
		return e.Code
	}
	s, ok := grpcstatus.FromError(err)
	if !ok {
		return 0
	}
	switch s.Code() {
	case codes.NotFound:
		return http.StatusNotFound
	case codes.PermissionDenied, codes.Unauthenticated:
		return http.StatusForbidden
	case codes.FailedPrecondition, codes.AlreadyExists, codes.Aborted:
		return http.StatusPreconditionFailed
	case codes.OutOfRange:
		return http.StatusRequestedRangeNotSatisfiable
	case codes.ResourceExhausted:
		return http.StatusTooManyRequests
	case codes.Unavailable, codes.Internal:
		return http.StatusServiceUnavailable
	case codes.DeadlineExceeded:
		return http.StatusGatewayTimeout
	case codes.Unimplemented:
		return http.StatusNotImplemented
	}
	return 0
}
