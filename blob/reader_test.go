package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/memstore"
)

// remote hides the traits of a driver, so that it is read like a remote one.
type remote struct{ driver.Driver }

// put writes one object or ends the test.
func put(t *testing.T, s *blob.Store, key string, data []byte) string {
	t.Helper()
	v, err := s.Put(t.Context(), key, bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReaderIsAReader(t *testing.T) {
	t.Parallel()
	data := pattern(1000)
	mem := memstore.New()
	local := blob.New(mem, nil)
	put(t, local, "k", data)
	for _, c := range []struct {
		name  string
		store *blob.Store
		opts  *blob.ReaderOptions
	}{
		{"local", local, nil},
		{"remote", blob.New(remote{mem}, nil), nil},
		{"remote in ranges", blob.New(remote{mem}, nil), &blob.ReaderOptions{RangeSize: 77}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := c.store.NewReader(t.Context(), "k", c.opts)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := iotest.TestReader(r, data); err != nil {
				t.Error(err)
			}
		})
	}
}

// Whatever the body's chunks, the caller's buffers, the ranges, the read-ahead
// and the budget are, the bytes are those of the object.
func TestReadAheadProperty(t *testing.T) {
	t.Parallel()
	wraps := map[string]func(io.Reader) io.Reader{
		"plain":    func(r io.Reader) io.Reader { return r },
		"one byte": iotest.OneByteReader,
		"half":     iotest.HalfReader,
		"data+err": iotest.DataErrReader,
		"empty reads": func(r io.Reader) io.Reader {
			return &emptyReads{r: r}
		},
	}
	for name, wrap := range wraps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range 12 {
				size := rnd.IntN(600 << 10)
				if name == "one byte" {
					size /= 20
				}
				f := &fake{data: pattern(size), version: "v"}
				f.body = func(_ int, data []byte) io.Reader { return wrap(bytes.NewReader(data)) }
				budget := &budget{left: int64(rnd.IntN(3)) * 128 << 10}
				offset := rnd.IntN(size + 1)
				opts := &blob.ReaderOptions{
					Offset:    int64(offset),
					RangeSize: 1 + int64(rnd.IntN(size/2+2)),
					ReadAhead: 1 + int64(rnd.IntN(1<<20)),
					Budget:    budget,
				}
				if opts.RangeSize < int64(size)/50 {
					opts.RangeSize = int64(size) / 50
				}
				got := readAll(t, f.store(), opts, 1+rnd.IntN(100<<10))
				if !bytes.Equal(got, f.data[offset:]) {
					t.Fatalf("size %d, %+v: got %d bytes, want %d", size, opts, len(got), size-offset)
				}
				if held := budget.held(); held != 0 {
					t.Fatalf("budget holds %d bytes after Close, want 0", held)
				}
				if f.open != 0 {
					t.Fatalf("%d bodies left open, want 0", f.open)
				}
				for _, c := range f.calls {
					if c.length <= 0 {
						t.Fatalf("request for %d bytes", c.length)
					}
				}
			}
		})
	}
}

