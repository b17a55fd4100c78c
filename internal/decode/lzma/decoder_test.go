package lzma_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/iotest"

	writer "github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/lzma"
	"github.com/thaw-go/thaw/internal/testing/chunks"
)

// sample is data with matches of every length and of distances up to reach.
func sample(seed uint64, size, reach int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, 0, size)
	for len(b) < size {
		switch n := 1 + r.IntN(40); {
		case len(b) == 0 || r.IntN(3) == 0:
			for range n {
				b = append(b, byte(r.IntN(1+r.IntN(256))))
			}
		default:
			if r.IntN(8) == 0 {
				n *= 20
			}
			from := len(b) - 1 - r.IntN(min(len(b), reach))
			for i := range n {
				b = append(b, b[from+i])
			}
		}
	}
	return b[:size]
}

// alone is data as a .lzma file.
func alone(t testing.TB, data []byte, c writer.WriterConfig) []byte {
	t.Helper()
	return written(t, data, func(b io.Writer) (io.WriteCloser, error) { return c.NewWriter(b) })
}

// lzma2 is data as an LZMA2 stream.
func lzma2(t testing.TB, data []byte, c writer.Writer2Config) []byte {
	t.Helper()
	return written(t, data, func(b io.Writer) (io.WriteCloser, error) { return c.NewWriter2(b) })
}

