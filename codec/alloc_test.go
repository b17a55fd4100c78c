package codec_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/thaw-go/thaw/codec"
)

// TestClaims: headers that claim much and hold little cost little.
func TestClaims(t *testing.T) {
	z := lookup(t, "zstd")
	tiny := zst([]byte(text))
	for _, tc := range []struct {
		why    string
		stored []byte
		want   error
	}{
		{"zstd window of 128 MiB in 12 bytes", frame(0, window128M, raw("abc")), nil},
		{"zstd window of 128 MiB, cut", frame(0, window128M, block(false, 0, 3, "abc")), io.ErrUnexpectedEOF},
		{"zstd window of 2 GiB in 68 bytes", frame(0, window2G, raw(string(make([]byte, 59)))), nil},
		{"zstd window of 2 TiB in 9 bytes", frame(0, window2T, block(false, 0, 100, "")), io.ErrUnexpectedEOF},
		{"zstd single segment of 4 GiB", frame(size8|singleSegment, u64(4<<30), block(false, 0, 100, "")), io.ErrUnexpectedEOF},
		{"zstd single segment of 4 GiB in few bytes", frame(size8|singleSegment, u64(4<<30), raw("abc")), codec.ErrCorrupt},
		{"zstd skippable frame of 4 GiB", []byte("\x5a\x2a\x4d\x18\xff\xff\xff\xffabc"), io.ErrUnexpectedEOF},
		{"zstd frame and a claim behind", join(tiny, frame(0, window128M, raw("abc"))), nil},
	} {
		var err error
		size := allocated(func() { err = decodeTo(io.Discard, z, tc.stored, nil) })
		if size > 8<<20 {
			t.Errorf("%s: got %d bytes allocated, want at most 8 MiB", tc.why, size)
		}
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.why, err, tc.want)
		}
	}
}

// bombs are 64 MiB of zeros each.
func bombs() map[string][]byte {
	zeros := make([]byte, 64<<20)
	return map[string][]byte{"gzip": gz(zeros), "zlib": encodeZlib(zeros), "zstd": encodeZstdStream(zeros)}
}

// TestBombs: a limit is an error at the limit, in memory that does not grow with
// what came out.
func TestBombs(t *testing.T) {
	for name, stored := range bombs() {
		for _, tc := range []struct {
			why  string
			opts codec.Options
			max  int64 // bytes that may come out
		}{
			{"MaxDecoded", codec.Options{MaxDecoded: 10 << 20}, 10 << 20},
			{"MaxRatio", codec.Options{MaxRatio: 100}, 16 << 20},
		} {
			var n counter
			var err error
			size := allocated(func() { err = decodeTo(&n, lookup(t, name), stored, &tc.opts) })
			var limit *codec.LimitError
			if !errors.As(err, &limit) || !errors.Is(err, codec.ErrLimit) {
				t.Errorf("%s, %s: got %v, want a limit error", name, tc.why, err)
			}
			if tc.why == "MaxDecoded" && int64(n) != tc.max || int64(n) > tc.max {
				t.Errorf("%s, %s: got %d bytes, want %d", name, tc.why, n, tc.max)
			}
			if size > 8<<20 {
				t.Errorf("%s, %s: got %d bytes allocated, want at most 8 MiB", name, tc.why, size)
			}
		}
	}
}

// TestAbandoned: 1,000 opens and early closes leave nothing behind.
func TestAbandoned(t *testing.T) {
	for name, stored := range bombs() {
		c := lookup(t, name)
		p := make([]byte, 64)
		open := func() {
			d, err := c.NewReader(bytes.NewReader(stored), new(codec.Options))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(d, p); err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
		open()
		heap, goroutines := inUse(), runtime.NumGoroutine()
		for range 1000 {
			open()
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("%s: got %d goroutines, want %d", name, n, goroutines)
		}
		if n := inUse() - heap; n > 4<<20 {
			t.Errorf("%s: got %d bytes more in use, want none", name, n)
		}
	}
}

func inUse() int64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMembersAllocateNothing: many small members cost no more than one.
func TestMembersAllocateNothing(t *testing.T) {
	for name, member := range map[string][]byte{"gzip": gz([]byte(text)), "zstd": zst([]byte(text))} {
		stored := bytes.Repeat(member, 1000)
		d, err := lookup(t, name).NewReader(bytes.NewReader(stored), new(codec.Options))
		if err != nil {
			t.Fatal(err)
		}
		src, p := bytes.NewReader(stored), make([]byte, 4096)
		n := testing.AllocsPerRun(5, func() {
			src.Reset(stored)
			d.Reset(src)
			for {
				if _, err := d.Read(p); err != nil {
					break
				}
			}
		})
		if n > 100 {
			t.Errorf("%s: got %v allocations for 1000 members, want next to none", name, n)
		}
		d.Close()
	}
}
