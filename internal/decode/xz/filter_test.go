package xz_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/xz"
)

// code is random data in which the instructions of all filters come often.
func code(seed uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for i := 0; i+16 <= size; i += 1 + r.IntN(12) {
		switch r.IntN(9) {
		case 0, 1: // x86 call or jump with a target in reach, often close together
			b[i] = 0xe8 + byte(r.IntN(2))
			b[i+4] = -byte(r.IntN(2))
		case 2: // x86 opcodes one after the other
			copy(b[i:], "\xe8\xe9\xe8\x00\xff\x00\xff")
		case 3: // PowerPC bl
			j := i &^ 3
			b[j], b[j+3] = 0x48|b[j]&3, b[j+3]&^3|1
		case 4: // ARM bl
			b[i|3] = 0xeb
		case 5: // ARM Thumb bl
			j := i &^ 1
			b[j+1], b[j+3] = 0xf0|b[j+1]&7, 0xf8|b[j+3]&7
		case 6: // ARM64 bl, adrp
			b[i|3] = [...]byte{0x94, 0x97, 0x90, 0xf0}[r.IntN(4)]
		case 7: // SPARC call
			j := i &^ 3
			b[j], b[j+1] = 0x40, b[j+1]&0x3f
			if r.IntN(2) == 0 {
				b[j], b[j+1] = 0x7f, b[j+1]|0xc0
			}
		default: // IA-64 bundle with branches: opcode 5 and zeros where they must be
			j := i &^ 15
			b[j] = b[j]&^0x1f | 0x10 + byte(r.IntN(8))
			for slot := range 3 {
				for bit := range 4 {
					set(b[j:], 5+41*slot+37+bit, 5>>bit&1 != 0)
				}
				for bit := range 3 {
					set(b[j:], 5+41*slot+9+bit, false)
				}
			}
		}
	}
	return b
}

func set(b []byte, bit int, to bool) {
	b[bit/8] &^= 1 << (bit % 8)
	if to {
		b[bit/8] |= 1 << (bit % 8)
	}
}

// TestFiltersOfXZ undoes what the xz tool did.
func TestFiltersOfXZ(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("xz")
	if err != nil {
		t.Skip("no xz tool: ", err)
	}
	r := xz.Reader{Limit: 1 << 20}
	for _, chain := range [][]string{
		{"--x86"}, {"--x86=start=4096"}, {"--powerpc"}, {"--ia64"}, {"--ia64=start=32"}, {"--arm"}, {"--armthumb"},
		{"--armthumb=start=6"}, {"--arm64"}, {"--arm64=start=65536"}, {"--sparc"}, {"--sparc=start=4294967280"},
		{"--delta"}, {"--delta=dist=7"}, {"--delta=dist=256"},
		{"--x86", "--delta=dist=3", "--arm"}, {"--delta", "--delta=dist=2", "--delta=dist=4"},
	} {
		for _, size := range []int{0, 1, 4, 5, 15, 16, 17, 1000, 100_000} {
			data := code(uint64(size), size)
			cmd := exec.Command(tool, append(append([]string{"-c", "--check=sha256"}, chain...), "--lzma2=preset=0,dict=64KiB")...)
			cmd.Stdin = bytes.NewReader(data)
			stored, err := cmd.Output()
			if err != nil {
				t.Logf("%v: the tool says %v", chain, err) // an older one without the filter
				break
			}
			if got, _, err := decode(&r, stored); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%v, %d bytes: got %d bytes and %v, want them all", chain, size, len(got), err)
			}
		}
	}
}

func TestDelta(t *testing.T) {
	t.Parallel()
	data := code(1, 5000)
	for _, distance := range []int{1, 2, 255, 256} {
		packed := bytes.Clone(data)
		for i := range packed {
			if i >= distance {
				packed[i] = data[i] - data[i-distance]
			}
		}
		// The check is of what the block was built from, so it is skipped.
		r := xz.Reader{Limit: 1 << 20, Skip: true}
		stored := stream(t, xz.CRC32, block{data: packed, count: 1, filters: []byte{3, 1, byte(distance - 1)}})
		if got, _, err := decode(&r, stored); err != nil || !bytes.Equal(got, data) {
			t.Errorf("distance %d: got %d bytes and %v, want them all", distance, len(got), err)
		}
	}
}

// TestFilteredCut: what a filter could not convert for want of more is not given.
func TestFilteredCut(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("xz")
	if err != nil {
		t.Skip("no xz tool: ", err)
	}
	data := code(2, 2000)
	cmd := exec.Command(tool, "-c", "--x86", "--lzma2=preset=0,dict=64KiB")
	cmd.Stdin = bytes.NewReader(data)
	stored, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	r := xz.Reader{Limit: 1 << 20}
	for n := len(xz.Magic); n < len(stored); n++ {
		got, _, err := decode(&r, stored[:n])
		var f *fault.Error
		if err == nil || errors.As(err, &f) || !bytes.HasPrefix(data, got) {
			t.Fatalf("cut at %d: got %d bytes and %v, want the beginning and an unexpected end", n, len(got), err)
		}
	}
}

func ExampleCheck_Size() {
	for _, c := range []xz.Check{xz.None, xz.CRC32, xz.CRC64, xz.SHA256} {
		fmt.Print(c.Size(), " ")
	}
	// Output: 0 4 8 32
}
