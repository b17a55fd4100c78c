// Package memstore keeps objects in memory, for tests, examples and small results:
// nothing bounds it. Importing it registers the scheme mem. Each time "mem:" is opened it
// is a new, empty store:
//
//	store, err := blob.Open(ctx, "mem:", nil)
//	store := blob.New(memstore.New(), nil) // the same
//
// # Versions
//
// The version is the number of the write, so that the same steps make the same versions.
// Put checks both conditions.
//
// # Listing
//
// A listing is of the keys at its start: it does not see later ones, and leaves out those
// that were deleted meanwhile.
//
// # Errors
//
// A missing object is fs.ErrNotExist, an empty key fs.ErrInvalid.
package memstore