// readAll reads with buffers of one size.
func readAll(t *testing.T, s *blob.Store, opts *blob.ReaderOptions, bufSize int) []byte {
	t.Helper()
	r, err := s.NewReader(t.Context(), "k", opts)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []byte
	buf := make([]byte, bufSize)
	for {
		before := r.Offset()
		n, err := r.Read(buf)
		got = append(got, buf[:n]...)
		if r.Offset() != before+int64(n) {
			t.Fatalf("offset %d after %d bytes from %d", r.Offset(), n, before)
		}
		if err == io.EOF {
			if r.Offset() != r.Object().Size {
				t.Fatalf("EOF at offset %d of %d", r.Offset(), r.Object().Size)
			}
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// emptyReads gives nothing and no error before each byte, which io.Reader
// allows.
type emptyReads struct {
	r    io.Reader
	turn int
}

func (e *emptyReads) Read(p []byte) (int, error) {
	if e.turn++; e.turn%2 == 1 {
		return 0, nil
	}
	return e.r.Read(p)
}

// budget grants up to left bytes and counts.
type budget struct {
	mu                sync.Mutex
	left, used, least int64
}

func (b *budget) TryAcquire(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.left {
		return false
	}
	b.used += n
	return true
}

func (b *budget) Release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.least = min(b.least, b.used)
}

// held is what was not given back, or -1 if more was given back than taken.
func (b *budget) held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.least < 0 {
		return -1
	}
	return b.used
}

func TestReaderFaults(t *testing.T) {
	t.Parallel()
	const size, rangeSize = 1000, 300
	for _, c := range []struct {
		name   string // the rule
		local  bool
		opts   blob.ReaderOptions
		body   func(call int, data []byte) io.Reader
		object func(call int, o *driver.Object)
		want   error
		got    int // bytes given before the error
	}{
		{name: "a short body in the second range", got: 450, want: io.ErrUnexpectedEOF,
			body: func(call int, data []byte) io.Reader {
				if call == 1 {
					data = data[:150]
				}
				return bytes.NewReader(data)
			}},
		{name: "an empty body", got: 0, want: io.ErrUnexpectedEOF,
			body: func(int, []byte) io.Reader { return strings.NewReader("") }},
		{name: "a long body that is not the last: the range was ignored, its bytes are those asked for", got: 1000, want: io.EOF,
			body: func(call int, data []byte) io.Reader {
				if call == 3 {
					return bytes.NewReader(data)
				}
				return io.MultiReader(bytes.NewReader(data), strings.NewReader("x"))
			}},
		{name: "a long body at the very end", got: 1000, want: errAny,
			body: func(call int, data []byte) io.Reader {
				if call < 3 {
					return bytes.NewReader(data)
				}
				return io.MultiReader(bytes.NewReader(data), strings.NewReader("x"))
			}},
		{name: "a failing body", got: 0, want: errBoom,
			body: func(int, []byte) io.Reader { return iotest.ErrReader(errBoom) }},
		{name: "a failing body after data", got: 20, want: iotest.ErrTimeout,
			body: func(_ int, data []byte) io.Reader {
				return iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(data[:20])))
			}},
		{name: "a body that never goes on", got: 0, want: io.ErrNoProgress,
			body: func(int, []byte) io.Reader { return stuck{} }},
		{name: "another version in the third response", got: 600, want: blob.ErrChanged,
			object: func(call int, o *driver.Object) {
				if call == 2 {
					o.Version = "other"
				}
			}},
		{name: "another size in the second response", got: 300, want: blob.ErrChanged,
			object: func(call int, o *driver.Object) {
				if call == 1 {
					o.Size++
				}
			}},
		{name: "a pinned version that the driver ignores", opts: blob.ReaderOptions{Object: pinned("old")}, want: blob.ErrChanged},
		{name: "a response without version for a pinned one", opts: blob.ReaderOptions{Object: pinned("v")}, want: blob.ErrChanged,
			object: func(_ int, o *driver.Object) { o.Version = "" }},
		{name: "an object that was empty when it was listed", opts: blob.ReaderOptions{Object: sized(0)}, want: blob.ErrChanged},
		{name: "an object of another key", opts: blob.ReaderOptions{Object: &blob.Object{Key: "other", Size: -1}}, want: fs.ErrInvalid},
		{name: "an object of an impossible size", opts: blob.ReaderOptions{Object: sized(-2)}, want: fs.ErrInvalid},
		{name: "no size in the response", want: blob.ErrUnsupported,
			object: func(_ int, o *driver.Object) { o.Size = -1 }},
		{name: "an offset behind the end", opts: blob.ReaderOptions{Offset: size + 1}, want: errAny},
		{name: "a negative offset", opts: blob.ReaderOptions{Offset: -1}, want: fs.ErrInvalid},
		{name: "local: a short body", local: true, got: 999, want: io.ErrUnexpectedEOF,
			body: func(_ int, data []byte) io.Reader { return bytes.NewReader(data[:999]) }},
		{name: "local: a long body", local: true, got: 1000, want: errAny,
			body: func(_ int, data []byte) io.Reader {
				return io.MultiReader(bytes.NewReader(data), strings.NewReader("x"))
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{data: pattern(size), version: "v", body: c.body, object: c.object, retry: once}
			store := f.store()
			if c.local {
				store = blob.New(localFake{f}, nil)
			}
			c.opts.RangeSize, c.opts.InFlight = rangeSize, 1
			if c.name == "a failing body after data" {
				c.got = 1 // iotest's reader fails its second read
			}
			var got []byte
			r, err := store.NewReader(t.Context(), "k", &c.opts)
			if err == nil {
				got, err = readToEnd(r)
				if _, again := r.Read(make([]byte, 1)); again != err {
					t.Errorf("second error is %v, want %v again", again, err)
				}
				if _, again := r.Read(nil); again != err {
					t.Errorf("error of an empty read is %v, want %v", again, err)
				}
				r.Close()
			}
			if c.want == io.EOF && err == io.EOF && bytes.Equal(got, f.data) {
				return
			}
			if err == nil || c.want != errAny && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			be, ok := errors.AsType[*blob.Error](err)
			if !ok {
				t.Fatalf("got %T, want *blob.Error", err)
			}
			if be.Op != "read" || be.Key != "k" || c.got > 0 && be.Offset != int64(c.got) {
				t.Errorf("got op %q, key %q, offset %d, want read, k, %d", be.Op, be.Key, be.Offset, c.got)
			}
			if !bytes.Equal(got, f.data[:c.got]) {
				t.Errorf("got %d bytes before the error, want %d", len(got), c.got)
			}
			if f.open != 0 {
				t.Errorf("%d bodies left open, want 0", f.open)
			}
		})
	}
}

