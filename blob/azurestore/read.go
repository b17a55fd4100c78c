package azurestore

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// asStored keeps Go's transport from asking for compression, and from undoing that
// of an object: it does so for every request without a Range header, and the client
// library writes x-ms-range.
var asStored = http.Header{"Accept-Encoding": {"identity"}}

// ReadRange opens a part of an object, as stored. The ETag wanted is a precondition
// of the request, and is compared with the one that the response carries.
func (d *Driver) ReadRange(ctx context.Context, key string, offset, length int64, want string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	if err := missing(key); err != nil {
		return driver.Range{}, err
	}
	var res *http.Response
	call := policy.WithCaptureResponse(policy.WithHTTPHeader(once(ctx), asStored.Clone()), &res)
	got, err := d.container.NewBlobClient(key).DownloadStream(call, &blob.DownloadStreamOptions{
		Range:            blob.HTTPRange{Offset: offset, Count: max(0, length)},
		AccessConditions: d.ifMatch(want),
	})
	if err != nil && d.mayBeWeak(want, err) {
		if _, err := d.Stat(ctx, key); err != nil {
			return driver.Range{}, err
		}
		if d.tags.Weak() {
			return d.ReadRange(ctx, key, offset, length, want)
		}
	}
	if err != nil {
		if status(err) == http.StatusRequestedRangeNotSatisfiable {
			return d.refusedRange(ctx, key, offset, want)
		}
		return driver.Range{}, classify(ctx, err)
	}
	if res.StatusCode == http.StatusPartialContent && res.ContentLength == 0 {
		res.Body.Close() // an emulator's response to a range after the end
		return d.refusedRange(ctx, key, offset, want)
	}
	if isDirectory(res.Header.Get("x-ms-resource-type"), got.Metadata, res.ContentLength) {
		res.Body.Close()
		return driver.Range{}, driver.ErrFolder
	}
	due, size, err := check(res, d.version(got.ETag), offset, length, want)
	if err != nil {
		res.Body.Close()
		return driver.Range{}, err
	}
	return driver.Range{
		Body:   httpstore.NewBody(ctx, got.Body, due, func(err error) error { return classify(ctx, err) }),
		Offset: offset,
		Object: driver.Object{
			Key:             key,
			Size:            size,
			Version:         d.version(got.ETag),
			ModTime:         value(got.LastModified),
			ContentType:     value(got.ContentType),
			ContentEncoding: value(got.ContentEncoding),
		},
	}, nil
}

// check compares a response with the version and the range requested. It returns the
// bytes due and the size of the whole object.
func check(res *http.Response, got string, offset, length int64, want string) (due, size int64, err error) {
	if res.Uncompressed {
		return 0, 0, fmt.Errorf("the object is decompressed on the way: %w", driver.ErrUnsupported)
	}
	if err := httpstore.SameVersion(want, got); err != nil {
		return 0, 0, err
	}
	part := httpstore.Served{Count: res.ContentLength, Size: res.ContentLength}
	if res.StatusCode == http.StatusPartialContent {
		if part, err = httpstore.ContentRange(res.Header.Get("Content-Range")); err != nil {
			return 0, 0, err
		}
	}
	if part.Size < 0 {
		return 0, 0, fmt.Errorf("response states no size: %w", driver.ErrTransient)
	}
	due, err = part.Due(offset, length)
	return due, part.Size, err
}

// mayBeWeak reports whether a condition may have been refused since the service's
// ETags are weak: none was seen yet.
func (d *Driver) mayBeWeak(want string, err error) bool {
	return status(err) == http.StatusPreconditionFailed && want != "" && d.tags.Unknown()
}

// refusedRange answers a range that the service has refused.
func (d *Driver) refusedRange(ctx context.Context, key string, offset int64, want string) (driver.Range, error) {
	obj, err := d.Stat(ctx, key)
	if err != nil {
		return driver.Range{}, err
	}
	return httpstore.Refused(ctx, obj, offset, want)
}
