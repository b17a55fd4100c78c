package memstore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
)

func init() { driver.Register("mem", openURL) }

// openURL opens "mem:" and "mem://". The store begins empty, so that there is
// nothing for the URL to choose.
func openURL(_ context.Context, u *url.URL) (*driver.Opened, error) {
	if u.Opaque != "" || u.Host != "" || u.User != nil || u.RawQuery != "" {
		return nil, badurl.Errorf("the mem store takes a path at most: mem: or mem:///folder/")
	}
	return &driver.Opened{Driver: New(), URL: &url.URL{Scheme: "mem"}, Key: strings.TrimPrefix(u.Path, "/")}, nil
}

// Driver is a map of objects. Make one with [New]. It is safe for concurrent use.
type Driver struct {
	mu      sync.RWMutex
	objects map[string]object
	sorted  []string // the keys in order; nil when it must be made again
	writes  uint64   // counts versions
}

// object is one version; its data is never written to.
type object struct {
	data []byte
	meta driver.Object
	tags map[string]string // never written to
}

// New returns an empty Driver; blob.New makes a Store of it. There is nothing to
// configure. Several Stores over one Driver have the same objects.
func New() *Driver { return &Driver{objects: map[string]object{}} }

// Name returns "mem:".
func (d *Driver) Name() string { return "mem:" }

// Location returns nothing: all memstores have the same name. Set blob.Options.Location, or
// Name, where the record ids of two must differ.
func (d *Driver) Location() string { return "" }

// Traits reports that reads are local and that Put checks both conditions.
func (d *Driver) Traits() driver.Traits {
	return driver.Traits{Local: true, PutAbsent: true, PutVersion: true, DeleteVersion: true}
}

// List yields the objects that existed when it began.
func (d *Driver) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		keys := d.keys()
		i, _ := slices.BinarySearch(keys, max(prefix, after))
		for _, key := range keys[i:] {
			if !strings.HasPrefix(key, prefix) {
				return
			}
			if err := ctx.Err(); err != nil {
				yield(driver.Object{}, err)
				return
			}
			if key <= after && after != "" {
				continue
			}
			obj, err := d.lookup(key)
			if err == nil && !yield(obj.meta, nil) {
				return
			}
		}
	}
}

// keys returns the sorted keys, which nobody changes afterwards.
func (d *Driver) keys() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sorted == nil {
		d.sorted = slices.Sorted(maps.Keys(d.objects))
	}
	return d.sorted
}

func (d *Driver) lookup(key string) (object, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	obj, ok := d.objects[key]
	if !ok {
		return object{}, fs.ErrNotExist
	}
	return obj, nil
}

// Stat describes one object.
func (d *Driver) Stat(ctx context.Context, key string) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return driver.Object{}, err
	}
	obj, err := d.lookup(key)
	return obj.meta, err
}

// ReadRange opens a part of an object. The body is of the version at the time of the
// call, whatever is written later.
func (d *Driver) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	obj, err := d.lookup(key)
	if err != nil {
		return driver.Range{}, err
	}
	if version != "" && version != obj.meta.Version {
		return driver.Range{}, fmt.Errorf("version is %s: %w", obj.meta.Version, driver.ErrChanged)
	}
	data := obj.data[min(offset, obj.meta.Size):]
	if length >= 0 {
		data = data[:min(length, int64(len(data)))]
	}
	return driver.Range{Body: &body{ctx: ctx, r: bytes.NewReader(data)}, Offset: offset, Object: obj.meta}, nil
}

// Put writes one object.
func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if key == "" {
		return "", fmt.Errorf("empty key: %w", fs.ErrInvalid)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	if int64(len(data)) != size {
		return "", fmt.Errorf("%d bytes instead of %d", len(data), size)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	old, exists := d.objects[key]
	switch {
	case cond.Absent && exists:
		return "", fmt.Errorf("object exists: %w", driver.ErrConflict)
	case cond.Version != "" && !exists:
		return "", fmt.Errorf("no object: %w", driver.ErrConflict)
	case cond.Version != "" && old.meta.Version != cond.Version:
		return "", fmt.Errorf("version is %s: %w", old.meta.Version, driver.ErrConflict)
	}
	if !exists {
		d.sorted = nil
	}
	d.writes++
	version := strconv.FormatUint(d.writes, 10)
	d.objects[key] = object{data: data, meta: driver.Object{
		Key: key, Size: size, Version: version, ModTime: time.Now(),
	}}
	return version, nil
}

// Delete removes one object.
func (d *Driver) Delete(ctx context.Context, key, version string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch obj, ok := d.objects[key]; {
	case !ok:
		return fs.ErrNotExist
	case version != "" && version != obj.meta.Version:
		return fmt.Errorf("version is %s: %w", obj.meta.Version, driver.ErrChanged)
	}
	delete(d.objects, key)
	d.sorted = nil
	return nil
}

// Copy copies one object, with all that is stored about it.
func (d *Driver) Copy(ctx context.Context, from driver.Object, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if key == "" {
		return fmt.Errorf("empty key: %w", fs.ErrInvalid)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	obj, ok := d.objects[from.Key]
	switch {
	case !ok:
		return fs.ErrNotExist
	case from.Version != "" && from.Version != obj.meta.Version:
		return fmt.Errorf("version is %s: %w", obj.meta.Version, driver.ErrChanged)
	}
	if _, exists := d.objects[key]; !exists {
		d.sorted = nil
	}
	d.writes++
	obj.meta.Key, obj.meta.Version, obj.meta.ModTime = key, strconv.FormatUint(d.writes, 10), time.Now()
	d.objects[key] = obj
	return nil
}

// body ends with its context.
type body struct {
	ctx context.Context
	r   *bytes.Reader
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.r.Read(p)
}

func (b *body) Close() error { return nil }
