package blob

import "github.com/thaw-go/thaw/blob/driver"

// OpenOptions configures [Open]. Nil means the zero value.
type OpenOptions struct {
	// Retry says how faults heal, those of the opening included. Nil means the
	// defaults.
	Retry *Retry

	// OnRetry is called before each retry, those of the opening included. Several
	// goroutines may call it at once, and it delays the retry. Nil means that
	// nobody is told.
	OnRetry func(Retrying)

	// Wrap returns what takes the driver's place: a simulated link, a counter,
	// faults. Nil means the driver itself.
	Wrap func(driver.Driver) driver.Driver
}

// SourceOptions configures [OpenSource]. Nil means the zero value.
type SourceOptions struct {
	Open OpenOptions // of the Source's Store
	List ListOptions // which of the objects of a folder or a bucket
}
