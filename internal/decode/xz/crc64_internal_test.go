package xz

import (
	"hash/crc64"
	"math/rand/v2"
	"testing"
)

// TestCRC64 holds lanes and folding to hash/crc64 at the sizes around their
// borders.
func TestCRC64(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	p := make([]byte, 10*crc64Lane)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	table := crc64.MakeTable(crc64.ECMA)
	sum := newCRC64()
	for _, n := range []int{0, 1, 7, 8, 9, 63, 64, 255, 256, 257, 319, 320, crc64Lane, 4*crc64Lane - 1, 4 * crc64Lane, 4*crc64Lane + 1, 9*crc64Lane + 5, len(p)} {
		crc := r.Uint64()
		if got, want := sum.update(crc, p[:n]), crc64.Update(crc, table, p[:n]); got != want {
			t.Errorf("%d bytes: got %016x, want %016x", n, got, want)
		}
		if got, want := ^sum.lane(^crc, p[:n]), crc64.Update(crc, table, p[:n]); got != want {
			t.Errorf("%d bytes in one lane: got %016x, want %016x", n, got, want)
		}
	}
}

func BenchmarkCRC64(b *testing.B) {
	p := make([]byte, 64<<10)
	table := crc64.MakeTable(crc64.ECMA)
	sum := newCRC64()
	b.Run("by=codec", func(b *testing.B) {
		b.SetBytes(int64(len(p)))
		for b.Loop() {
			sum.update(0, p)
		}
	})
	b.Run("by=library", func(b *testing.B) {
		b.SetBytes(int64(len(p)))
		for b.Loop() {
			crc64.Update(0, table, p)
		}
	})
}
