package s3store

import (
	"io"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

// Options configures [New]. Nil means the zero value.
type Options struct {
	// Encryption is how the service encrypts the objects that Put writes. Empty
	// means the bucket's default.
	Encryption types.ServerSideEncryption

	// KMSKeyID names the key for Encryption. Empty means the service's key.
	KMSKeyID string

	// RequesterPays accepts that the account of the client pays for the requests,
	// as Requester Pays buckets demand of everyone but their owner.
	RequesterPays bool

	// PageSize is how many objects a page of a listing holds at most. 0 means
	// the service's default, 1,000 on S3.
	PageSize int
}

// Driver is a bucket. Make one with [New]. It is safe for concurrent use.
type Driver struct {
	client *s3.Client
	bucket string
	opts   Options
	each   []func(*s3.Options) // changes to the client for every call
	idle   io.Closer           // its idle connections; nil for a client that New was called with

	exists atomic.Bool // the bucket has answered
	tags   httpstore.ETags
}

// New returns a Driver of the bucket that client reaches; blob.New makes a Store of it.
// It sends no request. Retries and checksums of the client are off for the Driver's
// calls. The client stays the caller's to close: closing the Driver does not touch it.
func New(client *s3.Client, bucket string, opts *Options) *Driver {
	d := &Driver{client: client, bucket: bucket, each: []func(*s3.Options){plain}}
	if opts != nil {
		d.opts = *opts
	}
	if d.opts.RequesterPays {
		d.each = append(d.each, requesterPays)
	}
	return d
}

// requesterPays sends the header that accepts the charge, with every request.
func requesterPays(o *s3.Options) {
	o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue("X-Amz-Request-Payer", "requester"))
}

// Name returns "s3://" and the bucket.
func (d *Driver) Name() string { return "s3://" + d.bucket }

// Location returns "s3://" and the bucket, whatever the endpoint.
func (d *Driver) Location() string { return "s3://" + d.bucket }

// plain leaves retries to package blob and checksums to the codecs.
func plain(o *s3.Options) {
	o.Retryer = aws.NopRetryer{}
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
}

// Traits reports that Put checks both conditions.
func (d *Driver) Traits() driver.Traits {
	return driver.Traits{PutAbsent: true, PutVersion: true}
}

// Close closes the idle connections of a Driver that blob.Open made. After New it
// does nothing.
func (d *Driver) Close() error {
	if d.idle != nil {
		return d.idle.Close()
	}
	return nil
}

// connections is a transport as a client: nothing is redirected or rewritten.
type connections struct{ *http.Transport }

// Do sends one request.
func (c connections) Do(r *http.Request) (*http.Response, error) { return c.RoundTrip(r) }

// Close closes what is idle.
func (c connections) Close() error {
	c.CloseIdleConnections()
	return nil
}
