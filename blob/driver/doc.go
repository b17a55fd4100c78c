// Package driver is what an object store adaptor implements. Programs that
// read objects use package blob; only adaptors and wrappers of adaptors import
// this package.
//
// # Contract
//
// A [Driver] is safe for concurrent use. Keys are the service's own, passed
// through as they are: a driver never cleans, escapes or folds them. Contexts
// bound the call and, for [Driver.ReadRange], the life of the body.
//
// # Errors
//
// A driver classifies from its service's own error and wraps one of
// [fs.ErrNotExist], [fs.ErrPermission], [ErrChanged], [ErrArchived],
// [ErrTransient], [ErrConflict], [ErrUnsupported] or a context error, so that
// [errors.Is] finds it. An error that matches none of them is final and of
// class other. Timeouts, throttling, 5xx answers and name look-ups that fail
// are ErrTransient, never fs.ErrNotExist; a name that does not exist is [ErrNoHost].
//
// Package drivertest holds the conformance suite.
package driver
