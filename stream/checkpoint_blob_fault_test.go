package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/stream"
)

// hooked is a driver whose calls go through a hook. It hides what the traits
// given do not tell.
type hooked struct {
	driver.Driver
	traits driver.Traits
	hook   func(ctx context.Context, call func() error) error // nil: the call alone
	put    func(call func() error) error                      // likewise, of Put
}

func (h *hooked) Traits() driver.Traits { return h.traits }

func (h *hooked) do(ctx context.Context, call func() error) error {
	if h.hook == nil {
		return call()
	}
	return h.hook(ctx, call)
}

// List is as a folder of files may give it: each object is looked at when its
// turn comes, and those created meanwhile are missing.
func (h *hooked) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		var keys []string
		if err := h.do(ctx, func() error {
			for obj, err := range h.Driver.List(ctx, prefix, after) {
				if err != nil {
					return err
				}
				keys = append(keys, obj.Key)
			}
			return nil
		}); err != nil {
			yield(driver.Object{}, err)
			return
		}
		for _, key := range keys {
			obj, err := h.Stat(ctx, key)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if !yield(obj, err) || err != nil {
				return
			}
		}
	}
}

func (h *hooked) Stat(ctx context.Context, key string) (obj driver.Object, err error) {
	err = h.do(ctx, func() (err error) {
		obj, err = h.Driver.Stat(ctx, key)
		return err
	})
	return obj, err
}

func (h *hooked) ReadRange(ctx context.Context, key string, offset, length int64, version string) (r driver.Range, err error) {
	err = h.do(ctx, func() (err error) {
		r, err = h.Driver.ReadRange(ctx, key, offset, length, version)
		return err
	})
	return r, err
}

func (h *hooked) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (version string, err error) {
	if cond.Version != "" && !h.traits.PutVersion || cond.Absent && !h.traits.PutAbsent {
		return "", driver.ErrUnsupported
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	call := func() (err error) {
		version, err = h.Driver.Put(ctx, key, bytes.NewReader(data), size, cond)
		return err
	}
	err = h.do(ctx, func() error {
		if h.put != nil {
			return h.put(call)
		}
		return call()
	})
	return version, err
}

func (h *hooked) Delete(ctx context.Context, key, version string) error {
	return h.do(ctx, func() error { return h.Driver.(driver.Deleter).Delete(ctx, key, version) })
}

// keeping is a driver that cannot delete.
type keeping struct{ driver.Driver }

func (k keeping) Traits() driver.Traits { return driver.Traits{Local: true, PutAbsent: true} }

// tagged is a driver whose versions are made of the content alone, as ETags are.
type tagged struct{ *hooked }

func (d tagged) tag(key string) string {
	r, err := d.Driver.ReadRange(context.Background(), key, 0, -1, "")
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	data, _ := io.ReadAll(r.Body)
	return fmt.Sprintf("%q", data)
}

func (d tagged) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	r, err := d.Driver.ReadRange(ctx, key, offset, length, "")
	r.Object.Version = d.tag(key)
	return r, err
}

func (d tagged) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	if cond.Version != "" && cond.Version != d.tag(key) {
		return "", driver.ErrConflict
	}
	cond.Version = ""
	if _, err := d.Driver.Put(ctx, key, r, size, cond); err != nil {
		return "", err
	}
	return d.tag(key), nil
}

var (
	versions = driver.Traits{Local: true, PutAbsent: true, PutVersion: true}
	absence  = driver.Traits{Local: true, PutAbsent: true}
)

// TestBlobCheckpointShort cuts the answer to Load short.
func TestBlobCheckpointShort(t *testing.T) {
	t.Parallel()
	mem := memstore.New()
	store := blob.New(mem, nil)
	c := stream.BlobCheckpoint(store, "m")
	mustLoad(t, c)
	mustSave(t, c, 1)
	mustClose(t, c)
	c = stream.BlobCheckpoint(blob.New(cutShort{mem}, nil), "m")
	if _, err := c.Load(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want io.ErrUnexpectedEOF", err)
	}
	mustClose(t, c)
}

type cutShort struct{ *memstore.Driver }

func (d cutShort) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	r, err := d.Driver.ReadRange(ctx, key, offset, length, version)
	if err == nil {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(r.Body, r.Object.Size/2), r.Body}
	}
	return r, err
}

