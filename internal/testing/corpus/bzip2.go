package corpus

import (
	"fmt"
	"hash/crc32"
	"math/bits"

	"github.com/thaw-go/thaw/internal/decode/bzip2"
)

// Bzip2 says how Bzip2.Encode makes a stream. The zero value is level 9.
type Bzip2 struct {
	// Level is 1 to 9, in 100,000 bytes a block; 0 means 9.
	Level int

	// Block is how many bytes a block has at most, 5 or more; 0 means what the level allows.
	// bzip2 ends a block early only where it is flushed.
	Block int

	// Randomised makes blocks as versions before 0.9.5 did where sorting was hard.
	Randomised bool

	// Trees is how many prefix codes a block has, 2 to 6; 0 means 6.
	Trees int
}

// Encode is data in one bzip2 stream. It is meant for vectors: it compresses as
// bzip2 does, several times slower, in memory of 20 bytes for each of a block.
func (o Bzip2) Encode(data []byte) []byte {
	if o.Level == 0 {
		o.Level = 9
	}
	if o.Trees == 0 {
		o.Trees = 6
	}
	limit := o.Level*100_000 - 19
	if o.Block != 0 {
		limit = min(limit, o.Block)
	}
	if limit < 5 || o.Level < 1 || o.Level > 9 || o.Trees < 2 || o.Trees > 6 {
		panic(fmt.Sprintf("corpus: Bzip2 with level %d, blocks of %d and %d trees", o.Level, o.Block, o.Trees))
	}
	w := &bitWriter{buf: []byte{'B', 'Z', 'h', byte('0' + o.Level)}}
	sum := uint32(0)
	for len(data) > 0 {
		block, n := packRuns(data, limit)
		crc := bzip2Sum(data[:n])
		sum = bits.RotateLeft32(sum, 1) ^ crc
		o.writeBlock(w, block, crc)
		data = data[n:]
	}
	w.put(24, 0x177245)
	w.put(24, 0x385090)
	w.put(32, sum)
	return w.end()
}

func (o Bzip2) writeBlock(w *bitWriter, block []byte, crc uint32) {
	randomised := uint32(0)
	if o.Randomised {
		bzip2.Randomise(block)
		randomised = 1
	}
	last, origin := rotate(block)
	w.put(24, 0x314159)
	w.put(24, 0x265359)
	w.put(32, crc)
	w.put(1, randomised)
	w.put(24, uint32(origin))
	used := writeUsed(w, last)
	writeSymbols(w, toSymbols(last, used), len(used)+2, o.Trees)
}

// bzip2Sum is the CRC-32 that takes the highest bit of a byte first.
func bzip2Sum(data []byte) uint32 {
	mirrored := make([]byte, len(data))
	for i, b := range data {
		mirrored[i] = bits.Reverse8(b)
	}
	return bits.Reverse32(crc32.ChecksumIEEE(mirrored))
}

// packRuns codes runs of 4 to 259 bytes as four of them and a count, until limit
// bytes are made or data, of which it took n, is used up.
func packRuns(data []byte, limit int) (block []byte, n int) {
	for n < len(data) && len(block)+5 <= limit {
		run := 1
		for run < 259 && n+run < len(data) && data[n+run] == data[n] {
			run++
		}
		for range min(run, 4) {
			block = append(block, data[n])
		}
		if run >= 4 {
			block = append(block, byte(run-4))
		}
		n += run
	}
	return block, n
}

// writeUsed writes which bytes there are, and returns them.
func writeUsed(w *bitWriter, block []byte) []byte {
	var present [256]bool
	for _, b := range block {
		present[b] = true
	}
	var used []byte
	var ranges uint32
	var maps [16]uint32
	for b, is := range present {
		if is {
			used = append(used, byte(b))
			ranges |= 1 << (15 - b>>4)
			maps[b>>4] |= 1 << (15 - b&15)
		}
	}
	w.put(16, ranges)
	for _, m := range maps {
		if m != 0 {
			w.put(16, m)
		}
	}
	return used
}

// toSymbols moves bytes to the front of used and codes zeros as runs in digits 1
// and 2, lowest first.
func toSymbols(block, used []byte) []uint16 {
	list := append([]byte(nil), used...)
	var symbols []uint16
	run := 0
	flush := func() {
		for ; run > 0; run = (run - 1) / 2 {
			symbols = append(symbols, uint16((run-1)&1))
		}
	}
	for _, b := range block {
		place := 0
		for list[place] != b {
			place++
		}
		if place == 0 {
			run++
			continue
		}
		flush()
		symbols = append(symbols, uint16(place+1))
		copy(list[1:place+1], list[:place])
		list[0] = b
	}
	flush()
	return append(symbols, uint16(len(used)+1))
}

// writeSymbols writes trees, the choice among them for each 50 symbols, and the
// symbols. The spans are dealt out to the trees in order.
func writeSymbols(w *bitWriter, symbols []uint16, alphabet, trees int) {
	const span = 50
	spans := (len(symbols) + span - 1) / span
	tree := func(i int) int { return i / span * trees / spans }
	counts := make([][]int, trees)
	for t := range counts {
		counts[t] = make([]int, alphabet)
	}
	for i, s := range symbols {
		counts[tree(i)][s]++
	}
	w.put(3, uint32(trees))
	w.put(15, uint32(spans))
	list := []int{0, 1, 2, 3, 4, 5}
	for i := range spans {
		t := tree(i * span)
		place := 0
		for list[place] != t {
			place++
			w.put(1, 1)
		}
		w.put(1, 0)
		copy(list[1:place+1], list[:place])
		list[0] = t
	}
	codes, lengths := make([][]uint32, trees), make([][]int, trees)
	for t := range trees {
		lengths[t] = codeLengths(counts[t])
		codes[t] = canonical(lengths[t])
		writeLengths(w, lengths[t])
	}
	for i, s := range symbols {
		t := tree(i)
		w.put(lengths[t][s], codes[t][s])
	}
}

// writeLengths writes the first length and then the steps from one to the next.
func writeLengths(w *bitWriter, lengths []int) {
	now := lengths[0]
	w.put(5, uint32(now))
	for _, l := range lengths {
		for ; now < l; now++ {
			w.put(2, 0b10)
		}
		for ; now > l; now-- {
			w.put(2, 0b11)
		}
		w.put(1, 0)
	}
}
