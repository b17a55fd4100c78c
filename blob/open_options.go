package blob

import "github.com/thaw-go/thaw/blob/driver"

// OpenOptions configures [Open]. Nil means the zero value.
type OpenOptions struct {
	// Retry configures retries, those of the opening included. Nil means the
	// defaults.
	Retry *Retry

	// OnRetry is called after a fault that will be retried and before the wait
	// for the retry, those of the opening included. It is not called for a fault
	// that is returned. Several goroutines may call it at once, and the retry
	// waits for it. Nil means no call.
	OnRetry func(Retrying)

	// Wrap is called once, with the driver that was opened, and returns the one
	// to use instead: a simulated link, a counter, faults. Closing the Store
	// closes the returned one. Nil means the driver as it is.
	Wrap func(driver.Driver) driver.Driver
}

// SourceOptions configures [OpenSource]. Nil means the zero value.
type SourceOptions struct {
	// Open configures the Source's Store.
	Open OpenOptions

	// List narrows the listing of a folder or a bucket, relative to the folder.
	// Its Glob must be empty if the URL holds a glob. One object takes no part of
	// it; Exclude does not concern an object that was named.
	List ListOptions
}
