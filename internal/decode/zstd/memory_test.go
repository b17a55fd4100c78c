package zstd_test

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/thaw-go/thaw/internal/decode/zstd"
	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// TestAllocations decodes again and again without allocating.
func TestAllocations(t *testing.T) {
	blocks := encode(corpus.NDJSONBytes(1, 2000), false)[6:]
	in := bytes.NewReader(blocks)
	src := bufio.NewReaderSize(in, 128<<10)
	r := zstd.NewReader()
	p := make([]byte, 10_000)
	if n := testing.AllocsPerRun(10, func() {
		in.Reset(blocks)
		src.Reset(in)
		r.Reset(src, 8<<20, nil)
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

// TestMemory: what a header claims costs nothing, and the buffer does not grow
// beyond the window and some blocks.
func TestMemory(t *testing.T) {
	zeros := bytes.Repeat(block(false, isRLE, 128<<10, []byte{0}), 512) // 64 MiB
	for _, tc := range []struct {
		why    string
		window int64
		stored []byte
		most   uint64
	}{
		{"128 MiB for three bytes", 128 << 20, raw("abc"), 64 << 10},
		{"2 TiB for a block", 2 << 40, zeros[:4], 512 << 10},
		{"1 MiB for 64 MiB", 1 << 20, zeros, 4 << 20},
		{"32 MiB for 64 MiB, and buffers moved from", 32 << 20, zeros, 41 << 20},
		{"1 KiB for runs of it", 1 << 10, bytes.Repeat(block(false, isRLE, 1<<10, []byte{0}), 5000), 1 << 20},
	} {
		var before, after runtime.MemStats
		src := bufio.NewReader(bytes.NewReader(tc.stored))
		runtime.ReadMemStats(&before)
		r := zstd.NewReader()
		r.Reset(src, tc.window, nil)
		if _, err := io.Copy(io.Discard, r); err != io.ErrUnexpectedEOF {
			t.Errorf("%s: got %v, want %v", tc.why, err, io.ErrUnexpectedEOF)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > tc.most {
			t.Errorf("%s: got %d bytes allocated, want at most %d", tc.why, n, tc.most)
		}
	}
}

// TestLargerWindow: a Reader whose buffer comes from a frame and is a little too
// small for the next one's window decodes that, wherever its blocks end.
func TestLargerWindow(t *testing.T) {
	r := zstd.NewReader()
	text := corpus.NDJSONBytes(1, 12_000)
	blocks := encode(text, false, kzstd.WithWindowSize(1<<20), kzstd.WithEncoderCRC(false))[6:]
	for _, more := range []int64{0, 1, 50 << 10, 128 << 10, 300 << 10} {
		for _, first := range []int{1, 28 << 10, 64 << 10, 100 << 10, 128 << 10} {
			for i, window := range []int64{1 << 20, 1<<20 + more} {
				stored := slices.Concat(block(false, isRLE, first, []byte{1}), blocks)
				r.Reset(bufio.NewReader(bytes.NewReader(stored)), window, nil)
				got, err := io.ReadAll(r)
				want := slices.Concat(bytes.Repeat([]byte{1}, first), text)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("frame %d, %d more, first block of %d: got %s and %v", i, more, first, difference(got, want), err)
				}
			}
		}
	}
}

// TestReuse: what a Reader gives does not depend on the frames before, whatever
// their windows were.
func TestReuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	text := corpus.NDJSONBytes(2, 9000)
	type encoded struct {
		blocks, want []byte
		window       int64
	}
	var all []encoded
	for log := 10; log <= 21; log++ {
		n := min(len(text), 3<<log+rng.IntN(400_000))
		from := rng.IntN(len(text) - n + 1)
		part := text[from:][:n]
		blocks := encode(part, false, kzstd.WithWindowSize(1<<log), kzstd.WithEncoderCRC(false))[6:]
		all = append(all, encoded{blocks, part, 1 << log})
	}
	r := zstd.NewReader()
	for round := range 150 {
		e := all[rng.IntN(len(all))]
		window := e.window
		if rng.IntN(2) == 0 {
			window += rng.Int64N(e.window)
		}
		r.Reset(bufio.NewReader(bytes.NewReader(e.blocks)), window, nil)
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, e.want) {
			t.Fatalf("round %d, window %d: got %s and %v", round, window, difference(got, e.want), err)
		}
		if round%20 == 19 {
			r = zstd.NewReader()
		}
	}
}
