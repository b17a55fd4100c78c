package byteindex

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// referenceMasks looks at every byte.
func referenceMasks(n int, src []byte, c byte) []uint64 {
	masks := make([]uint64, n)
	for i := range n * Block {
		if src[i] == c {
			masks[i/Block] |= 1 << (i % Block)
		}
	}
	return masks
}

// Both ways give what a look at each byte gives, whatever stood in the masks,
// also for bytes a borrow takes for c and those after the blocks.
func TestMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := rng.IntN(5)
		src := make([]byte, n*Block+rng.IntN(Block))
		for i := range src {
			src[i] = "\"\n#\x0b\x8a\xa2\x00\xff"[rng.IntN(8)]
		}
		masks := slices.Repeat([]uint64{^uint64(0)}, n)
		for _, c := range []byte("\"\n\x00\xff,") {
			want := referenceMasks(n, src, c)
			if Masks(masks, src, c); !slices.Equal(masks, want) {
				t.Fatalf("%q in %q: got %x, want %x", c, src, masks, want)
			}
			for i := range masks {
				if got := mask((*[Block]byte)(src[i*Block:]), c); got != want[i] {
					t.Fatalf("%q in block %d of %q: got %x, want %x", c, i, src, got, want[i])
				}
			}
		}
	}
}

// No byte value is taken for another.
func TestMasksEveryByte(t *testing.T) {
	src := make([]byte, 256)
	for i := range src {
		src[i] = byte(i)
	}
	var masks [4]uint64
	for c := range 256 {
		Masks(masks[:], src, byte(c))
		if want := referenceMasks(4, src, byte(c)); !slices.Equal(masks[:], want) {
			t.Fatalf("byte %#x: got %x, want %x", c, masks, want)
		}
	}
}

func FuzzMasks(f *testing.F) {
	f.Add([]byte("a\"#\"\"#b"), byte('"'))
	f.Fuzz(func(t *testing.T, src []byte, c byte) {
		n := (len(src) + Block - 1) / Block
		src = append(src, make([]byte, Block)...)
		masks := make([]uint64, n)
		if Masks(masks, src, c); !slices.Equal(masks, referenceMasks(n, src, c)) {
			t.Errorf("got %x, want %x", masks, referenceMasks(n, src, c))
		}
	})
}
