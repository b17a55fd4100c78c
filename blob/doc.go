// Package blob opens stores of objects by URL, names sources of objects and
// reads the stored bytes of one version of one object.
//
// A [Store] is a bucket, a container, a folder or a map in memory. Adaptors
// register a URL scheme when they are imported:
//
//	import _ "github.com/thaw-go/thaw/blob/filestore"
//
// The bytes of a [Reader] are the stored ones: no layer below decompresses. A
// read is of one version; a replaced object is [ErrChanged], never a mix. A
// Reader reports [io.EOF] only after as many bytes as the object has.
//
// # Errors
//
// Errors are [*Error]: operation, store, key and offset around a cause that
// [errors.Is] matches with fs.ErrNotExist, fs.ErrPermission, [ErrChanged],
// [ErrArchived], [ErrTransient], [ErrConflict], [ErrUnsupported],
// io.ErrUnexpectedEOF and the context errors. Messages hold no credentials.
//
// # Concurrency
//
// A Store is safe for concurrent use; a Reader belongs to one goroutine.
package blob
