package codec

import (
	"io"
	"iter"
)

// noneUnit is the size of a unit of plain data.
const noneUnit = 8 << 20

// noneSplit cuts plain data anywhere.
func noneSplit(_ io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		for off := int64(0); off < size; off += noneUnit {
			n := min(noneUnit, size-off)
			if !yield(Unit{Offset: off, Size: n, Decoded: n}, nil) {
				return
			}
		}
	}
}
