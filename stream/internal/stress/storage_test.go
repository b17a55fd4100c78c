package stress_test

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/internal/testing/faultstore"
)

// storage is the driver under a schedule: a store of faults whose answers take
// their time and whose bodies come in pieces.
type storage struct {
	*faultstore.Store
	*schedule
	healed atomic.Bool // the store's faults are off

	mu       sync.Mutex
	lapses   map[string]*lapse
	asked    map[string]int    // restores, by key
	replaced map[string]string // versions that took another's place
	versions map[*object]string
}

// lapse is an object whose restored copy goes away.
type lapse struct {
	at       int // requests until then
	archived bool
	refused  bool
}

// thaw is how long a restore takes.
const thaw = 9 * time.Second

// newStorage stores the objects.
func newStorage(s *schedule) *storage {
	d := &storage{schedule: s, lapses: map[string]*lapse{}, asked: map[string]int{}, replaced: map[string]string{}, versions: map[*object]string{}}
	random := faultstore.Random(s.seed, s.faults)
	d.Store = faultstore.New(&faultstore.Options{Page: s.page, Thaw: thaw, Plan: func(c faultstore.Call) faultstore.Fault {
		switch {
		case !d.troubled():
			return faultstore.Fault{}
		case c.Op == faultstore.List && c.N < len(s.lists):
			return s.lists[c.N]
		}
		return random(c)
	}})
	for _, o := range s.objects {
		d.versions[o] = d.add(o)
		if o.lapses > 0 {
			d.lapses[o.key] = &lapse{at: o.lapses}
		}
		if o.refused {
			d.lapses[o.key] = &lapse{archived: true, refused: true}
		}
	}
	return d
}

// add stores an object and returns its version.
func (d *storage) add(o *object) string {
	data, _ := o.damage.apply(o.stored())
	i := faultstore.Item{Key: o.key, Content: faultstore.Bytes(data), Archived: o.archived, Denied: o.denied}
	if o.archived {
		i.StorageClass = faultstore.Glacier
	}
	return d.Add(i)
}

// heal turns the faults off: what failed can go on.
func (d *storage) heal() {
	d.healed.Store(true)
}

func (d *storage) Traits() driver.Traits {
	return driver.Traits{Local: d.local, PutAbsent: true, PutVersion: true}
}

// wait takes a time that depends on the call alone.
func (d *storage) wait(ctx context.Context, most time.Duration, key string, offset int64) error {
	if most == 0 {
		return ctx.Err()
	}
	h := uint64(offset)*0x9e3779b97f4a7c15 ^ d.seed
	for _, c := range []byte(key) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	t := time.NewTimer(time.Duration(h>>20) % most)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *storage) ReadRange(ctx context.Context, key string, offset, n int64, version string) (driver.Range, error) {
	if err := d.wait(ctx, d.pause, key, offset); err != nil {
		return driver.Range{}, err
	}
	if d.gone(key) {
		return driver.Range{}, driver.ErrArchived
	}
	r, err := d.Store.ReadRange(ctx, key, offset, n, version)
	if err == nil && d.step > 0 {
		r.Body = pieces{r.Body, d.step}
	}
	return r, err
}

// gone says that a restored copy is not there any more.
func (d *storage) gone(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lapses[key]
	if l == nil {
		return false
	}
	l.at--
	l.archived = l.archived || l.at == 0
	return l.archived
}

// Put takes its time too.
func (d *storage) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if err := d.wait(ctx, d.slow, key, size); err != nil {
		return "", err
	}
	return d.Store.Put(ctx, key, r, size, cond)
}

func (d *storage) Restore(ctx context.Context, key string, req driver.RestoreRequest) error {
	d.mu.Lock()
	d.asked[key]++
	l := d.lapses[key]
	if l != nil {
		l.archived = l.refused
	}
	d.mu.Unlock()
	switch {
	case l != nil && l.refused:
		return driver.ErrUnsupported
	case l != nil:
		return nil
	}
	return d.Store.Restore(ctx, key, req)
}

// pieces is a body that comes in pieces.
type pieces struct {
	io.ReadCloser
	step int
}

func (b pieces) Read(p []byte) (int, error) { return b.ReadCloser.Read(p[:min(len(p), b.step)]) }

// troubled says that faults strike.
func (d *storage) troubled() bool {
	return !d.healed.Load()
}

// replaceOnce puts the object's successor in its place, and returns its version.
func (d *storage) replaceOnce(o *object) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.replaced[o.key] == "" {
		next := *o.next
		next.key = o.key
		d.replaced[o.key] = d.add(&next)
	}
	return d.replaced[o.key]
}

// successor is the version that took an object's place, empty as long as none has.
func (d *storage) successor(key string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.replaced[key]
}
