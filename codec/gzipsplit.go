package codec

import (
	"encoding/binary"
	"io"
	"iter"
)

// gzipSplit lists the blocks of BGZF, which state their size in an extra field
// (SAM format specification, section 4.1). Members of other gzip show their end
// only when they are inflated: from the first of them on, all is one unit.
func gzipSplit(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		w := walk{r: headersOf(r, size), size: size}
		for w.off < size {
			unit := Unit{Offset: w.off, Decoded: -1}
			n, err := bgzfBlock(&w)
			switch {
			case err != nil:
			case n == 0:
				n = size - w.off
			default:
				var b []byte
				if b, err = w.at(n-4, 4); err == nil {
					unit.Decoded = int64(binary.LittleEndian.Uint32(b))
				}
			}
			if err == nil {
				err = w.advance(n)
			}
			if err == nil && w.off < size {
				// Padding cannot be decoded on its own.
				if b, err := w.at(0, 1); err == nil && b[0] == 0 {
					unit.Decoded = -1
					w.off = size
				}
			}
			if err != nil {
				yield(Unit{}, &Error{Codec: "gzip", Offset: w.off, Err: err})
				return
			}
			unit.Size = w.off - unit.Offset
			if !yield(unit, nil) {
				return
			}
		}
	}
}

// bgzfBlock is the size of the BGZF block at w, or 0 if there is none.
func bgzfBlock(w *walk) (int64, error) {
	if w.size-w.off < 28 {
		return 0, nil // a block has header, trailer and two bytes of deflate
	}
	b, err := w.at(0, 12)
	if err != nil {
		return 0, err
	}
	if string(b[:3]) != gzipMagic || b[3] != gzipExtra || le16(b[10:]) != 6 {
		return 0, nil
	}
	if b, err = w.at(12, 6); err != nil {
		return 0, err
	}
	if string(b[:4]) != bgzfField {
		return 0, nil
	}
	if n := int64(le16(b[4:])) + 1; n >= 28 {
		return n, nil
	}
	return 0, nil
}
