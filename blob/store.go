package blob

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/thaw-go/thaw/blob/driver"
)

// Store is one bucket, container, folder or map of objects. Make one with [Open] or
// [New]. It is safe for concurrent use. Close it after its last Reader.
type Store struct {
	drv    driver.Driver
	name   string
	place  string // Options.Location
	prefix string
	traits Traits

	secrets secrets // what no message may hold

	onRetry     func(Retrying)
	policy      retryPolicy
	retryBudget *tokenBucket // requests asked again
	hedgeBudget *tokenBucket // second requests
	latency     latencyStats
	copies      chan struct{} // slots of copies into the Store

	service *service
}

// service is what answers have shown about the service. The Stores of one opening
// share it.
type service struct {
	heard   atomic.Bool  // it has answered
	slowest atomic.Int64 // twice the longest wait for an answer, in nanoseconds
	ranges  atomic.Int64 // how many ranges at once the last large object needed; 0: none was read
}

// Traits are facts about a store that change how it is best used.
type Traits struct {
	// Local reports that a read costs about as much as a copy of memory, as
	// with files. A Reader then sends one request, reads nothing ahead and sends
	// no hedges, and more readers at once than there are cores do not help.
	Local bool

	// Mutable reports that objects can be written to in place, as files can: an
	// open Reader may return bytes of two versions. See [Reader.Changed].
	Mutable bool

	// PutAbsent and PutVersion report which conditions of [PutOptions] the store
	// checks in one step with the write. Put refuses the others with
	// [ErrUnsupported].
	PutAbsent, PutVersion bool

	// DeleteVersion reports that a Delete of a version checks it in one step with
	// the deletion; see [DeleteOptions].
	DeleteVersion bool
}

// Options configures [New]. Nil means the zero value.
type Options struct {
	// Name is how errors and manifests name the store. It must hold no
	// credentials. Empty means the driver's own, such as "s3://bucket", or
	// "store" if it has none.
	Name string

	// Location is how record ids name the bucket, container or folder. It does
	// not depend on how the store is reached, nor on Prefix: two Stores with one
	// Location have the same objects under the same keys. It must hold no
	// credentials. Empty means the driver's own, or Name if it has none.
	Location string

	// Prefix begins every key of this Store in the driver. Keys that the Store
	// takes and returns are without it. Empty means none.
	Prefix string

	// Retry says which faults are retried, and when. Nil means the defaults.
	Retry *Retry

	// OnRetry is called after a fault and before the wait for the next attempt.
	// Several goroutines may call it at once, and the retry waits for it. Nil
	// means no call.
	OnRetry func(Retrying)
}

// New returns a Store over a driver, as the New functions of the adaptors make it.
// It sends no request. Closing the Store closes the driver if that is an
// [io.Closer].
func New(d driver.Driver, opts *Options) *Store {
	var o Options
	if opts != nil {
		o = *opts
	}
	if n, ok := d.(driver.Namer); ok {
		o.Name, o.Location = cmp.Or(o.Name, n.Name()), cmp.Or(o.Location, n.Location())
	}
	o.Name = cmp.Or(o.Name, "store")
	s := &Store{drv: d, name: o.Name, place: strings.TrimSuffix(cmp.Or(o.Location, o.Name), "/"), prefix: o.Prefix, service: &service{}, copies: make(chan struct{}, copySlots)}
	if t, ok := d.(driver.Describer); ok {
		s.traits = Traits(t.Traits())
	}
	s.onRetry = o.OnRetry
	s.setPolicy(o.Retry)
	return s
}

// Name returns the store's URL or the name in [Options], without credentials.
func (s *Store) Name() string { return s.name }

// ObjectName returns the permanent name of an object: the Store's location, a slash
// and the key, as in "s3://bucket/folder/a.gz", with every byte as it is. Unlike Name
// it does not depend on how the Store was opened: the folder or prefix that it was
// narrowed to counts as part of the key, and parameters and endpoint are omitted.
// Record ids are made of it.
func (s *Store) ObjectName(key string) string { return s.place + "/" + s.prefix + key }

// Traits returns facts about the store.
func (s *Store) Traits() Traits { return s.traits }

// Close frees what the driver holds, such as idle connections. A client that was
// passed to an adaptor's New function stays open.
func (s *Store) Close() error {
	if c, ok := s.drv.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// named refuses the empty key, which services take for the bucket, for a mistake or
// for an object that does not exist.
func (s *Store) named(key string) error {
	if s.prefix+key == "" {
		return fmt.Errorf("an empty key names no object: %w", fs.ErrInvalid)
	}
	return nil
}
