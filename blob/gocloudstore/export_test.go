package gocloudstore

import (
	gocloud "gocloud.dev/blob"

	"github.com/thaw-go/thaw/blob/driver"
)

// WithPageSize is New with pages of another size, for every kind of bucket.
func WithPageSize(bucket *gocloud.Bucket, n int) driver.Driver {
	d := New(bucket, nil)
	d.pageSize = n
	return d
}
