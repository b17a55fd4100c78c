// Package gocloudstore makes a store of any gocloud.dev bucket.
//
//	store := blob.New(gocloudstore.New(bucket, nil), &blob.Options{Name: "s3://logs"})
//
// # Versions
//
// What gocloud.dev tells portably in listings, look-ups and reads alike is size
// and modification time, so these are the version. Where one call gives whole
// seconds and another one fractions, the seconds are compared. An object that is
// replaced within one second by one of the same size goes unseen; adaptors for
// single services pin by ETag or generation instead.
//
// # Listing
//
// gocloud.dev cannot begin a listing behind a key: what comes before is listed and
// left out. The order is checked. A fileblob bucket loses and disorders keys when
// it is listed by pages, so it is listed in one page and sorted, up to 131,072
// objects; it leaves out directories that it cannot read. Package filestore has
// neither limit.
//
// # Writing
//
// The condition Absent is gocloud.dev's IfNotExist; a version condition is
// blob.ErrUnsupported. The version that a Put returns is looked up after it.
//
// # Errors
//
// gocloud.dev's codes become the classes of package driver. Its "unknown" stays
// of class other; failures of the network below it are blob.ErrTransient.
//
// # Limits
//
// Keys must be UTF-8. The drivers of gocloud.dev escape some characters in keys;
// see their documentation.
package gocloudstore
