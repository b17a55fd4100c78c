package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/blob/memstore"
)

// shrinking loses the last byte of what is written.
type shrinking struct{ *memstore.Driver }

func (d shrinking) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	return d.Driver.Put(ctx, key, bytes.NewReader(data[:len(data)-1]), size-1, cond)
}

// A copy is of one version, whole, and another object's.
func TestCopy(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	data := bytes.Repeat([]byte("0123456789abcdef"), 300<<10) // more than two ranges
	from := blob.New(memstore.New(), &blob.Options{Name: "mem://from"})
	put := func(data []byte) blob.Object {
		version, err := from.Put(ctx, "k", bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			t.Fatal(err)
		}
		return blob.Object{Key: "k", Size: int64(len(data)), Version: version}
	}
	old := put([]byte("old"))
	obj := put(data)
	files, err := filestore.New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	mem := blob.New(memstore.New(), &blob.Options{Name: "mem://to"})
	for _, tt := range []struct {
		reason string
		obj    blob.Object
		to     *blob.Store
		key    string
		err    error
	}{
		{"to another store", obj, mem, "a/b", nil},
		{"to files", obj, blob.New(files, nil), "a/b", nil},
		{"within the store", obj, from, "a/b", nil},
		{"what is there is replaced", obj, mem, "a/b", nil},
		{"of what is there now", blob.Object{Key: "k", Size: -1}, mem, "c", nil},
		{"to itself", obj, from, "k", fs.ErrInvalid},
		{"another version", old, mem, "d", blob.ErrChanged},
		{"another size", blob.Object{Key: "k", Size: 3, Version: obj.Version}, mem, "d", blob.ErrChanged},
		{"no object", blob.Object{Key: "none", Size: -1}, mem, "d", fs.ErrNotExist},
		{"a copy that is shorter", obj, blob.New(shrinking{memstore.New()}, nil), "d", io.ErrUnexpectedEOF},
	} {
		made, err := from.Copy(ctx, tt.obj, tt.to, tt.key)
		var at *blob.Error
		if !errors.Is(err, tt.err) || tt.err != nil && !errors.As(err, &at) {
			t.Errorf("%s: got %v, want %v", tt.reason, err, tt.err)
		}
		if tt.err != nil {
			continue
		}
		r, err := tt.to.NewReader(ctx, tt.key, &blob.ReaderOptions{Object: &made})
		if err != nil {
			t.Fatalf("%s: %v", tt.reason, err)
		}
		got, err := io.ReadAll(r)
		r.Close()
		if err != nil || !bytes.Equal(got, data) || made.Key != tt.key {
			t.Errorf("%s: got %d bytes, %v, under %q, want %d", tt.reason, len(got), err, made.Key, len(data))
		}
	}
	if _, err := mem.Stat(ctx, "d"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after copies that failed: got %v, want no object", err)
	}
}

// A file that is written to while it is copied makes no copy.
func TestCopyOfChangingFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "k")
	if err := os.WriteFile(path, []byte("before"), 0o666); err != nil {
		t.Fatal(err)
	}
	files, err := filestore.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	from := blob.New(files, nil)
	obj, err := from.Stat(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	to := blob.New(&meddling{Driver: memstore.New(), meddle: func() { os.WriteFile(path, []byte("after, and longer"), 0o666) }}, nil)
	if _, err := from.Copy(t.Context(), obj, to, "k"); !errors.Is(err, blob.ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
	if _, err := to.Stat(t.Context(), "k"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no copy", err)
	}
}

// meddling calls meddle before it writes.
type meddling struct {
	*memstore.Driver
	meddle func()
}

func (d *meddling) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	d.meddle()
	return d.Driver.Put(ctx, key, r, size, cond)
}

// gated counts the Puts under way, each of which waits.
type gated struct {
	*memstore.Driver
	now, most atomic.Int64
}

func (d *gated) Put(ctx context.Context, key string, r io.Reader, size int64, cond driver.Condition) (string, error) {
	n := d.now.Add(1)
	defer d.now.Add(-1)
	for most := d.most.Load(); n > most && !d.most.CompareAndSwap(most, n); most = d.most.Load() {
	}
	time.Sleep(time.Second)
	return d.Driver.Put(ctx, key, r, size, cond)
}

// Two large objects are copied through the program into one Store at once, and any number
// of small ones. One that waits ends with its context.
func TestCopySlots(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		size int
		most int64
	}{{257 << 10, 2}, {256 << 10, 8}} { // the one with a context, too
		synctest.Test(t, func(t *testing.T) {
			from := blob.New(memstore.New(), &blob.Options{Name: "mem://from"})
			d := &gated{Driver: memstore.New()}
			to := blob.New(d, &blob.Options{Name: "mem://to"})
			data := make([]byte, tt.size)
			if _, err := from.Put(t.Context(), "k", bytes.NewReader(data), int64(len(data)), nil); err != nil {
				t.Fatal(err)
			}
			obj := blob.Object{Key: "k", Size: int64(tt.size)}
			var all sync.WaitGroup
			for i := range 7 {
				all.Go(func() {
					if _, err := from.Copy(t.Context(), obj, to, string(rune('a'+i))); err != nil {
						t.Errorf("got %v", err)
					}
				})
			}
			time.Sleep(time.Millisecond)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			_, err := from.Copy(ctx, obj, to, "z")
			if waits := errors.Is(err, context.DeadlineExceeded); !waits {
				t.Errorf("%d bytes: got %v, want the end of the context", tt.size, err)
			}
			all.Wait()
			if got := d.most.Load(); got != tt.most {
				t.Errorf("%d bytes: got %d copies at once, want %d", tt.size, got, tt.most)
			}
		})
	}
}
