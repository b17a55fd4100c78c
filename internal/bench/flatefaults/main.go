// Command flatefaults shows two faults of github.com/klauspost/compress/flate,
// which docs/upstream.md reports. It prints what is expected and what comes.
//
//	go -C internal/bench run ./flatefaults
package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"

	kflate "github.com/klauspost/compress/flate"
)

func main() {
	checkpoint()
	noSymbols()
}

// checkpoint resumes after every block that is not the last.
func checkpoint() {
	stored := blocks()
	fmt.Printf("checkpoint after a stored block: %x\n", stored)
	want, err := io.ReadAll(flate.NewReader(bytes.NewReader(stored)))
	fmt.Printf("  compress/flate: %q, %v\n", want, err)
	var points []kflate.InflateCheckpoint
	got, err := io.ReadAll(kflate.NewReaderOpts(bytes.NewReader(stored), kflate.WithEobCallback(func(p kflate.InflateCheckpoint) {
		p.Window = bytes.Clone(p.Window)
		points = append(points, p)
	})))
	fmt.Printf("  klauspost:      %q, %v\n", got, err)
	for _, p := range points {
		if p.Final {
			continue
		}
		rest := stored[min(p.CompressedOffset, int64(len(stored))):]
		got, err := io.ReadAll(kflate.NewReaderOpts(bytes.NewReader(rest), kflate.WithResumeFrom(p)))
		fmt.Printf("  resumed at stored byte %d bit %d, %d decoded: %q, %v; want %q\n",
			p.CompressedOffset, p.BitOffset, p.UncompressedOffset, got, err, want[p.UncompressedOffset:])
	}
}

// blocks is a dynamic block "a", a stored block "b" and a last, fixed block "c".
func blocks() []byte {
	var w bits
	w.put(0, 1).put(2, 2)                // more to come, dynamic
	w.put(0, 5).put(0, 5).put(14, 4)     // 257 literals and lengths, 1 distance, 18 lengths of code lengths
	w.put(0, 3).put(0, 3).put(1, 3)      // 16, 17; 18 has one bit
	w.put(0, 42).put(1, 3)               // 14 more; 1 has one bit
	w.put(1, 1).put('a'-11, 7).put(0, 1) // zeros up to 'a', which has one bit
	w.put(1, 1).put(138-11, 7)           // zeros
	w.put(1, 1).put(255-'a'-138-11, 7)   // up to the end of block
	w.put(0, 1).put(0, 1)                // which has one bit, as the distance has
	w.put(0, 1).put(1, 1)                // a, end of block

	w.put(0, 1).put(0, 2).align() // more to come, stored
	w.put(1, 16).put(0xfffe, 16).put('b', 8)

	w.put(1, 1).put(1, 2) // the last, fixed
	w.code(0x30+'c', 8)   // c
	w.code(0, 7)          // end of block
	return w.out
}

// noSymbols decodes a dynamic block whose code of literals and lengths is empty.
func noSymbols() {
	stored := []byte{0x05, 0x00, 0x80, 0xc0, 0x5f, 0x1b, 13: 0}
	fmt.Printf("block without symbols: %x\n", stored)
	got, err := io.ReadAll(flate.NewReader(bytes.NewReader(stored)))
	fmt.Printf("  compress/flate: %d bytes, %v\n", len(got), err)
	got, err = io.ReadAll(kflate.NewReader(bytes.NewReader(stored)))
	fmt.Printf("  klauspost:      %d bytes, %v\n", len(got), err)
}

// bits are written the lowest of a byte first.
type bits struct {
	out []byte
	n   int
}

// put writes the n lowest bits of v, the lowest first.
func (b *bits) put(v uint64, n int) *bits {
	for i := range n {
		if b.n&7 == 0 {
			b.out = append(b.out, 0)
		}
		b.out[b.n>>3] |= byte(v>>i&1) << (b.n & 7)
		b.n++
	}
	return b
}

// code writes a Huffman code, its highest bit first.
func (b *bits) code(v uint64, n int) {
	for i := range n {
		b.put(v>>(n-1-i), 1)
	}
}

// align goes on at the next byte.
func (b *bits) align() { b.put(0, -b.n&7) }
