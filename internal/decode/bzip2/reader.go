package bzip2

import (
	"io"
	"math/bits"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// Marks of a block and of the end of a stream, 48 bits each.
const (
	blockMark = 0x314159265359
	endMark   = 0x177245385090
)

// levelBytes is how many bytes of a block one level stands for.
const levelBytes = 100_000

// Reader decodes one stream. The zero value is ready for Reset. It is for one
// goroutine.
type Reader struct {
	// Unverified leaves checksums alone.
	Unverified bool

	bits      bitReader
	level     int      // 0 before the header was read
	sum       uint32   // of the stream: the checksums of its blocks so far
	skip      uint     // bits to skip before the first block, where Resume began
	passed    int      // blocks that ended
	last      boundary // after the last of them
	err       error    // sticky
	lengths   [maxCodes]uint8
	trees     [maxTrees]huffman
	selectors [maxSelectors]uint8

	block  []byte   // the block, first as the transform left it, then undone
	links  []uint32 // both ways, each place<<8 | byte
	counts [256]uint32

	runs    runs
	got     crc
	want    uint32
	inBlock bool
}

// Reset begins a stream at src's next byte and keeps buffers.
func (z *Reader) Reset(src Source) {
	z.bits.reset(src)
	z.level, z.sum, z.err = 0, 0, nil
	z.skip, z.passed, z.last = 0, 0, boundary{}
	z.runs = runs{}
	z.inBlock = false
}

// Read returns decoded data. It returns io.EOF, without data, once the stream's end
// and checksums were seen; then the source stands after the stream's last byte.
// While data is returned the source stands after the block that it came from, and
// at an error after the last byte looked at.
//
// A stream that ends too early is io.ErrUnexpectedEOF; other errors are
// [*fault.Error] and errors of the source. A read of nothing
// has no effect.
func (z *Reader) Read(p []byte) (int, error) {
	for len(p) > 0 && z.err == nil {
		if n := z.runs.read(p); n > 0 {
			if !z.Unverified {
				z.got.write(p[:n])
			}
			return n, nil
		}
		z.err = z.next()
		z.bits.settle()
	}
	if len(p) == 0 {
		return 0, nil
	}
	return 0, z.err
}

// next closes the current block and decodes the one after it.
func (z *Reader) next() error {
	if z.level == 0 {
		if err := z.header(); err != nil {
			return err
		}
	}
	if z.inBlock && !z.Unverified {
		if got := z.got.sum(); got != z.want {
			return fault.Checksumf("CRC-32 of the block is %08x, stored is %08x", got, z.want)
		}
	}
	if z.inBlock {
		z.passed++
		z.last = boundary{skip: -z.bits.n % 8, sum: z.sum}
	}
	z.inBlock = false
	z.bits.take(z.skip)
	z.skip = 0
	mark := uint64(z.bits.take(24))<<24 | uint64(z.bits.take(24))
	sum := z.bits.take(32)
	if err := z.bits.short(); err != nil {
		return err
	}
	switch mark {
	case blockMark:
		z.got.reset()
		z.want, z.inBlock = sum, true
		z.sum = bits.RotateLeft32(z.sum, 1) ^ sum
		return z.readBlock()
	case endMark:
		z.bits.align()
		if z.sum != sum && !z.Unverified {
			return fault.Checksumf("CRC-32 of the stream is %08x, stored is %08x", z.sum, sum)
		}
		return io.EOF
	}
	return fault.Corruptf("neither a block nor the end of the stream")
}

// header reads "BZh" and the level.
func (z *Reader) header() error {
	h := z.bits.take(32)
	if err := z.bits.short(); err != nil {
		return err
	}
	level := int(h&0xff) - '0'
	switch {
	case h>>8 != 'B'<<16|'Z'<<8|'h':
		return fault.Corruptf("no stream header")
	case level < 1 || level > 9:
		return fault.Corruptf("no level 1 to 9 in the stream header")
	}
	z.level = level
	return nil
}
