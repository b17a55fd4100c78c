package inflate_test

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// marks are those at the first border after each spacing bytes of data.
func marks(t testing.TB, data []byte, spacing int64) (m []inflate.Mark, decoded int64) {
	t.Helper()
	r := inflate.NewReader(bufio.NewReader(bytes.NewReader(data)))
	r.StopAt(spacing)
	p := make([]byte, 64<<10)
	for {
		n, err := r.Read(p)
		decoded += int64(n)
		if at, ok := r.Point(); ok && at.Decoded == decoded && (len(m) == 0 || at.Decoded-m[len(m)-1].Decoded >= spacing) && at.Decoded >= spacing {
			m = append(m, inflate.Mark{Point: at, Window: r.AppendWindow(nil)})
			r.StopAt(decoded + spacing)
		}
		if err == io.EOF {
			return m, decoded
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func marked(m []inflate.Mark, stored, decoded int) *inflate.Marked {
	return &inflate.Marked{
		Stored: int64(stored), Decoded: int64(decoded),
		Len: len(m), At: func(i int) (inflate.Mark, error) { return m[i], nil },
	}
}

// room is where pieces are written. It knows what was written twice.
type room struct {
	data []byte
	err  error

	mu     sync.Mutex
	ranges [][2]int
}

func newRoom(n int) *room { return &room{data: make([]byte, n)} }

func (r *room) WriteAt(p []byte, off int64) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	r.mu.Lock()
	r.ranges = append(r.ranges, [2]int{int(off), int(off) + len(p)})
	r.mu.Unlock()
	return copy(r.data[off:], p), nil
}

// twice is a byte that was written twice, or -1.
func (r *room) twice() int {
	slices.SortFunc(r.ranges, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	end := 0
	for _, w := range r.ranges {
		if w[0] < end && w[0] < w[1] {
			return w[0]
		}
		end = max(end, w[1])
	}
	return -1
}

// TestMarkedDecode decodes piece by piece with one goroutine and more: exact bytes,
// and the checksum of the whole.
func TestMarkedDecode(t *testing.T) {
	t.Parallel()
	streams := map[string][]byte{}
	for name, text := range map[string]string{"lines": lines(200_000), "mixed": mixed(200_000), "noise": noisy(150_000), "empty": ""} {
		streams[name] = deflate(text, 6, 10_000)
	}
	for _, args := range tools {
		if _, err := exec.LookPath(args[0]); err != nil || args[0] == "zopfli" || len(args) > 4 {
			continue
		}
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Stdin = bytes.NewReader([]byte(lines(200_000)))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		streams[args[0]+args[len(args)-2]] = gzipBody(out)
	}
	d := newDecoders()
	for name, data := range streams {
		want, _, err := d.decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, spacing := range []int64{1, 30_000, 90_000} {
			m, decoded := marks(t, data, spacing)
			if decoded != int64(len(want)) {
				t.Fatalf("%s: got %d bytes with stops, want %d", name, decoded, len(want))
			}
			for _, workers := range []int{0, 2, 7} {
				if spacing == 1 && workers != 2 {
					continue
				}
				to := newRoom(len(want))
				crc, err := marked(m, len(data), len(want)).Decode(bytes.NewReader(data), to, workers)
				if err != nil || !bytes.Equal(to.data, want) || crc != crc32.ChecksumIEEE(want) {
					t.Errorf("%s, %d marks, %d workers: got checksum %08x and %v, want %08x; first difference at %d",
						name, len(m), workers, crc, err, crc32.ChecksumIEEE(want), difference(to.data, want))
				}
				if at := to.twice(); at >= 0 {
					t.Errorf("%s, %d workers: byte %d was written twice", name, workers, at)
				}
			}
		}
	}
}

// TestMarkedWrong: marks that do not fit the stream, and damage, are errors; all
// bytes before are written and right.
func TestMarkedWrong(t *testing.T) {
	t.Parallel()
	text := []byte(mixed(300_000))
	data := deflate(string(text), 6, 5000)
	good, _ := marks(t, data, 30_000)
	k := len(good) / 2
	for _, tc := range []struct {
		why    string
		change func(m []inflate.Mark) (stored, decoded int)
		least  int64 // bytes that are right at least
		want   error
	}{
		{"a window with another byte", func(m []inflate.Mark) (int, int) {
			m[k].Window = bytes.Clone(m[k].Window)
			m[k].Window[5] ^= 1
			return len(data), len(text)
		}, good[k].Decoded, fault.Corrupt},
		{"a bit to the side", func(m []inflate.Mark) (int, int) { m[k].Bit ^= 1; return len(data), len(text) }, good[k-1].Decoded, fault.Corrupt},
		{"a decoded byte too far", func(m []inflate.Mark) (int, int) { m[k].Decoded++; return len(data), len(text) }, good[k-1].Decoded, fault.Corrupt},
		{"a decoded byte too near", func(m []inflate.Mark) (int, int) { m[k].Decoded--; return len(data), len(text) }, good[k-1].Decoded, fault.Corrupt},
		{"out of order", func(m []inflate.Mark) (int, int) {
			m[k], m[k-1] = m[k-1], m[k]
			return len(data), len(text)
		}, good[k-2].Decoded, fault.Corrupt},
		{"a window too short", func(m []inflate.Mark) (int, int) { m[k].Window = m[k].Window[1:]; return len(data), len(text) }, good[k-1].Decoded, fault.Corrupt},
		{"a stream that says it is shorter", func(m []inflate.Mark) (int, int) { return len(data) - 1, len(text) }, good[len(good)-1].Decoded, io.ErrUnexpectedEOF},
		{"a stream that says it is longer", func(m []inflate.Mark) (int, int) { return len(data) + 1, len(text) }, good[len(good)-1].Decoded, fault.Corrupt},
		{"a decoded size too small", func(m []inflate.Mark) (int, int) { return len(data), len(text) - 1 }, good[len(good)-1].Decoded, fault.Corrupt},
		{"a decoded size too large", func(m []inflate.Mark) (int, int) { return len(data), len(text) + 1 }, int64(len(text)), fault.Corrupt},
	} {
		m := append([]inflate.Mark(nil), good...)
		stored, decoded := tc.change(m)
		for _, workers := range []int{1, 2} {
			to := newRoom(len(text) + 1)
			_, err := marked(m, stored, decoded).Decode(bytes.NewReader(data), to, workers)
			e, ok := errors.AsType[*inflate.Error](err)
			if !ok || !errors.Is(err, tc.want) || e.Decoded < tc.least {
				t.Errorf("%s: got %v, want %v at %d or behind", tc.why, err, tc.want, tc.least)
				continue
			}
			right := min(int(e.Decoded), len(text))
			if n := difference(to.data[:right], text[:right]); n < right {
				t.Errorf("%s: got an error at %d, and a wrong byte at %d", tc.why, e.Decoded, n)
			}
		}
	}
}

// TestMarkedErrors: an error of the source, of the marks or of the writer is
// returned, and no goroutine stays.
func TestMarkedErrors(t *testing.T) {
	before := runtime.NumGoroutine()
	text := mixed(300_000)
	data := deflate(text, 6, 5000)
	m, _ := marks(t, data, 30_000)
	fault := errors.New("fault")
	stream := marked(m, len(data), len(text))
	if _, err := stream.Decode(failingAt{bytes.NewReader(data), m[3].Offset + 10, fault}, newRoom(len(text)), 2); !errors.Is(err, fault) {
		t.Errorf("source: got %v, want %v", err, fault)
	}
	to := newRoom(len(text))
	to.err = fault
	if _, err := stream.Decode(bytes.NewReader(data), to, 2); !errors.Is(err, fault) {
		t.Errorf("writer: got %v, want %v", err, fault)
	}
	at := stream.At
	stream.At = func(i int) (inflate.Mark, error) {
		if i == 3 {
			return inflate.Mark{}, fault
		}
		return at(i)
	}
	if _, err := stream.Decode(bytes.NewReader(data), newRoom(len(text)), 2); !errors.Is(err, fault) {
		t.Errorf("marks: got %v, want %v", err, fault)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("got %d goroutines, had %d", after, before)
	}
}

// failingAt fails for bytes from an offset on.
type failingAt struct {
	r   io.ReaderAt
	at  int64
	err error
}

func (f failingAt) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) <= f.at {
		return f.r.ReadAt(p, off)
	}
	n, _ := f.r.ReadAt(p[:max(0, f.at-off)], off)
	return n, f.err
}

func TestCombineCRC(t *testing.T) {
	t.Parallel()
	data := []byte(noisy(100_000))
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		i, j := r.IntN(len(data)+1), r.IntN(len(data)+1)
		i, j = min(i, j), max(i, j)
		if r.IntN(8) == 0 {
			j = i
		}
		a, b := crc32.ChecksumIEEE(data[:i]), crc32.ChecksumIEEE(data[i:j])
		if got, want := inflate.CombineCRC(a, b, int64(j-i)), crc32.ChecksumIEEE(data[:j]); got != want {
			t.Errorf("%d and %d bytes: got %08x, want %08x", i, j-i, got, want)
		}
	}
	// 2^40 zeros after "a", in halves.
	a, zeros, n := crc32.ChecksumIEEE([]byte("a")), crc32.ChecksumIEEE([]byte{0}), int64(1)
	for range 40 {
		zeros = inflate.CombineCRC(zeros, zeros, n)
		n *= 2
	}
	half := int64(1) << 39
	zerosHalf := crc32.ChecksumIEEE([]byte{0})
	for i := int64(1); i < half; i *= 2 {
		zerosHalf = inflate.CombineCRC(zerosHalf, zerosHalf, i)
	}
	if got, want := inflate.CombineCRC(inflate.CombineCRC(a, zerosHalf, half), zerosHalf, half), inflate.CombineCRC(a, zeros, n); got != want {
		t.Errorf("got %08x in two steps, %08x in one", got, want)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	long := []byte(noisy(inflate.Window))
	for _, s := range []inflate.State{
		{Format: 'g', Bit: 7, Summed: true, Sum: 0xfedcba98, Size: 5, Window: []byte("abcde")},
		{Format: 'd', Size: 1 << 40, Window: long},
		{Format: 'z', Window: []byte{}},
	} {
		b := s.Append([]byte("x"))[1:]
		got, ok := inflate.ParseState(b)
		if !ok || got.Format != s.Format || got.Bit != s.Bit || got.Summed != s.Summed || got.Sum != s.Sum || got.Size != s.Size || !bytes.Equal(got.Window, s.Window) {
			t.Errorf("got %+v, want %+v", got, s)
		}
		if m := got.Mark(99); m.Offset != 99 || m.Bit != s.Bit || m.Decoded != s.Size || m.History != len(s.Window) {
			t.Errorf("got %+v of %+v", m.Point, s)
		}
		for _, bad := range [][]byte{nil, b[:14], append(bytes.Clone(b), 0), append([]byte{2}, b[1:]...), append([]byte{1, 'g', 8}, b[3:]...)} {
			if _, ok := inflate.ParseState(bad); ok {
				t.Errorf("%d bytes were taken", len(bad))
			}
		}
	}
}
