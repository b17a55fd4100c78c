package blob_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/simstore"
)

// zeroObject is a driver of one object of zeros.
type zeroObject struct {
	driver.Driver
	size int64
}

func (z zeroObject) ReadRange(_ context.Context, key string, offset, length int64, _ string) (driver.Range, error) {
	n := z.size - offset
	if length >= 0 {
		n = min(n, length)
	}
	return driver.Range{
		Body:   io.NopCloser(&zeros{left: int(n)}),
		Offset: offset,
		Object: driver.Object{Key: key, Size: z.size, Version: "v"},
	}, nil
}

// A large object takes the time that the link takes for its bytes, but for a
// tenth: the window grows until the connections fill the link.
func TestLinkIsFilled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		size int64
		hint bool
		link simstore.Link
		held int64 // beyond the own 256 KiB
	}{
		{"160 MiB at 250 MB/s", 160 << 20, false, simstore.Link{FirstByte: 30 * time.Millisecond, PerConn: 85e6, Total: 250e6}, 256 << 20},
		{"64 MiB of a known size at 250 MB/s", 64 << 20, true, simstore.Link{FirstByte: 10 * time.Millisecond, PerConn: 85e6, Total: 250e6}, 256 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := blob.New(simstore.New(zeroObject{size: c.size}, c.link), nil)
				b := &budget{left: c.held}
				requests := int64(0)
				opts := &blob.ReaderOptions{Budget: b, OnRequest: func(q blob.Request) {
					requests++
					if q.Err != nil || q.Hedged {
						t.Errorf("got %+v, want neither an error nor a hedge", q)
					}
				}}
				if c.hint {
					opts.Object = sized(c.size)
				}
				start := time.Now()
				r, err := s.NewReader(t.Context(), "k", opts)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				n, err := io.Copy(io.Discard, r)
				took := time.Since(start)
				if err != nil || n != c.size {
					t.Fatalf("got %d bytes, %v, want %d", n, err, c.size)
				}
				best := time.Duration(float64(c.size) / float64(c.link.Total) * float64(time.Second))
				if share := float64(best) / float64(took); share < 0.9 {
					t.Errorf("took %v, %.2f of the link, want 0.9", took, share)
				}
				if want := (c.size + 8<<20 - 1) / (8 << 20); requests != want {
					t.Errorf("got %d requests, want %d", requests, want)
				}
			})
		})
	}
}

// A store that has been read from is read at the whole rate of the link from the start: an
// object begins with as many ranges as the one before needed, and a small one with smaller
// ranges.
func TestWarmLink(t *testing.T) {
	t.Parallel()
	link := simstore.Link{FirstByte: 30 * time.Millisecond, PerConn: 85e6, Total: 1e9}
	for _, tc := range []struct {
		size  int64
		known bool
		share float64 // of the rate of the link
		most  int64   // requests
	}{
		{2 << 30, true, 0.95, 256},
		{256 << 20, true, 0.88, 32},
		{256 << 20, false, 0.8, 32},
		{32 << 20, true, 0.5, 16},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := blob.New(simstore.New(zeroObject{size: tc.size}, link), nil)
			for _, warm := range []bool{false, true} {
				b := &budget{left: 256 << 20}
				requests := int64(0)
				opts := &blob.ReaderOptions{Budget: b, OnRequest: func(blob.Request) { requests++ }}
				if tc.known {
					opts.Object = sized(tc.size)
				}
				start := time.Now()
				r, err := s.NewReader(t.Context(), "k", opts)
				if err != nil {
					t.Fatal(err)
				}
				n, err := io.Copy(io.Discard, r)
				r.Close()
				took := time.Since(start)
				if err != nil || n != tc.size {
					t.Fatalf("got %d bytes, %v, want %d", n, err, tc.size)
				}
				best := link.FirstByte + time.Duration(float64(tc.size)/float64(link.Total)*float64(time.Second))
				share := float64(best) / float64(took)
				t.Logf("%d MiB, known %v, warm %v: %v, %.3f of the link, %d requests", tc.size>>20, tc.known, warm, took, share, requests)
				if warm && (share < tc.share || requests > tc.most) {
					t.Errorf("%d MiB, known %v: %.2f of the link with %d requests, want %.2f and %d", tc.size>>20, tc.known, share, requests, tc.share, tc.most)
				}
			}
		})
	}
}

// The first byte costs one wait for a response, however large the object is.
func TestFirstByte(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1, 64 << 10, 1 << 20, 8 << 20, 100 << 20} {
		for _, known := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				link := simstore.Link{FirstByte: 30 * time.Millisecond, PerConn: 85e6}
				s := blob.New(simstore.New(zeroObject{size: size}, link), nil)
				opts := &blob.ReaderOptions{}
				if known {
					opts.Object = sized(size)
				}
				start := time.Now()
				r, err := s.NewReader(t.Context(), "k", opts)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				if n, err := r.Read(make([]byte, 64<<10)); n == 0 || err != nil {
					t.Fatalf("got %d bytes, %v, want some", n, err)
				}
				// What the simulation passes at once takes up to 3 ms.
				if took := time.Since(start); took > 33*time.Millisecond {
					t.Errorf("size %d, known %v: first byte after %v, want 30ms", size, known, took)
				}
			})
		}
	}
}
