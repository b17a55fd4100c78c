package blob_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
)

// The window begins at one range and grows fourfold when the consumer waits and the
// newest range has given its first byte, up to InFlight.
func TestWindowGrows(t *testing.T) {
	t.Parallel()
	const rangeSize = 100 << 10
	for _, c := range []struct {
		name     string
		inFlight int
		known    bool
		want     []int // requests sent after half a second and each further one
	}{
		{"adaptive", 0, false, []int{1, 4, 4, 16, 16, 16, 16, 16, 16}},
		{"a known size", 0, true, []int{2, 8, 8, 16, 16, 16, 16, 16, 16}},
		{"bounded", 3, false, []int{1, 3, 3, 3, 3, 3, 3, 3, 3}},
		{"one", 1, false, []int{1, 1, 1, 1, 1, 1, 1, 1, 1}},
		{"one of a known size", 1, true, []int{1, 1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// Bodies give 1 KiB a second: no range ends within the test.
				f := &flaky{data: pattern(40 * rangeSize), latency: 10 * time.Millisecond, piece: 1 << 10}
				s := blob.New(&slowBodies{flaky: f, wait: 900 * time.Millisecond}, &blob.Options{Retry: &blob.Retry{NoHedge: true}})
				opts := &blob.ReaderOptions{RangeSize: rangeSize, InFlight: c.inFlight}
				if c.known {
					opts.Object = sized(int64(len(f.data)))
				}
				var got []int
				var watch sync.WaitGroup
				watch.Go(func() {
					for i := range c.want {
						time.Sleep(time.Second / time.Duration(2-min(i, 1)))
						f.mu.Lock()
						got = append(got, f.sent)
						f.mu.Unlock()
					}
				})
				r, err := s.NewReader(t.Context(), "k", opts)
				if err != nil {
					t.Fatal(err)
				}
				for range 10 {
					if _, err := r.Read(make([]byte, 1<<20)); err != nil {
						t.Fatal(err)
					}
				}
				watch.Wait()
				r.Close()
				if !slices.Equal(got, c.want) {
					t.Errorf("got %v requests sent after each second, want %v", got, c.want)
				}
			})
		})
	}
}

// Ranges are delivered in order and in full for every size of buffer, whichever of
// them arrives first, and through WriteTo.
func TestReadSizes(t *testing.T) {
	t.Parallel()
	const size = 700
	data := pattern(size)
	for _, buf := range []int{1, 2, 3, 10, 99, 100, 101, 699, 700, 701} {
		for _, rangeSize := range []int64{1, 7, 99, 100, 101, 700, 9000} {
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{data: data, latency: time.Millisecond}
				f.fault = func(n int, _, _ int64) fault {
					return fault{wait: time.Duration(n*7919%5) * time.Millisecond}
				}
				r, err := f.store(nil).NewReader(t.Context(), "k", &blob.ReaderOptions{RangeSize: rangeSize, InFlight: 4})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				var got []byte
				for p := make([]byte, buf); err == nil; {
					var n int
					n, err = r.Read(p)
					got = append(got, p[:n]...)
				}
				if err != io.EOF || !bytes.Equal(got, data) {
					t.Fatalf("buffers of %d, ranges of %d: got %d bytes, %v, want %d", buf, rangeSize, len(got), err, size)
				}
				r.Close()
				if f.most > 8 {
					t.Errorf("got %d bodies open at once, want 8 at most", f.most)
				}
			})
		}
	}
}

func TestWriteTo(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 1000, 64 << 10, 64<<10 + 1, 600 << 10} {
		for _, local := range []bool{true, false} {
			f := &fake{data: pattern(size), version: "v"}
			s := f.store()
			if local {
				s = blob.New(localFake{f}, nil)
			}
			r, err := s.NewReader(t.Context(), "k", &blob.ReaderOptions{RangeSize: 100 << 10})
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			short := &shortOnce{w: &got}
			n, err := r.WriteTo(short)
			if size > 1 && err != io.ErrShortWrite {
				t.Errorf("size %d: got %v of a Writer that takes half, want %v", size, err, io.ErrShortWrite)
			}
			if r.Offset() != n {
				t.Errorf("size %d: got offset %d after %d bytes", size, r.Offset(), n)
			}
			more, err := io.Copy(short, r)
			if err != nil || n+more != int64(size) || !bytes.Equal(got.Bytes(), f.data) {
				t.Errorf("size %d, local %v: got %d and %d bytes, %v, want all", size, local, n, more, err)
			}
			if _, err := r.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("size %d: got %v at the end, want %v", size, err, io.EOF)
			}
			r.Close()
		}
	}
}

// shortOnce takes half of its first Write.
type shortOnce struct {
	w    io.Writer
	done bool
}

func (s *shortOnce) Write(p []byte) (int, error) {
	if !s.done {
		s.done = true
		p = p[:len(p)/2]
	}
	return s.w.Write(p)
}

// A Budget that refuses leaves one range under way, within 256 KiB, and the read
// goes on; memory that comes back is used.
func TestWindowShrinksUnderTheBudget(t *testing.T) {
	t.Parallel()
	const rangeSize, ranges = 512 << 10, 12
	for _, c := range []struct {
		budget int64
		most   int // bodies open at once
	}{{0, 1}, {128 << 10, 2}, {1 << 40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			f := &flaky{data: pattern(ranges * rangeSize), latency: 10 * time.Millisecond, piece: 64 << 10}
			b := &budget{left: c.budget}
			got, err := readOnce(t, f, f.store(nil), &blob.ReaderOptions{RangeSize: rangeSize, Budget: b})
			checkOutcome(t, f.data, got, err)
			if err != io.EOF {
				t.Errorf("budget %d: got %v, want the end", c.budget, err)
			}
			if f.most > c.most {
				t.Errorf("budget %d: got %d bodies open at once, want %d at most", c.budget, f.most, c.most)
			}
			if f.sent != ranges {
				t.Errorf("budget %d: got %d requests, want %d", c.budget, f.sent, ranges)
			}
		})
	}
}

// A small object costs one request and no goroutine.
func TestSmallObjectNeedsNoGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{data: pattern(64 << 10)}
		r, err := f.store(nil).NewReader(t.Context(), "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		synctest.Wait()
		if f.served != 0 || r.Buffered() != 0 {
			t.Errorf("got %d bytes read and %d buffered before Read, want none", f.served, r.Buffered())
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, f.data) || f.sent != 1 {
			t.Errorf("got %d bytes, %v with %d requests, want all with one", len(got), err, f.sent)
		}
	})
}

// A listing's size is compared with what is served.
func TestSizeIsVerified(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1, 999, 1001, 1 << 40} {
		synctest.Test(t, func(t *testing.T) {
			f := &flaky{data: pattern(1000)}
			got, err := readOnce(t, f, f.store(nil), &blob.ReaderOptions{RangeSize: 100, Object: sized(size)})
			checkOutcome(t, f.data, got, err)
			if be := fmt.Sprint(err); err == io.EOF || len(got) > 0 {
				t.Errorf("size %d: got %d bytes, %s, want an error of a changed object", size, len(got), be)
			}
		})
	}
}
