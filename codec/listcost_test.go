package codec_test

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/testing/corpus/hostile"
)

// TestRequests: what lists the parts of an object asks for its bytes in pieces that
// grow, forwards and backwards, however small the parts are: a request for each would
// take a store for hours. And it does not ask for the same bytes again and again.
func TestRequests(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, o := range hostile.Objects() {
		t.Run(o.Codec+" "+o.Name, func(t *testing.T) {
			t.Parallel()
			stored := o.Make(size)
			c := lookup(t, o.Codec)
			for _, tc := range []struct {
				what string
				list func(r io.ReaderAt)
			}{
				{"Inspect", func(r io.ReaderAt) {
					codec.Inspect(r, int64(len(stored)), &codec.InspectOptions{Codec: o.Codec})
				}},
				{"Split", func(r io.ReaderAt) {
					if c.Split == nil {
						return
					}
					for _, err := range c.Split(r, int64(len(stored))) {
						if err != nil {
							return
						}
					}
				}},
			} {
				r := &counted{r: bytes.NewReader(stored)}
				tc.list(r)
				if most := int64(len(stored)/(1<<10) + 40); r.reads > most {
					t.Errorf("%s: got %d requests for %d bytes, want at most %d", tc.what, r.reads, len(stored), most)
				}
				if most := int64(6*len(stored) + 64<<10); r.bytes > most {
					t.Errorf("%s: got %d bytes read of %d, want at most %d", tc.what, r.bytes, len(stored), most)
				}
			}
		})
	}
}

// heapReader looks at the live heap every now and then.
type heapReader struct {
	r     io.ReaderAt
	reads int
	peak  uint64
}

func (h *heapReader) ReadAt(p []byte, off int64) (int, error) {
	if h.reads++; h.reads%8 == 1 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.peak = max(h.peak, m.HeapAlloc)
	}
	return h.r.ReadAt(p, off)
}

// TestListMemory: listing the parts of an object takes the same memory however many
// there are.
func TestListMemory(t *testing.T) {
	for _, o := range hostile.Objects() {
		if !strings.HasPrefix(o.Name, "empty") {
			continue
		}
		peak := func(size int) int64 {
			stored := o.Make(size)
			r := &heapReader{r: bytes.NewReader(stored)}
			r.ReadAt(nil, 0)
			base := r.peak
			codec.Inspect(r, int64(len(stored)), &codec.InspectOptions{Codec: o.Codec, List: 10})
			c := lookup(t, o.Codec)
			if c.Split != nil {
				for range c.Split(r, int64(len(stored))) {
				}
			}
			runtime.KeepAlive(stored)
			return int64(r.peak - base)
		}
		few, many := peak(64<<10), peak(1<<20)
		if many-few > 192<<10 {
			t.Errorf("%s, %s: got %d bytes for 1 MiB, %d for 64 KiB", o.Codec, o.Name, many, few)
		}
	}
}
