// Package driver is what the adaptor of an object store implements. Programs that read
// objects use package blob; only adaptors, and wrappers of drivers, import this package.
//
// # Contract
//
// A [Driver] is safe for concurrent use. Keys are the service's own and pass through as
// they are: a driver never cleans, escapes or folds them. A context bounds the call and,
// for [Driver.ReadRange], the life of the body. A driver sends each request once: package
// blob retries. Bodies are as stored: nothing may decompress them on the way.
//
// What not every store can do is an optional interface: [Describer], [Namer],
// [FolderLister], [Deleter], [Copier], [Tagger], [Restorer], [RestoreChecker], and
// [io.Closer].
//
// # Registration
//
// A package that implements a Driver exports New, which takes the service's client and
// returns the Driver, and registers the scheme of its URLs by [Register]. Closing a
// Driver leaves a client that New was called with open, and closes one that its [Opener]
// made. A wrapper of a Driver closes it.
//
// # Errors
//
// A driver judges its service's errors and wraps one of [fs.ErrNotExist],
// [fs.ErrPermission], [fs.ErrInvalid], [ErrChanged], [ErrArchived], [ErrTransient],
// [ErrConflict], [ErrUnsupported] or a context error, so that [errors.Is] finds it. An
// error that matches none of them is final. Time-outs, throttling, 5xx responses and
// name look-ups that fail are ErrTransient, never fs.ErrNotExist; a host name that does
// not exist is [ErrNoHost].
//
// Package drivertest has the conformance suite.
package driver
