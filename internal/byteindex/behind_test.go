package byteindex

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// reference looks at every byte.
func reference(places []uint32, src []byte, from int, c byte) []uint32 {
	for i := from; i < len(src); i++ {
		if src[i] == c {
			places = append(places, uint32(i+1))
		}
	}
	return places
}

// Every length around a block, every start, and places from none to every byte
// give what a look at each byte gives, after what was there, whatever room
// there is.
func TestAppendBehind(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, often := range []int{0, 1, 2, 40, 200, 5000} { // one byte in so many
		for range 400 {
			src := make([]byte, rng.IntN(6*Block))
			for i := range src {
				src[i] = '\n' + byte(1+rng.IntN(3)) // close to it, but not it
				if often > 0 && rng.IntN(often) == 0 {
					src[i] = '\n'
				}
			}
			from := rng.IntN(len(src) + 1)
			had := slices.Clip([]uint32{7, 8})
			if rng.IntN(2) == 0 {
				had = slices.Grow(had, rng.IntN(200))
			}
			got := AppendBehind(had, src, from, '\n')
			if want := reference([]uint32{7, 8}, src, from, '\n'); !slices.Equal(got, want) {
				t.Fatalf("%d bytes from %d: got %d, want %d", len(src), from, got, want)
			}
		}
	}
}

// No byte value is taken for another.
func TestAppendBehindEveryByte(t *testing.T) {
	src := make([]byte, 256)
	for i := range src {
		src[i] = byte(i)
	}
	src = append(src, src...)
	for c := range 256 {
		got := AppendBehind(nil, src, 0, byte(c))
		if want := []uint32{uint32(c) + 1, uint32(c) + 257}; !slices.Equal(got, want) {
			t.Fatalf("byte %#x: got %d, want %d", c, got, want)
		}
	}
}

// No allocation where there is room.
func TestAppendBehindAllocs(t *testing.T) {
	src := bytes.Repeat([]byte("0123456789\n"), 10_000)
	places := AppendBehind(nil, src, 0, '\n')
	places = slices.Grow(places, len(src))
	if n := testing.AllocsPerRun(10, func() { places = AppendBehind(places[:0], src, 0, '\n') }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func FuzzAppendBehind(f *testing.F) {
	f.Add([]byte("a\n\nb"), 0, byte('\n'))
	f.Add(bytes.Repeat([]byte{0}, 200), 3, byte(0))
	f.Fuzz(func(t *testing.T, src []byte, from int, c byte) {
		from = min(max(from, 0), len(src))
		if got, want := AppendBehind(nil, src, from, c), reference(nil, src, from, c); !slices.Equal(got, want) {
			t.Errorf("got %d, want %d", got, want)
		}
	})
}
