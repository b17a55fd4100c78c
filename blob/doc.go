// Package blob reads and lists objects in stores: buckets, containers, folders, maps in
// memory. It opens stores by URL, lists the objects that a program reads, and returns the
// stored bytes of one version of one object. Package stream reads many objects as one
// job.
//
// # Stores
//
// A [Store] is opened by its URL with [Open]. The package that knows the scheme must be
// imported for it; [github.com/thaw-go/thaw/blob/allstores] imports all of them:
//
//	import _ "github.com/thaw-go/thaw/blob/filestore"
//
//	store, err := blob.Open(ctx, "file:///var/log/", nil)
//
// The package of a scheme is the adaptor of a service: its Driver is what a Store sends
// requests by. A program that has a client for its store passes it to the New function of
// the adaptor, and [New] makes a Store of the Driver. [OpenSource] opens what a command
// line names: an object, a folder or a glob.
//
// # Reads
//
// A [Reader] returns the bytes as they are stored: nothing decompresses them on the
// way. All of them are of one version; if the object is replaced meanwhile the error is
// [ErrChanged], never a mix. Read returns [io.EOF] only after as many bytes as the
// object has. A Reader of a remote store requests ranges side by side, ahead of its
// consumer, within [ReaderOptions].ReadAhead and Budget.
//
// # Sources
//
// A [Source] is a named sequence of objects in a stable order: a listing, a shard of
// one, a list of keys. It can resume after a [Mark].
//
// # Retries
//
// What fails for a moment is requested again, within the limits of [Retry] and a budget
// for each Store: a read resumes at the exact byte and on the same version, a listing
// after its last key. If a request takes much longer than those before it, a second,
// identical one is sent, a hedge, and the faster answer is used. [OpenOptions].OnRetry
// reports each retry.
//
// # Errors
//
// Errors are [*Error]: operation, store, key and offset around a cause. Match the cause
// by [errors.Is] with fs.ErrNotExist, fs.ErrPermission, fs.ErrInvalid, [ErrChanged],
// [ErrArchived], [ErrTransient], [ErrRetryBudget], [ErrConflict], [ErrUnsupported],
// [ErrOrder], io.ErrUnexpectedEOF and the context errors. Messages hold no credentials.
//
// # Concurrency
//
// A Store and a ReaderAt are safe for concurrent use. A Reader belongs to one
// goroutine.
package blob
