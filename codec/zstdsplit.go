package codec

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"
)

// zstdSplit lists frames. Skippable frames belong to the frame before them, those
// at the front to the first one. Headers of frames and blocks are read, blocks are
// not. A dictionary in the first frame goes with every unit, and leaves one unit
// where it is too large for that.
func zstdSplit(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		w := zstdWalk{walk{r: headersOf(r, size), size: size}}
		unit, frames := Unit{}, 0
		state, whole := zstdUnitState(r, size)
		for w.off < size {
			start := w.off
			decoded, skipped, err := w.frame()
			if err != nil {
				if errors.Is(err, ErrTrailing) && start == 0 {
					err = ErrCorrupt
				}
				yield(Unit{}, &Error{Codec: "zstd", Offset: w.off, Err: err})
				return
			}
			if skipped {
				continue
			}
			if frames++; frames > 1 && whole {
				unit.Decoded = plus(unit.Decoded, decoded)
				continue
			}
			if frames > 1 {
				unit.Size = start - unit.Offset
				if !yield(unit, nil) {
					return
				}
				unit = Unit{Offset: start, State: state}
			}
			unit.Decoded = decoded
		}
		if unit.Size = size - unit.Offset; size > 0 {
			yield(unit, nil)
		}
	}
}

// plus adds two sizes of which -1 is one that is not known.
func plus(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

// zstdWalk goes from frame to frame.
type zstdWalk struct{ walk }

// frame goes behind the frame at off. decoded is its declared size or -1.
func (w *zstdWalk) frame() (decoded int64, skipped bool, err error) {
	b, err := w.at(0, 4)
	if err != nil {
		return 0, false, err
	}
	if v := zstdLegacy(b); v > 0 {
		return 0, false, zstdLegacyError(v)
	}
	if skippableMagic(b) == Yes {
		if b, err = w.at(4, 4); err != nil {
			return 0, false, err
		}
		return 0, true, w.advance(skippableHeader + int64(binary.LittleEndian.Uint32(b)))
	}
	if string(b) != zstdMagic {
		return 0, false, ErrTrailing
	}
	h, err := w.header()
	if err != nil {
		return 0, false, err
	}
	for last := false; !last; {
		if b, err = w.at(0, 3); err != nil {
			return 0, false, err
		}
		var typ, size int
		last, typ, size = zstdBlock(b)
		switch typ {
		case zstdRLE:
			size = 1
		case zstdReserved:
			return 0, false, ErrCorrupt
		}
		if err := w.advance(3 + int64(size)); err != nil {
			return 0, false, err
		}
	}
	if h.checksum {
		err = w.advance(4)
	}
	return h.content, false, err
}

// header reads a frame's header and goes behind it.
func (w *zstdWalk) header() (h zstdHeader, err error) {
	var head [zstdMaxHeader]byte
	b, err := w.at(0, 5)
	if err != nil {
		return h, err
	}
	n := copy(head[:], b)
	if b, err = w.at(5, zstdHeaderSize(head[:])-5); err != nil {
		return h, err
	}
	n += copy(head[n:], b)
	if h, err = parseZstdHeader(head[:n]); err != nil {
		return h, err
	}
	return h, w.advance(int64(h.size))
}
