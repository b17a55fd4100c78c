package stream

import "context"

// Checkpoint keeps the manifest of a job, and lets one run at a time save it.
// [FileCheckpoint] and [BlobCheckpoint] are built in. Any store that replaces a value
// atomically can be another; package streamtest checks custom ones. A Checkpoint with
// a String method is named by it in errors about its manifest.
//
// A job calls Load once, then Save any number of times, then Close, one call at a
// time. A Checkpoint may serve one job after another.
type Checkpoint interface {
	// Load takes ownership and returns the manifest that was saved last, byte for
	// byte; nil or white space is none. The result is the job's.
	//
	// Where another run owns the manifest, Load either takes over, so that the next
	// Save of the other run is [ErrOwner], or fails with ErrOwner. It also fails with
	// ErrOwner while another job uses this Checkpoint.
	Load(ctx context.Context) ([]byte, error)

	// Save replaces the manifest atomically and durably: when it fails, or the
	// process dies, what is there is the one before or the new one. It does not
	// keep manifest. The error is [ErrOwner] where another run has taken over, and
	// nothing was written then. After another error Save may be called again; the
	// job does so at its end where [ClassOf] the error is [ClassTransient].
	Save(ctx context.Context, manifest []byte) error

	// Close gives ownership up. It is called once for each Load, also one that
	// failed.
	Close() error
}
