package faultstore

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
)

// Options configures a [Store]. Nil means the zero value.
type Options struct {
	// Plan chooses the faults. Nil means none.
	Plan Plan

	// Page is how many objects a page of a listing holds. 0 means 1,000, which
	// is also the most.
	Page int

	// NoPreconditions makes a service that does not look at the version a read
	// asks for: it serves what is there, and says which version that is.
	NoPreconditions bool

	// WeakETags makes a service, or a proxy before it, that states weak ETags about
	// objects, which match no condition. Listings state them without the mark.
	WeakETags bool

	// SilentListings makes a service whose listings do not tell what was restored:
	// every object that was archived is listed so.
	SilentListings bool

	// Thaw is how long a restore takes. 0 means that it is done at once.
	Thaw time.Duration
}

// Store is objects in memory, and what happened to requests for them. It is safe
// for concurrent use.
type Store struct {
	opts Options

	mu       sync.Mutex
	objects  map[string]*object
	sorted   []string // the keys in order; nil when it must be made again
	writes   int
	counts   Counts
	tries    map[try]int
	restores []Restored
}

// try is what is counted to number the tries of a call.
type try struct {
	op     Op
	key    string
	offset int64
}

// New is an empty store.
func New(opts *Options) *Store {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Page <= 0 || o.Page > mostKeys {
		o.Page = mostKeys
	}
	return &Store{opts: o, objects: map[string]*object{}, tries: map[try]int{}}
}

// mostKeys is how many objects a page of a listing holds at most.
const mostKeys = 1000

// Item is an object that [Store.Add] takes.
type Item struct {
	Key             string
	Content         Content // nil: empty
	ContentType     string
	ContentEncoding string
	StorageClass    string // empty: the service's standard
	Archived        bool   // must be restored before it can be read
	Denied          bool   // may be listed, not read or described
}

// Add writes an object without a call, in place of what has its key, and returns
// its version.
func (s *Store) Add(i Item) (version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.Content == nil {
		i.Content = Bytes(nil)
	}
	return s.write(i)
}

// Replace puts another object of the same size in place of the one with the key,
// as a [Replace] fault does, and returns its version.
func (s *Store) Replace(key string) (version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[key]
	if o == nil {
		return ""
	}
	i := o.item
	i.Content = flipped{i.Content}
	return s.write(i)
}

// write needs the mutex.
func (s *Store) write(i Item) string {
	if s.objects[i.Key] == nil {
		s.sorted = nil
	}
	s.writes++
	o := &object{item: i, version: fmt.Sprintf("%032x", s.writes), modTime: time.Now().UTC().Truncate(time.Second)}
	s.objects[i.Key] = o
	return o.version
}

// get finds an object.
func (s *Store) get(key string) (*object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[key]
	switch {
	case o == nil:
		return nil, fs.ErrNotExist
	case o.item.Denied:
		return nil, fs.ErrPermission
	}
	return o, nil
}

// call numbers and counts a call, and asks the plan.
func (s *Store) call(c Call) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := try{c.Op, c.Key, c.Offset}
	c.N, c.Try = s.counts.Calls[c.Op], s.tries[t]
	s.counts.Calls[c.Op]++
	s.tries[t]++
	if s.opts.Plan == nil {
		return Fault{}
	}
	f := s.opts.Plan(c)
	if !f.Kind.of(c.Op) {
		return Fault{}
	}
	if f.Kind != None {
		s.counts.Faults[f.Kind]++
	}
	return f
}

// page returns up to n objects whose keys begin with prefix and are greater than after,
// and whether more follow.
func (s *Store) page(prefix, after string, n int) (objects []driver.Object, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sorted == nil {
		s.sorted = slices.Sorted(maps.Keys(s.objects))
	}
	i, found := slices.BinarySearch(s.sorted, max(prefix, after))
	if found && after != "" && s.sorted[i] == after {
		i++
	}
	for _, key := range s.sorted[i:] {
		if !strings.HasPrefix(key, prefix) {
			break
		}
		if len(objects) == n {
			return objects, true
		}
		obj := s.objects[key].listed(time.Now())
		if s.opts.SilentListings && s.objects[key].item.Archived && obj.StorageClass != IntelligentTiering {
			obj.Archive, obj.RestoredUntil = driver.ArchiveArchived, time.Time{}
		}
		objects = append(objects, obj)
	}
	return objects, false
}

// put writes an object if cond holds.
func (s *Store) put(i Item, cond driver.Condition) (version string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.objects[i.Key]
	switch {
	case cond.Absent && old != nil:
		return "", fmt.Errorf("object exists: %w", driver.ErrConflict)
	case cond.Version != "" && old == nil:
		return "", fmt.Errorf("no object: %w", driver.ErrConflict)
	case cond.Version != "" && old.version != cond.Version:
		return "", fmt.Errorf("version is %s: %w", old.version, driver.ErrConflict)
	}
	return s.write(i), nil
}

// remove deletes an object, if it has the version or that is empty.
func (s *Store) remove(key, version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch o := s.objects[key]; {
	case o == nil:
		return fs.ErrNotExist
	case version != "" && version != o.version:
		return fmt.Errorf("version is %s: %w", o.version, driver.ErrChanged)
	}
	delete(s.objects, key)
	s.sorted = nil
	return nil
}

// wait passes the time of a slow answer or a stalled body; closed ends it too.
func wait(ctx context.Context, d time.Duration, closed <-chan struct{}) error {
	var elapsed <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		elapsed = t.C
	}
	select {
	case <-elapsed:
		return nil
	case <-closed:
		return fs.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}