// faults are what can happen to one call.
var faults = []struct {
	name string
	do   func(call func() error) error
}{
	{"not sent", func(call func() error) error { return driver.ErrTransient }},
	{"answer lost", func(call func() error) error { call(); return driver.ErrTransient }},
	{"answer lost, call repeated", func(call func() error) error { call(); return call() }},
	{"conflict without a cause", func(call func() error) error { return driver.ErrConflict }},
}

// TestBlobCheckpointFaults lets every call of a run fail once in every way. The
// run goes on and is never told that it has lost ownership.
func TestBlobCheckpointFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, traits := range []driver.Traits{versions, absence} {
			for _, fault := range faults {
				for at := 0; ; at++ {
					name := fmt.Sprintf("%+v, %s, call %d", traits, fault.name, at)
					calls := 0
					mem := memstore.New()
					d := &hooked{Driver: mem, traits: traits}
					store := blob.New(d, once)
					first := stream.BlobCheckpoint(store, "m")
					mustLoad(t, first)
					mustSave(t, first, 1)
					mustClose(t, first)
					d.hook = func(_ context.Context, call func() error) error {
						if calls++; calls-1 == at {
							return fault.do(call)
						}
						return call()
					}
					c := stream.BlobCheckpoint(store, "m")
					n := retry(t, name, func() error {
						data, err := c.Load(t.Context())
						if err != nil {
							mustClose(t, c)
						} else if got := ordinalOf(t, data); got != 1 {
							t.Errorf("%s: loaded %d, want 1", name, got)
						}
						return err
					})
					for save := 2; save < 6; save++ {
						// A failed save is followed by one of other content.
						n += retry(t, name, func() error {
							n++
							return c.Save(t.Context(), manifestOf(save, strings.Repeat("x", n)))
						})
					}
					mustClose(t, c)
					d.hook = nil
					if got := mustLoad(t, c); got != 5 {
						t.Errorf("%s: loaded %d, want 5", name, got)
					}
					mustSave(t, c, 6)
					mustClose(t, c)
					if keys := keysOf(t, store); len(keys) > 3 {
						t.Errorf("%s: %q are left, want number 0 and the last two", name, keys)
					}
					if calls <= at {
						break
					}
				}
			}
		}
	})
}

// retry calls f until it succeeds.
func retry(t *testing.T, name string, f func() error) (failed int) {
	t.Helper()
	for ; ; failed++ {
		err := f()
		if err == nil {
			return failed
		}
		if errors.Is(err, stream.ErrOwner) || failed > 3 {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// TestBlobCheckpointLoadHeals lets the write by which Load takes over fail as often
// as a Store repeats other requests, and once more.
func TestBlobCheckpointLoadHeals(t *testing.T) {
	t.Parallel()
	for _, traits := range []driver.Traits{versions, absence} {
		for _, fault := range faults[:2] {
			for _, fails := range []int{1, 5, 6} {
				inTime(t, fmt.Sprintf("%+v, %s, %d times", traits, fault.name, fails), func(t *testing.T) {
					mem := memstore.New()
					first := stream.BlobCheckpoint(blob.New(&hooked{Driver: mem, traits: traits}, nil), "m")
					mustLoad(t, first)
					mustSave(t, first, 1)
					mustClose(t, first)
					d := &hooked{Driver: mem, traits: traits}
					puts, began := 0, time.Now()
					d.put = func(call func() error) error {
						if puts++; puts <= fails {
							return fault.do(call)
						}
						return call()
					}
					c := stream.BlobCheckpoint(blob.New(d, nil), "m")
					defer c.Close()
					data, err := c.Load(t.Context())
					if fails == 6 {
						if !errors.Is(err, blob.ErrTransient) || puts != 6 {
							t.Errorf("got %v after %d writes, want ErrTransient after 6", err, puts)
						}
						return
					}
					if err != nil || ordinalOf(t, data) != 1 {
						t.Fatalf("got %q, %v", data, err)
					}
					if took := time.Since(began); took > 40*time.Second {
						t.Errorf("it took %v", took)
					}
					mustSave(t, c, 2)
				})
			}
		}
	}
}

// TestBlobCheckpointKilled ends a run at every call, before and after it took
// effect. Another goes on, and the first, should it be alive after all, ends.
func TestBlobCheckpointKilled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, traits := range []driver.Traits{versions, absence} {
			for _, fault := range faults[:2] {
				for at, reached := 0, true; reached; at++ {
					name := fmt.Sprintf("%+v, %s, call %d", traits, fault.name, at)
					mem := memstore.New()
					d := &hooked{Driver: mem, traits: traits}
					calls := 0
					reached = false
					d.hook = func(_ context.Context, call func() error) error {
						calls++
						switch {
						case calls-1 == at:
							reached = true
							return fault.do(call)
						case calls-1 > at:
							return driver.ErrTransient
						}
						return call()
					}
					killed := stream.BlobCheckpoint(blob.New(d, once), "m")
					saved, tried := 0, 0
					_, err := killed.Load(t.Context())
					owned := err == nil
					for n := 1; n < 5 && err == nil; n++ {
						tried = n
						if err = killed.Save(t.Context(), manifestOf(n, "")); err == nil {
							saved = n
						}
					}
					next := stream.BlobCheckpoint(blob.New(&hooked{Driver: mem, traits: traits}, nil), "m")
					if got := mustLoad(t, next); got != saved && got != tried {
						t.Errorf("%s: loaded %d, want %d or %d", name, got, saved, tried)
					}
					mustSave(t, next, 10)
					d.hook = nil
					if owned {
						if err := killed.Save(t.Context(), manifestOf(99, "")); !errors.Is(err, stream.ErrOwner) {
							t.Errorf("%s: Save of the killed run: got %v, want ErrOwner", name, err)
						}
					}
					mustSave(t, next, 11)
					mustClose(t, next)
					if got := mustLoad(t, next); got != 11 {
						t.Errorf("%s: loaded %d, want 11", name, got)
					}
					mustClose(t, next)
					mustClose(t, killed)
				}
			}
		}
	})
}