// written is what the writer that open returns makes of data.
func written(t testing.TB, data []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// begin resets d to the stream after the header of a .lzma file.
func begin(d *lzma.Decoder, stored []byte, src io.Reader) {
	p, _ := lzma.ParseProps(stored[0])
	dict := int64(binary.LittleEndian.Uint32(stored[1:]))
	size := int64(binary.LittleEndian.Uint64(stored[5:]))
	d.Reset(bufio.NewReaderSize(src, 1<<10), p, dict, size, lzma.MayHaveMarker)
}

func TestDecoder(t *testing.T) {
	t.Parallel()
	configs := map[string]writer.WriterConfig{
		"marker":          {},
		"size":            {SizeInHeader: true},
		"size and marker": {SizeInHeader: true, EOSMarker: true},
		"lc8":             {Properties: &writer.Properties{LC: 8}},
		"lp4 pb4":         {Properties: &writer.Properties{LP: 4, PB: 4}},
		"lc0":             {Properties: &writer.Properties{}},
		"smallest window": {DictCap: 4 << 10},
		"odd window":      {DictCap: 5000},
		"binary tree":     {Matcher: writer.BinaryTree, DictCap: 64 << 10},
	}
	var d lzma.Decoder // one for all: Reset must forget everything
	for name, c := range configs {
		for _, size := range []int{0, 1, 2, 300, 5000, 64<<10 - 1, 64 << 10, 150_000} {
			if size == 0 && c.SizeInHeader {
				continue // the writer takes it for unknown and writes no marker
			}
			data := sample(uint64(size), size, 8000)
			c.Size = int64(size)
			stored := alone(t, data, c)
			for _, s := range chunks.Sources {
				begin(&d, stored, s.Wrap(bytes.NewReader(stored[13:])))
				got, err := io.ReadAll(&d)
				if err != nil || !bytes.Equal(got, data) {
					t.Fatalf("%s, %d bytes, %s: got %d bytes and %v, want them all", name, size, s.Name, len(got), err)
				}
				if d.Taken() != int64(len(stored)-13) {
					t.Errorf("%s, %d bytes: got %d taken, want %d", name, size, d.Taken(), len(stored)-13)
				}
			}
		}
	}
}

func TestDecoder2(t *testing.T) {
	t.Parallel()
	var d lzma.Decoder2
	for name, c := range map[string]writer.Writer2Config{
		"default":         {},
		"smallest window": {DictCap: 4 << 10},
		"other contexts":  {Properties: &writer.Properties{LC: 1, LP: 3, PB: 4}},
	} {
		for _, size := range []int{0, 1, 300, 64 << 10, 300_000} {
			data := sample(uint64(size), size, 8000)
			if size == 300_000 {
				// Incompressible parts become chunks that are stored.
				for i := range data[100_000:200_000] {
					data[100_000+i] = byte(rand.Uint32())
				}
			}
			stored := lzma2(t, data, c)
			dict := int64(c.DictCap)
			if dict == 0 {
				dict = 8 << 20
			}
			for _, s := range chunks.Sources {
				d.Reset(bufio.NewReaderSize(s.Wrap(bytes.NewReader(stored)), 64), dict)
				got, err := io.ReadAll(&d)
				if err != nil || !bytes.Equal(got, data) {
					t.Fatalf("%s, %d bytes, %s: got %d bytes and %v, want them all", name, size, s.Name, len(got), err)
				}
				if d.Taken() != int64(len(stored)) {
					t.Errorf("%s, %d bytes: got %d taken, want %d", name, size, d.Taken(), len(stored))
				}
			}
		}
	}
}

// TestCut: a stream that ends early is never at its end, and what it gives is the
// beginning of the data.
func TestCut(t *testing.T) {
	t.Parallel()
	data := sample(1, 3000, 3000)
	stored := alone(t, data, writer.WriterConfig{})
	stored2 := lzma2(t, data, writer.Writer2Config{})
	var d lzma.Decoder
	for n := 13; n < len(stored); n++ {
		begin(&d, stored, bytes.NewReader(stored[13:n]))
		got, err := io.ReadAll(&d)
		if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(data, got) {
			t.Fatalf("LZMA cut at %d: got %v, want %v after the beginning", n, err, io.ErrUnexpectedEOF)
		}
		// At most the symbols that the last bytes are part of may be missing.
		if n > 100 && len(got) < (n-100)*len(data)/len(stored)/2 {
			t.Fatalf("LZMA cut at %d of %d: got %d bytes, want about their share of %d", n, len(stored), len(got), len(data))
		}
	}
	var d2 lzma.Decoder2
	for n := range stored2 {
		d2.Reset(bufio.NewReader(bytes.NewReader(stored2[:n])), 8<<20)
		got, err := io.ReadAll(&d2)
		if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(data, got) {
			t.Fatalf("LZMA2 cut at %d: got %v, want %v after the beginning", n, err, io.ErrUnexpectedEOF)
		}
	}
}

var errSource = errors.New("source")

func TestSourceError(t *testing.T) {
	t.Parallel()
	stored := lzma2(t, sample(1, 3000, 3000), writer.Writer2Config{})
	var d lzma.Decoder2
	for n := range stored {
		d.Reset(bufio.NewReader(io.MultiReader(bytes.NewReader(stored[:n]), iotest.ErrReader(errSource))), 8<<20)
		for range 2 {
			if _, err := io.ReadAll(&d); err != errSource {
				t.Fatalf("source failing at %d: got %v, want %v", n, err, errSource)
			}
		}
	}
}

func TestRules2(t *testing.T) {
	t.Parallel()
	raw := func(control byte, data string) []byte {
		return append([]byte{control, 0, byte(len(data) - 1)}, data...)
	}
	// Low bytes before each chunk choose the literal context of a beginning, so
	// that a chunk decodes alike after another.
	packed := lzma2(t, []byte("ice ice ice ice ice ice ice ice ice\n"), writer.Writer2Config{})
	packed = packed[:len(packed)-1]
	as := func(control byte) []byte {
		b := bytes.Clone(packed)
		b[0] = control
		if control < 0xc0 {
			b = append(b[:5], b[6:]...)
		}
		return b
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	end := []byte{0}
	const ok, bad = true, false
	for _, c := range []struct {
		reason string
		stored []byte
		want   bool
	}{
		{"nothing but the end", end, ok},
		{"a stored chunk", join(raw(1, "ice"), end), ok},
		{"two stored chunks", join(raw(1, "ice"), raw(2, "water"), end), ok},
		{"the first chunk keeps a dictionary", join(raw(2, "ice"), end), bad},
		{"the first LZMA chunk keeps a dictionary", join(as(0xc0), end), bad},
		{"LZMA data after a stored chunk", join(raw(1, "ice\n"), as(0xc0), end), ok},
		{"no parameters after a dictionary reset", join(raw(1, "ice"), as(0xa0), end), bad},
		{"no parameters after a second dictionary reset", join(as(0xe0), raw(1, "ice"), as(0xa0), end), bad},
		{"state reset with parameters at hand", join(as(0xe0), as(0xa0), end), ok},
		{"reserved control byte", join(as(0xe0), []byte{3, 0, 0, 'x'}, end), bad},
		{"reserved control byte 0x7f", join(as(0xe0), []byte{0x7f, 0, 0, 'x'}, end), bad},
		{"no end", as(0xe0), bad},
		{"properties of LZMA alone", join(func() []byte { b := as(0xe0); b[5] = 8; return b }(), end), bad},
		{"a chunk shorter than its range coder", join(func() []byte { b := as(0xe0); b[3], b[4] = 0, 3; return b }(), end), bad},
		{"a chunk with a byte to spare", join(func() []byte { b := as(0xe0); b[4]++; return append(b, 0) }(), end), bad},
		{"a chunk whose data is longer", join(func() []byte { b := as(0xe0); b[2]--; return b }(), end), bad},
		{"a chunk whose data is shorter", join(func() []byte { b := as(0xe0); b[2]++; return b }(), end), bad},
		{"range coder that does not begin with 0", join(func() []byte { b := as(0xe0); b[6] = 1; return b }(), end), bad},
		{"code out of range", join(func() []byte { b := as(0xe0); copy(b[7:], "\xff\xff\xff\xff"); return b }(), end), bad},
	} {
		var d lzma.Decoder2
		d.Reset(bufio.NewReader(bytes.NewReader(c.stored)), 4<<10)
		_, err := io.ReadAll(&d)
		var f *fault.Error
		if c.want != (err == nil) || err != nil && err != io.ErrUnexpectedEOF && !errors.As(err, &f) {
			t.Errorf("%s: got %v, want ok %v", c.reason, err, c.want)
		}
	}
}

// TestHistoryLimit: a distance of the dictionary size is good, one more is not.
func TestHistoryLimit(t *testing.T) {
	t.Parallel()
	const dict = 64 << 10
	// Noise as long as the dictionary, and its first bytes again.
	for extra, want := range map[int]bool{0: true, 1: false} {
		data := make([]byte, dict+extra)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		data = append(data, data[:100]...)
		stored := alone(t, data, writer.WriterConfig{DictCap: 1 << 20})
		binary.LittleEndian.PutUint32(stored[1:], dict)
		var d lzma.Decoder
		begin(&d, stored, bytes.NewReader(stored[13:]))
		if _, err := io.ReadAll(&d); want != (err == nil) {
			t.Errorf("distance of the dictionary and %d: got %v, want ok %v", extra, err, want)
		}
	}
}

// TestMemory: what is allocated follows the data, not the dictionary size.
func TestMemory(t *testing.T) {
	data := []byte("ice")
	stored := lzma2(t, data, writer.Writer2Config{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var d lzma.Decoder2
	d.Reset(bufio.NewReader(bytes.NewReader(stored)), math.MaxUint32)
	if got, err := io.ReadAll(&d); err != nil || len(got) != len(data) {
		t.Fatalf("got %d bytes and %v, want %d", len(got), err, len(data))
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 512<<10 {
		t.Errorf("three bytes with a dictionary of 4 GiB: got %d bytes allocated, want at most 512 KiB", got)
	}
}

func TestNoAllocationPerRead(t *testing.T) {
	data := sample(3, 1<<20, 60_000)
	stored := lzma2(t, data, writer.Writer2Config{DictCap: 64 << 10})
	src := bytes.NewReader(stored)
	in := bufio.NewReader(src)
	var d lzma.Decoder2
	p := make([]byte, 10_000)
	decode := func() {
		src.Reset(stored)
		in.Reset(src)
		d.Reset(in, 64<<10)
		for {
			if _, err := d.Read(p); err == io.EOF {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	decode()
	if got := testing.AllocsPerRun(3, decode); got != 0 {
		t.Errorf("got %v allocations for an object on a used decoder, want 0", got)
	}
}

func ExampleParseProps() {
	p, ok := lzma.ParseProps(0x5d)
	fmt.Println(p.LC, p.LP, p.PB, ok)
	// Output: 3 0 2 true
}
