package brotli_test

import (
	"bufio"
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/brotli"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestAllocations decodes again and again without allocating.
func TestAllocations(t *testing.T) {
	stored := encode(samples()["mixed"], 9, 18)
	in := bytes.NewReader(stored)
	src := bufio.NewReaderSize(in, 128<<10)
	r := brotli.NewReader()
	p := make([]byte, 10_000)
	if n := testing.AllocsPerRun(10, func() {
		in.Reset(stored)
		src.Reset(in)
		r.Reset(src)
		for {
			if _, err := r.Read(p); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

// TestMemory: what a stream claims costs nothing. The ring does not grow beyond the
// window and 64 KiB, and while it grows no more than half a window is beside it.
func TestMemory(t *testing.T) {
	newStreams().decode(wordStream(4, 0, 0, 4)) // the dictionary is shared
	zeros := encode(make([]byte, 18<<20), 1, 24)
	for _, tc := range []struct {
		why    string
		stored []byte
		cut    bool
		most   uint64
	}{
		{"five bytes in a window of 16 MiB", encode([]byte("small"), 5, 24), false, 128 << 10},
		{"16 MiB in a window of 128 MiB, of which three bytes are there", []byte("\x11\x1b\xff\xff\xff\x03abc"), true, 128 << 10},
		{"one literal 16,777,216 times, of which the code is cut", stream().num(1, 2).num(2, 2).num(1<<24-1, 24).plain().num(1, 2).out, true, 128 << 10},
		{"60 KiB in a window of 1 KiB", encode(corpus.NDJSONBytes(1, 400)[:60<<10], 5, 10), false, 256 << 10},
		{"18 MiB in a window of 16 MiB", zeros, false, (16 + 16 + 1) << 20},
	} {
		var before, after runtime.MemStats
		src := bufio.NewReader(bytes.NewReader(tc.stored))
		runtime.ReadMemStats(&before)
		r := brotli.NewReader()
		r.Reset(src)
		if _, err := io.Copy(io.Discard, r); (err == io.ErrUnexpectedEOF) != tc.cut || err != nil && !tc.cut {
			t.Errorf("%s: got %v", tc.why, err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > tc.most {
			t.Errorf("%s: got %d bytes allocated, want at most %d", tc.why, n, tc.most)
		}
	}
}

// TestMemoryOfAKeptRing: no more than half a window is held beside a ring that grows
// from one kept of a stream with a small window.
func TestMemoryOfAKeptRing(t *testing.T) {
	zeros := encode(make([]byte, 18<<20), 1, 24)
	for _, window := range []int{10, 14, 15, 17, 18} {
		r := brotli.NewReader()
		r.Reset(bufio.NewReader(bytes.NewReader(encode(make([]byte, 1<<20), 2, window))))
		io.Copy(io.Discard, r)
		var before, after runtime.MemStats
		r.Reset(bufio.NewReader(bytes.NewReader(zeros)))
		runtime.ReadMemStats(&before)
		if n, err := io.Copy(io.Discard, r); n != 18<<20 || err != nil {
			t.Errorf("window %d before: got %d bytes and %v", window, n, err)
		}
		runtime.ReadMemStats(&after)
		// Rings from which it grew, the last of half a window, and the last ring.
		if n, most := after.TotalAlloc-before.TotalAlloc, uint64(16+16+1)<<20; n > most {
			t.Errorf("window %d before: got %d bytes allocated, want at most %d", window, n, most)
		}
	}
}
