// Package gocloudstore makes a store of any bucket of gocloud.dev, for services that have
// no package here. It registers no scheme:
//
//	store := blob.New(gocloudstore.New(bucket, nil), &blob.Options{Name: "mem://logs"})
//
// # Versions
//
// The version is size and modification time: listings, look-ups and reads of gocloud.dev
// have no more in common. If one call states whole seconds and another one fractions,
// the seconds are compared. An object that is replaced within one second by one of the
// same size goes unseen; the packages for single services pin by ETag or generation
// instead.
//
// # Listing
//
// gocloud.dev cannot begin a listing after a key: what comes before is listed and left
// out. The order is checked. A fileblob bucket loses and disorders keys when it is listed
// by pages, so it is listed in one page and sorted, up to 131,072 objects; it leaves out
// directories that it cannot read. Package filestore has neither limit.
//
// # Writing
//
// The condition of absence is gocloud.dev's IfNotExist; one on a version is
// blob.ErrUnsupported. The version that a Put returns is looked up after it.
//
// # Errors
//
// The codes of gocloud.dev become the classes of package driver. Its "unknown" has no
// class, except for failures of the network below it, which are blob.ErrTransient.
//
// # Limits
//
// Keys must be UTF-8. The drivers of gocloud.dev escape some characters in keys; see
// their documentation.
package gocloudstore
