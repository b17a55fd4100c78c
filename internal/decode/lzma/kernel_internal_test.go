//go:build amd64 && !purego && !noasm

package lzma

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	writer "github.com/ulikunitz/xz/lzma"
)

// kernelDict is the dictionary of these tests: streams are several times as long.
const kernelDict = 8 << 10

// kernelData has literals, repeated distances and matches from the closest to
// the farthest of a small dictionary.
func kernelData(r *rand.Rand, size int) []byte {
	var b []byte
	last := 1
	for len(b) < size {
		n := 1 + r.IntN(40)
		switch r.IntN(5) {
		case 0:
			for range n {
				b = append(b, byte(r.IntN(1+r.IntN(256))))
			}
			continue
		case 1:
			last = 1 + r.IntN(20)
		case 2:
			last = 1 + r.IntN(1<<r.IntN(17))
		case 3:
			b = append(b, byte(r.Uint32()))
		case 4:
			n *= 1 + r.IntN(20)
		}
		for range n {
			from := len(b) - last
			if from < 0 {
				break
			}
			b = append(b, b[from])
		}
	}
	return b
}

// kernelStream is data as an LZMA stream without its header.
func kernelStream(t testing.TB, data []byte, p Props) []byte {
	t.Helper()
	var b bytes.Buffer
	c := writer.WriterConfig{Properties: &writer.Properties{LC: int(p.LC), LP: int(p.LP), PB: int(p.PB)}, DictCap: kernelDict}
	w, err := c.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()[13:]
}

// compareKernel runs both loops over a stream in the same steps of r and
// compares all that they leave, until a fault, the end marker or the end. It tells
// how many bytes came out before an end marker, -1 where there is none. With cut,
// matches may be cut, after which a stream makes no sense.
func compareKernel(r *rand.Rand, stream []byte, p Props, cut bool) (int, error) {
	if len(stream) < 5 {
		return -1, nil
	}
	given := 0
	var a, b coder
	for _, c := range []*coder{&a, &b} {
		c.init(kernelDict)
		c.ring = c.dict + copySlack // so that it is gone round often
		c.resetState(p)
		c.start(stream)
	}
	stream = append(bytes.Clone(stream[5:]), make([]byte, len(input{}))...)
	for len(stream) >= len(input{}) {
		for _, c := range []*coder{&a, &b} {
			c.rd = c.pos
			c.room()
		}
		last := r.IntN(len(stream) - len(input{}) + 1)
		limit := a.pos + 1 + r.IntN(a.size-a.pos)
		end := limit + maxMatch
		if cut {
			end = limit + r.IntN(3)*r.IntN(maxMatch)
		}
		from := a.pos
		used, st := a.symbols(stream, last, limit, end)
		want, wantSt := b.portable(stream, last, limit, end)
		given += a.pos - from
		switch {
		case used != want || st != wantSt:
			return 0, fmt.Errorf("got %d bytes, status %d; want %d, %d", used, st, want, wantSt)
		case st == endMarker:
			return given, nil
		case a.rng != b.rng || a.code != b.code || a.pos != b.pos || a.full != b.full:
			return 0, fmt.Errorf("got range %x code %x pos %d full %d; want %x %x %d %d", a.rng, a.code, a.pos, a.full, b.rng, b.code, b.pos, b.full)
		case st == corrupt:
			return -1, nil
		case a.state != b.state || a.reps != b.reps:
			return 0, fmt.Errorf("got state %d, distances %d; want %d, %d", a.state, a.reps, b.state, b.reps)
		case a.flags != b.flags || a.dist != b.dist || a.lenMatch != b.lenMatch || a.lenRep != b.lenRep:
			return 0, fmt.Errorf("models differ at %d", a.pos)
		case !bytes.Equal(a.buf[:a.pos], b.buf[:b.pos]):
			return 0, fmt.Errorf("bytes differ before %d", a.pos)
		}
		stream = stream[used:]
	}
	if !slices.Equal(a.literal, b.literal) {
		return 0, fmt.Errorf("models of literals differ")
	}
	return -1, nil
}

// TestKernel: the kernel does what the portable loop does, on whole streams and
// on damaged ones, wherever it is made to stop.
func TestKernel(t *testing.T) {
	t.Parallel()
	for i, p := range []Props{{3, 0, 2}, {0, 0, 0}, {4, 0, 4}, {0, 4, 1}, {6, 0, 2}, {1, 3, 3}} {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		data := kernelData(r, 60_000)
		stream := kernelStream(t, data, p)
		if n, err := compareKernel(r, stream, p, false); err != nil || n != len(data) {
			t.Errorf("%v: got %d bytes, %v; want %d", p, n, err, len(data))
		}
		for n := range 60 {
			damaged := bytes.Clone(stream)
			damaged[1+r.IntN(len(damaged)-1)] ^= 1 << r.IntN(8)
			if _, err := compareKernel(r, damaged, p, n%2 == 0); err != nil {
				t.Errorf("%v, damage %d: %v", p, n, err)
			}
		}
	}
}

// FuzzKernel: the kernel does what the portable loop does on any bytes.
func FuzzKernel(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 6))
	for _, size := range []int{0, 300, 20_000} {
		f.Add(kernelStream(f, kernelData(r, size), Props{3, 0, 2}), byte(0x5d), uint64(size))
	}
	f.Add(bytes.Repeat([]byte{0xff}, 300), byte(0), uint64(1))
	f.Fuzz(func(t *testing.T, stream []byte, props byte, seed uint64) {
		p, ok := ParseProps(props)
		if !ok || p.LC+p.LP > 4 || len(stream) < 5 || stream[0] != 0 {
			return
		}
		if _, err := compareKernel(rand.New(rand.NewPCG(seed, 7)), stream, p, seed%2 == 0); err != nil {
			t.Error(err)
		}
	})
}
