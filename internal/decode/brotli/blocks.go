package brotli

import "github.com/thaw-go/thaw/internal/decode/mem"

const (
	maxBlockTypes = 256
	maxCounts     = 26      // size of the alphabet of block counts
	onlyBlock     = 1 << 24 // the count of a block of the only type
)

// counts are the bases and bits of the codes of block counts.
var counts = series(1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13, 24)

// blocks is where the blocks of one category stand, RFC 7932 section 6: literals,
// commands or distances.
type blocks struct {
	types    int
	current  int // type
	previous int // type of the block before
	left     int // elements until the next block
	typeCode []entry
	sizeCode []entry
}

// begin reads the header of one category.
func (k *blocks) begin(b *bitReader, p *prefixCodes) (err error) {
	k.types, k.current, k.previous, k.left = b.count(), 0, 1, onlyBlock
	if k.types == 1 {
		return b.err
	}
	if k.typeCode, err = p.read(b, k.typeCode[:0], k.types+2, k.types+2); err != nil {
		return err
	}
	if k.sizeCode, err = p.read(b, k.sizeCode[:0], maxCounts, maxCounts); err != nil {
		return err
	}
	k.left = k.size(b)
	return b.err
}

func (k *blocks) size(b *bitReader) int {
	c := counts[b.symbol(k.sizeCode)]
	return int(c.base) + b.take(uint(c.bits))
}

// next begins the next block. That the only block ends takes commands that copy words
// of no bytes.
func (k *blocks) next(b *bitReader) {
	if k.types == 1 {
		k.left = onlyBlock
		return
	}
	k.setType(b.symbol(k.typeCode))
	k.left = k.size(b)
}

// nextFrom is next with the bits of acc, of which there are n, 54 or more. It returns
// those left.
func (k *blocks) nextFrom(acc uint64, n uint) (uint64, uint) {
	if k.types == 1 {
		k.left = onlyBlock
		return acc, n
	}
	e := lookup(mem.TableOf(k.typeCode), 0, acc)
	k.setType(int(e.value()))
	acc, n = e.use(acc, n)
	e = lookup(mem.TableOf(k.sizeCode), 0, acc)
	acc, n = e.use(acc, n)
	c := counts[e.value()]
	k.left = int(c.base) + int(acc&(1<<c.bits-1))
	return acc >> c.bits, n - uint(c.bits)
}

// setType finds the type that a symbol says.
func (k *blocks) setType(symbol int) {
	t := symbol - 2
	switch symbol {
	case 0:
		t = k.previous
	case 1:
		if t = k.current + 1; t == k.types {
			t = 0
		}
	}
	k.previous, k.current = k.current, t
}
