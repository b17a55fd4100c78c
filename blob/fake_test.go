package blob_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"sync"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
)

// fake is a remote driver of one object whose behaviour a test chooses.
type fake struct {
	driver.Driver
	data    []byte
	version string

	// body wraps the bytes of a range; nil gives them as they are.
	body func(call int, data []byte) io.Reader
	// object changes what a response says; nil leaves it.
	object func(call int, o *driver.Object)
	// list is what List yields.
	list []string
	// retry is that of the store; nil means the defaults.
	retry *blob.Retry

	mu    sync.Mutex
	calls []call
	open  int // bodies not yet closed
}

// call is one ReadRange.
type call struct {
	offset, length int64
	version        string
}

func (f *fake) ReadRange(ctx context.Context, key string, offset, length int64, version string) (driver.Range, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return driver.Range{}, err
	}
	n := len(f.calls)
	f.calls = append(f.calls, call{offset, length, version})
	o := driver.Object{Key: key, Size: int64(len(f.data)), Version: f.version}
	if f.object != nil {
		f.object(n, &o)
	}
	data := f.data[min(offset, int64(len(f.data))):]
	if length >= 0 {
		data = data[:min(length, int64(len(data)))]
	}
	var r io.Reader = bytes.NewReader(data)
	if f.body != nil {
		r = f.body(n, data)
	}
	f.open++
	return driver.Range{Body: &fakeBody{ctx: ctx, r: r, f: f}, Offset: offset, Object: o}, nil
}

func (f *fake) List(ctx context.Context, prefix, after string) iter.Seq2[driver.Object, error] {
	return func(yield func(driver.Object, error) bool) {
		for _, key := range f.list {
			if !yield(driver.Object{Key: key}, nil) {
				return
			}
		}
	}
}

func (f *fake) store() *blob.Store { return blob.New(f, &blob.Options{Name: "fake:", Retry: f.retry}) }

// once is no retries and no hedges: each fault is the reader's.
var once = &blob.Retry{MaxAttempts: 1, NoHedge: true}

type fakeBody struct {
	ctx    context.Context
	r      io.Reader
	f      *fake
	closed bool
}

func (b *fakeBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.r.Read(p)
}

func (b *fakeBody) Close() error {
	if !b.closed {
		b.closed = true
		b.f.mu.Lock()
		b.f.open--
		b.f.mu.Unlock()
	}
	return nil
}

// pattern is n bytes in which every place is known by its value.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8)*31 ^ byte(i>>16)*97
	}
	return b
}

// sized is an object of which a listing states the size alone.
func sized(n int64) *blob.Object { return &blob.Object{Size: n} }

// pinned is an object of which the version alone is known.
func pinned(version string) *blob.Object { return &blob.Object{Version: version, Size: -1} }
