package blob

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/thaw-go/thaw/blob/driver"
)

// Object describes one stored object at one version.
type Object = driver.Object

// ArchiveState is the state of an object in an archive tier.
type ArchiveState = driver.ArchiveState

// The states of [ArchiveState].
const (
	ArchiveOnline    = driver.ArchiveOnline    // reads at once
	ArchiveArchived  = driver.ArchiveArchived  // must be restored before it can be read
	ArchiveRestoring = driver.ArchiveRestoring // a restore is under way
	ArchiveRestored  = driver.ArchiveRestored  // a restored copy is readable for a time
)

// RestoreRequest asks for a readable copy of an archived object.
type RestoreRequest = driver.RestoreRequest

// Traits are facts about a store that change how it is best used.
type Traits = driver.Traits

// Condition is what must hold for a Put. The zero value always holds.
type Condition = driver.Condition

// Store is one bucket, container, folder or map of objects. It is safe for
// concurrent use. Close it when its last Reader is closed.
type Store struct {
	drv    driver.Driver
	name   string
	place  string // Options.Location
	prefix string
	traits driver.Traits

	secrets secrets // what no message may hold

	onRetry func(Retrying)
	retry   retry
	retries *allowance // requests asked again
	hedges  *allowance // second requests
	pace    pace

	service *service
}

// service is what is known of the service by its answers. The Stores of one opening
// share it.
type service struct {
	heard   atomic.Bool  // it has answered
	slowest atomic.Int64 // twice the longest wait for an answer, in nanoseconds
}

// Options configures [New]. Nil means the zero value.
type Options struct {
	// Name is how errors and manifests name the store. It must hold no
	// credentials. Empty means "store".
	Name string

	// Location is how record ids name the bucket, container or folder, whatever
	// way leads to it and whatever Prefix is: two Stores with one Location have
	// the same objects under the same keys. It must hold no credentials. Empty
	// means Name.
	Location string

	// Prefix is what every key of this Store begins with in the driver. Keys
	// that the Store takes and gives are without it. Empty means none.
	Prefix string

	// Retry says how faults heal. Nil means the defaults.
	Retry *Retry

	// OnRetry is called before each retry. Several goroutines may call it at once,
	// and it delays the retry. Nil means that nobody is told.
	OnRetry func(Retrying)
}

// New makes a Store of a driver. Closing the Store closes the driver if it is
// an [io.Closer].
func New(d driver.Driver, opts *Options) *Store {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Name == "" {
		o.Name = "store"
	}
	s := &Store{drv: d, name: o.Name, place: strings.TrimSuffix(cmp.Or(o.Location, o.Name), "/"), prefix: o.Prefix, service: &service{}}
	if t, ok := d.(driver.Describer); ok {
		s.traits = t.Traits()
	}
	s.onRetry = o.OnRetry
	s.setRetry(o.Retry)
	return s
}

// Name is the store's URL or given name, without credentials.
func (s *Store) Name() string { return s.name }

// ObjectName is the name of an object for good: the Store's location and the key in
// it, as in "s3://bucket/folder/a.gz", with every byte as it is. Unlike Name it does
// not depend on how the Store was opened: its prefix, the parameters of its URL and
// the endpoint are no part of it. Record ids are made of it.
func (s *Store) ObjectName(key string) string { return s.place + "/" + s.prefix + key }

// Traits tells how the store is best used.
func (s *Store) Traits() driver.Traits { return s.traits }

// Close frees what the driver holds.
func (s *Store) Close() error {
	if c, ok := s.drv.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// named refuses the empty key, which services take for the bucket, for a mistake or
// for an object that is not there.
func (s *Store) named(key string) error {
	if s.prefix+key == "" {
		return fmt.Errorf("an empty key names no object: %w", fs.ErrInvalid)
	}
	return nil
}

// Stat describes one object. A missing object is fs.ErrNotExist; so is a folder,
// where the store has folders. The empty key is fs.ErrInvalid on every store and for
// every call.
func (s *Store) Stat(ctx context.Context, key string) (Object, error) {
	if err := s.named(key); err != nil {
		return Object{}, s.wrap(ctx, "stat", key, -1, err)
	}
	obj, err := try(ctx, s, "stat", key, func(ctx context.Context) (Object, error) {
		return s.drv.Stat(ctx, s.prefix+key)
	})
	if err != nil {
		return Object{}, s.wrap(ctx, "stat", key, -1, err)
	}
	obj.Key = key
	return obj, nil
}

// Delete removes one object. A missing object is fs.ErrNotExist, where the
// service tells. Stores that cannot delete give [ErrUnsupported].
func (s *Store) Delete(ctx context.Context, key string) error {
	d, ok := s.drv.(driver.Deleter)
	if !ok {
		return s.wrap(ctx, "delete", key, -1, ErrUnsupported)
	}
	if err := s.named(key); err != nil {
		return s.wrap(ctx, "delete", key, -1, err)
	}
	return s.wrap(ctx, "delete", key, -1, d.Delete(ctx, s.prefix+key))
}

// Restore asks for a readable copy of an archived object. It returns when the
// service has taken the request, not when the copy is there; Stat tells of that.
// An object that is online, restored or on its way is no error. Stores without
// archive tiers give [ErrUnsupported].
func (s *Store) Restore(ctx context.Context, key string, req driver.RestoreRequest) error {
	d, ok := s.drv.(driver.Restorer)
	if !ok {
		return s.wrap(ctx, "restore", key, -1, ErrUnsupported)
	}
	if err := s.named(key); err != nil {
		return s.wrap(ctx, "restore", key, -1, err)
	}
	_, err := try(ctx, s, "restore", key, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, d.Restore(ctx, s.prefix+key, req)
	})
	return s.wrap(ctx, "restore", key, -1, err)
}

// CheckRestore reports a request that Restore would refuse whatever the object, such as
// an unknown tier: fs.ErrInvalid. It asks nothing of the service, and is nil where the
// driver cannot tell.
func (s *Store) CheckRestore(req driver.RestoreRequest) error {
	if d, ok := s.drv.(driver.RestoreChecker); ok {
		return s.wrap(context.Background(), "restore", "", -1, d.CheckRestore(req))
	}
	return nil
}
