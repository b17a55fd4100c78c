package stream

import "context"

// Checkpoint keeps the manifest of one job. A job calls one method at a time.
// [FileCheckpoint] and [BlobCheckpoint] are built in; any store that replaces a
// value atomically can be another. Where it has a String method, errors of its
// manifest are named by that.
type Checkpoint interface {
	// Load takes ownership and returns the manifest saved last, nil if there is
	// none. Where the store can tell that another run is at work, and cannot
	// take over from it, the error is [ErrOwner].
	Load(ctx context.Context) ([]byte, error)

	// Save replaces the manifest atomically and durably. [ErrOwner] says that
	// another run has taken over; nothing was written.
	Save(ctx context.Context, manifest []byte) error

	// Close gives ownership up. It is called once, also after a failed Load.
	Close() error
}
