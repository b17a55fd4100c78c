package azurestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// byCode are the codes whose class does not follow from their HTTP status.
var byCode = map[bloberror.Code]error{
	bloberror.BlobArchived:                  driver.ErrArchived,  // 409
	bloberror.BlobBeingRehydrated:           driver.ErrArchived,  // 409
	bloberror.AccountBeingCreated:           driver.ErrTransient, // 409
	bloberror.SystemInUse:                   driver.ErrTransient, // 409
	bloberror.SnapshotOperationRateExceeded: driver.ErrTransient, // 409
	bloberror.ContainerBeingDeleted:         fs.ErrNotExist,      // 409
	bloberror.ContainerDisabled:             fs.ErrPermission,    // 409
	bloberror.BlobImmutableDueToPolicy:      fs.ErrPermission,    // 409
	"PublicAccessNotPermitted":              fs.ErrPermission,    // 409
	bloberror.BlobAlreadyExists:             driver.ErrConflict,  // 409
}

// classify returns err with the class that package driver demands. A condition that does
// not hold is ErrChanged.
func classify(ctx context.Context, err error) error {
	return httpstore.Classify(ctx, err, service)
}

// service returns the class of an error of the service. Their messages are left out:
// that of a refused signature holds the text that was to be signed.
func service(err error) (words string, class error) {
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		words = fmt.Sprintf("%d %s", e.StatusCode, http.StatusText(e.StatusCode))
		if e.ErrorCode != "" {
			words = fmt.Sprintf("%d %s", e.StatusCode, e.ErrorCode)
		}
		if class, ok := byCode[bloberror.Code(e.ErrorCode)]; ok {
			return words, class
		}
		if e.StatusCode == http.StatusPreconditionFailed {
			return words, driver.ErrChanged
		}
		return words, httpstore.Status(e.StatusCode)
	}
	if e, ok := errors.AsType[*azidentity.AuthenticationFailedError](err); ok {
		if e.RawResponse != nil && httpstore.Status(e.RawResponse.StatusCode) == driver.ErrTransient {
			return "no access token: " + e.RawResponse.Status, driver.ErrTransient
		}
		return "no access token", fs.ErrPermission
	}
	// What the identity library says of credentials that it does not find.
	if _, ok := errors.AsType[interface {
		error
		NonRetriable()
	}](err); ok && httpstore.Network(err) == nil {
		return "", fs.ErrPermission
	}
	return "", nil
}

// status returns the HTTP status of a service's error; 0 means that it is none.
func status(err error) int {
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return e.StatusCode
	}
	return 0
}

// codeOf returns the code of a service's error.
func codeOf(err error) bloberror.Code {
	if e, ok := errors.AsType[*azcore.ResponseError](err); ok {
		return bloberror.Code(e.ErrorCode)
	}
	return ""
}
