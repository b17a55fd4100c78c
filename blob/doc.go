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
// # Healing
//
// What fails for a moment is asked for again: a body that breaks off, stalls or is
// not the one asked for goes on at the exact byte of the same version, a listing
// behind its last key. [Retry] has the limits, a budget for each Store among them,
// and says what is never asked again; [OpenOptions].OnRetry is called for each fault. A response or a body that is far behind
// others is raced by a second request.
//
// # Errors
//
// Errors are [*Error]: operation, store, key and offset around a cause that
// [errors.Is] matches with fs.ErrNotExist, fs.ErrPermission, [ErrChanged],
// [ErrArchived], [ErrTransient], [ErrRetryBudget], [ErrConflict], [ErrUnsupported],
// io.ErrUnexpectedEOF and the context errors. Messages hold no credentials.
//
// # Concurrency
//
// A Store and a ReaderAt are safe for concurrent use; a Reader belongs to one
// goroutine.
package blob
