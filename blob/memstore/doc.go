// Package memstore keeps objects in memory. It registers the scheme "mem" for
// package blob: "mem:" is a new, empty store each time it is opened.
//
// It is made for tests, examples and small results: everything is held, nothing
// is bounded. Versions count the writes of the store, so that the same steps give
// the same versions.
//
// # Errors
//
// A missing object is fs.ErrNotExist. Conditions of both kinds are honoured
// atomically.
//
// # Concurrency
//
// A [Driver] is safe for concurrent use. A listing is of the keys at its start:
// later ones are not seen, deleted ones are left out.
package memstore