// TestBlobCheckpointDeletion lets the deletion of an older run's last object fail
// for long. What lies above it must stay as well: were it deleted, the older run
// could create it anew.
func TestBlobCheckpointDeletion(t *testing.T) {
	t.Parallel()
	mem := memstore.New()
	older := stream.BlobCheckpoint(blob.New(&hooked{Driver: mem, traits: absence}, nil), "m")
	newer := stream.BlobCheckpoint(blob.New(undeletable{&hooked{Driver: mem, traits: absence}, "m.000000003"}, nil), "m")
	mustLoad(t, older)
	mustSave(t, older, 1)
	mustSave(t, older, 2) // m.000000003
	mustLoad(t, newer)
	for n := range 5 {
		mustSave(t, newer, n+10)
	}
	if err := older.Save(t.Context(), manifestOf(3, "")); !errors.Is(err, stream.ErrOwner) {
		t.Errorf("Save of the older run: got %v, want ErrOwner", err)
	}
	mustClose(t, older)
	if got := mustLoad(t, older); got != 14 {
		t.Errorf("loaded %d, want 14", got)
	}
	want := []string{"m.000000000", "m.000000009", "m.000000010"}
	if keys := keysOf(t, blob.New(mem, nil)); !slices.Equal(keys, want) {
		t.Errorf("objects %q, want %q: the next run deletes what was left", keys, want)
	}
	mustClose(t, older)
	mustClose(t, newer)
}

// undeletable is a driver that cannot delete one object for the time being.
type undeletable struct {
	*hooked
	key string
}

func (d undeletable) Delete(ctx context.Context, key, version string) error {
	if key == d.key {
		return driver.ErrTransient
	}
	return d.hooked.Delete(ctx, key, version)
}

// TestBlobCheckpointStray puts an object where the older run has its last one,
// as a run older still may that is killed in the middle of a save.
func TestBlobCheckpointStray(t *testing.T) {
	t.Parallel()
	store := blob.New(&hooked{Driver: memstore.New(), traits: absence}, nil)
	older, newer := stream.BlobCheckpoint(store, "m"), stream.BlobCheckpoint(store, "m")
	mustLoad(t, older)
	mustSave(t, older, 1) // m.000000002
	mustLoad(t, newer)
	mustSave(t, newer, 2)
	mustSave(t, newer, 3)
	putText(t, store, "m.000000002", string(manifestOf(1, "")))
	if err := older.Save(t.Context(), manifestOf(4, "")); !errors.Is(err, stream.ErrOwner) {
		t.Errorf("Save of the older run: got %v, want ErrOwner", err)
	}
	mustSave(t, newer, 5)
	mustClose(t, newer)
	if got := mustLoad(t, newer); got != 5 {
		t.Errorf("loaded %d, want 5", got)
	}
	mustClose(t, newer)
	mustClose(t, older)
}

// once is a store that tries everything once: its faults are those of the test.
var once = &blob.Options{Retry: &blob.Retry{MaxAttempts: 1}}