// readToEnd is io.ReadAll that gives io.EOF too.
func readToEnd(r io.Reader) (got []byte, err error) {
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		got = append(got, buf[:n]...)
		if err != nil {
			return got, err
		}
	}
}

var (
	errAny  = errors.New("any error")
	errBoom = errors.New("boom")
)

// stuck never gives a byte nor an error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// localFake is a fake that is read like a local store.
type localFake struct{ *fake }

func (localFake) Traits() driver.Traits { return driver.Traits{Local: true} }

func TestReaderEmptyObject(t *testing.T) {
	t.Parallel()
	for _, local := range []bool{true, false} {
		f := &fake{version: "v"}
		store := f.store()
		if local {
			store = blob.New(localFake{f}, nil)
		}
		r, err := store.NewReader(t.Context(), "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if len(got) != 0 || err != nil {
			t.Errorf("local %v: got %d bytes, %v, want none and no error", local, len(got), err)
		}
		r.Close()
		if len(f.calls) != 1 {
			t.Errorf("local %v: got %d requests, want 1", local, len(f.calls))
		}
	}
}

func TestReaderOffsetAtEnd(t *testing.T) {
	t.Parallel()
	f := &fake{data: pattern(10)}
	if got := readAll(t, f.store(), &blob.ReaderOptions{Offset: 10}, 5); len(got) != 0 {
		t.Errorf("got %d bytes, want none", len(got))
	}
}

// The first response pins the version that all further requests name.
func TestReaderPins(t *testing.T) {
	t.Parallel()
	f := &fake{data: pattern(1000), version: "v7"}
	readAll(t, f.store(), &blob.ReaderOptions{RangeSize: 400, InFlight: 1}, 1000)
	want := []call{{0, 400, ""}, {400, 400, "v7"}, {800, 200, "v7"}}
	if fmt.Sprint(f.calls) != fmt.Sprint(want) {
		t.Errorf("got requests %v, want %v", f.calls, want)
	}
}

// A local store is asked once, for everything, and its body reads into the
// caller's own buffer.
func TestReaderLocalIsDirect(t *testing.T) {
	t.Parallel()
	f := &fake{data: pattern(1000), version: "v"}
	var asked []byte
	f.body = func(_ int, data []byte) io.Reader {
		r := bytes.NewReader(data)
		return readerFunc(func(p []byte) (int, error) { asked = p; return r.Read(p) })
	}
	r, err := blob.New(localFake{f}, nil).NewReader(t.Context(), "k", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	buf := make([]byte, 100)
	if _, err := r.Read(buf); err != nil {
		t.Fatal(err)
	}
	if &asked[0] != &buf[0] {
		t.Error("the body did not read into the caller's buffer")
	}
	if r.Buffered() != 0 {
		t.Errorf("got %d bytes buffered, want 0", r.Buffered())
	}
	if want := []call{{0, -1, ""}}; fmt.Sprint(f.calls) != fmt.Sprint(want) {
		t.Errorf("got requests %v, want %v", f.calls, want)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
