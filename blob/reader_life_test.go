package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
)

// Bytes are given when they arrive, not when a chunk or a range is full.
func TestReadAheadIsProgressive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{data: pattern(10), version: "v"}
		f.body = func(_ int, data []byte) io.Reader {
			r := iotest.OneByteReader(bytes.NewReader(data))
			return readerFunc(func(p []byte) (int, error) { time.Sleep(time.Second); return r.Read(p) })
		}
		r, err := f.store().NewReader(t.Context(), "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		start := time.Now()
		for i := range 10 {
			n, err := r.Read(make([]byte, 100))
			if n != 1 || err != nil {
				t.Fatalf("got %d, %v, want 1 byte", n, err)
			}
			if got, want := time.Since(start), time.Duration(i+1)*time.Second; got != want {
				t.Errorf("byte %d came after %v, want %v", i, got, want)
			}
		}
	})
}

// What is fetched ahead stays within ReadAhead and the Budget, and is given back
// as it is read.
func TestReadAheadIsBounded(t *testing.T) {
	t.Parallel()
	const chunk = 128 << 10
	for _, c := range []struct {
		readAhead, budget int64
		want              int // bytes buffered while nobody reads
	}{
		{readAhead: 1, budget: 100 * chunk, want: chunk}, // two of 64 KiB
		{readAhead: 8 * chunk, budget: 100 * chunk, want: 8 * chunk},
		{readAhead: 8 * chunk, budget: 3*chunk + 5, want: 5 * chunk},
		{readAhead: 8 * chunk, budget: 0, want: 2 * chunk},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{data: pattern(20 * chunk), version: "v"}
			b := &budget{left: c.budget}
			r, err := f.store().NewReader(t.Context(), "k", &blob.ReaderOptions{
				RangeSize: 100 * chunk, ReadAhead: c.readAhead, Budget: b,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			synctest.Wait()
			if got := r.Buffered(); got != c.want {
				t.Errorf("read-ahead %d, budget %d: got %d bytes buffered, want %d", c.readAhead, c.budget, got, c.want)
			}
			if got, want := b.held(), max(0, int64(c.want)-2*chunk); got != want {
				t.Errorf("read-ahead %d, budget %d: got %d bytes acquired, want %d", c.readAhead, c.budget, got, want)
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, f.data) {
				t.Errorf("got %d bytes, %v, want %d", len(got), err, len(f.data))
			}
			if got := b.held(); got != 0 {
				t.Errorf("got %d bytes acquired at the end, want 0", got)
			}
		})
	}
}

// The end of the context ends a Read that waits, and Close leaves nothing
// behind at whatever moment it comes.
func TestReaderCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{data: pattern(1 << 20), version: "v"}
		ctx, cancel := context.WithCancel(t.Context())
		f.body = func(_ int, data []byte) io.Reader {
			return io.MultiReader(bytes.NewReader(data[:1000]), readerFunc(func([]byte) (int, error) {
				<-ctx.Done()
				return 0, ctx.Err()
			}))
		}
		r, err := f.store().NewReader(ctx, "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, cancel)
		start := time.Now()
		got, err := io.ReadAll(r)
		if len(got) != 1000 || !errors.Is(err, context.Canceled) || time.Since(start) != time.Minute {
			t.Errorf("got %d bytes, %v after %v, want 1000, canceled after a minute", len(got), err, time.Since(start))
		}
		r.Close()
	})
}

func TestReaderCloseAnywhere(t *testing.T) {
	t.Parallel()
	f := &fake{data: pattern(1 << 20), version: "v"}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		r, err := f.store().NewReader(t.Context(), "k", &blob.ReaderOptions{RangeSize: 100_000, ReadAhead: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, r, int64(rnd.IntN(1<<20))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
			t.Fatalf("read after Close gives %v, want %v", err, fs.ErrClosed)
		}
		f.mu.Lock()
		if f.open != 0 {
			t.Fatalf("%d bodies left open after Close, want 0", f.open)
		}
		f.mu.Unlock()
	}
}

func TestReaderOnRequest(t *testing.T) {
	t.Parallel()
	for _, local := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{data: pattern(500), version: "v", retry: once}
			f.body = func(_ int, data []byte) io.Reader {
				r := bytes.NewReader(data)
				return readerFunc(func(p []byte) (int, error) { time.Sleep(time.Second); return r.Read(p) })
			}
			store, want := f.store(), "[0+300:300 in 2s 300+200:200 in 2s]"
			if local {
				store, want = blob.New(localFake{f}, nil), "[0+-1:500 in 2s]"
			}
			var got []string
			r, err := store.NewReader(t.Context(), "k", &blob.ReaderOptions{
				RangeSize: 300, InFlight: 1,
				OnRequest: func(q blob.Request) {
					if q.Err != nil || q.Attempt != 1 || q.Key != "k" || q.FirstByte != 0 {
						t.Errorf("got %+v, want attempt 1 of k without error", q)
					}
					got = append(got, fmt.Sprintf("%d+%d:%d in %v", q.Offset, q.Asked, q.Got, q.Total))
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, struct{ io.Reader }{r}); err != nil {
				t.Fatal(err)
			}
			r.Close()
			if fmt.Sprint(got) != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// A request that fails or is not read to its end is reported too.
func TestReaderOnRequestFailure(t *testing.T) {
	t.Parallel()
	var got []blob.Request
	opts := &blob.ReaderOptions{OnRequest: func(q blob.Request) { got = append(got, q) }}
	s := blob.New(memstore.New(), nil)
	if _, err := s.NewReader(t.Context(), "k", opts); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v, want %v", err, fs.ErrNotExist)
	}
	put(t, s, "k", pattern(10))
	r, err := s.NewReader(t.Context(), "k", opts)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if len(got) != 2 || !errors.Is(got[0].Err, fs.ErrNotExist) || got[1].Err == nil || got[1].Got != 0 {
		t.Errorf("got %+v, want a missing and an unfinished request", got)
	}
}
