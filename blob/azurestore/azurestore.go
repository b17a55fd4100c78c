package azurestore

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// Options configures [New]. Nil means the zero value.
type Options struct {
	// PageSize is how many objects a page of a listing holds at most. 0 means
	// 5,000, the most that the service returns.
	PageSize int
}

// pageSize is the largest page of the service.
const pageSize = 5000

// Driver is a container. Make one with [New]. It is safe for concurrent use.
type Driver struct {
	container *container.Client
	account   string // as a URL named it; empty: the client's address does
	pageSize  int
	transport *http.Transport // nil when it belongs to the caller
	tags      httpstore.ETags
}

// New returns a Driver of the container that client reaches; blob.New makes a Store of
// it. It sends no request. The client stays the caller's to close: closing the Driver
// does not touch it. Its retries are off for the Driver's calls.
func New(client *container.Client, opts *Options) *Driver {
	d := &Driver{container: client, pageSize: pageSize}
	if opts != nil && opts.PageSize > 0 {
		d.pageSize = min(opts.PageSize, pageSize)
	}
	return d
}

// Name returns "azblob://" and the container.
func (d *Driver) Name() string {
	_, container := d.names()
	return "azblob://" + container
}

// Location returns "azblob://", the account and the container: containers are named
// within their account.
func (d *Driver) Location() string {
	account, container := d.names()
	return "azblob://" + account + "/" + container
}

// Traits reports that Put checks both conditions.
func (d *Driver) Traits() driver.Traits {
	return driver.Traits{PutAbsent: true, PutVersion: true, DeleteVersion: true}
}

// Close closes the idle connections of a Driver that blob.Open made. After New it
// does nothing.
func (d *Driver) Close() error {
	if d.transport != nil {
		d.transport.CloseIdleConnections()
	}
	return nil
}

// once is ctx for a call that the client library does not repeat.
func once(ctx context.Context) context.Context {
	return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1})
}

// Stat describes one object.
func (d *Driver) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return driver.Object{}, err
	}
	if err := missing(key); err != nil {
		return driver.Object{}, err
	}
	var res *http.Response
	p, err := d.container.NewBlobClient(key).GetProperties(policy.WithCaptureResponse(once(ctx), &res), nil)
	if err != nil {
		return driver.Object{}, classify(ctx, err)
	}
	if isDirectory(res.Header.Get("x-ms-resource-type"), p.Metadata, value(p.ContentLength)) {
		return driver.Object{}, driver.ErrFolder
	}
	return driver.Object{
		Key:             key,
		Size:            value(p.ContentLength),
		Version:         d.version(p.ETag),
		ModTime:         value(p.LastModified),
		ContentType:     value(p.ContentType),
		ContentEncoding: value(p.ContentEncoding),
		StorageClass:    value(p.AccessTier),
		Archive:         archive(value(p.AccessTier), value(p.ArchiveStatus)),
	}, nil
}

// Delete deletes one object, or only the given version of it. The service refuses one
// that has snapshots.
func (d *Driver) Delete(ctx context.Context, key, version string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := missing(key); err != nil {
		return err
	}
	_, err := d.container.NewBlobClient(key).Delete(once(ctx), &blob.DeleteOptions{AccessConditions: d.ifMatch(version)})
	return classify(ctx, err)
}

// version returns the version of a response's ETag.
func (d *Driver) version(tag *azcore.ETag) string { return d.tags.Version(string(value(tag))) }

// ifMatch returns the condition that an object has a version; nil for none.
func (d *Driver) ifMatch(version string) *blob.AccessConditions {
	tag := azcore.ETag(d.tags.Match(version))
	if tag == "" {
		return nil
	}
	return &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: &tag}}
}

// value returns what p points to, or the zero value.
func value[T string | int64 | azcore.ETag | time.Time](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

var (
	_ driver.Driver    = (*Driver)(nil)
	_ driver.Describer = (*Driver)(nil)
	_ driver.Deleter   = (*Driver)(nil)
	_ driver.Restorer  = (*Driver)(nil)
)
