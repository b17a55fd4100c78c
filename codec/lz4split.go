package codec

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
)

// lz4Split lists frames. Skippable frames belong to the frame before them, those
// at the front to the first one. Block sizes are read, blocks are not.
func lz4Split(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		w := lz4Walk{walk{r: headersOf(r, size), size: size}}
		unit := Unit{Decoded: 0}
		begun := false // unit has a frame
		for w.off < size {
			kind, err := w.magic()
			if err == nil && kind != lz4Skippable && begun {
				unit.Size = w.off - unit.Offset
				if !yield(unit, nil) {
					return
				}
				unit = Unit{Offset: w.off}
			}
			if err == nil {
				var decoded int64
				if decoded, err = w.frame(kind); kind != lz4Skippable {
					unit.Decoded, begun = decoded, true
				}
			}
			if err != nil {
				yield(Unit{}, &Error{Codec: "lz4", Offset: w.off, Err: err})
				return
			}
		}
		unit.Size = size - unit.Offset
		if size > 0 {
			yield(unit, nil)
		}
	}
}

// lz4Walk goes from frame to frame.
type lz4Walk struct{ walk }

func (w *lz4Walk) magic() (lz4Kind, error) {
	b, err := w.at(0, 4)
	if err != nil {
		return lz4None, err
	}
	kind := lz4KindOf(binary.LittleEndian.Uint32(b))
	if kind == lz4None {
		return kind, ErrTrailing
	}
	return kind, nil
}

// frame goes behind the frame at off and returns its decoded size, -1 if the
// headers do not tell.
func (w *lz4Walk) frame(kind lz4Kind) (int64, error) {
	switch kind {
	case lz4Skippable:
		b, err := w.at(4, 4)
		if err != nil {
			return 0, err
		}
		return 0, w.advance(8 + int64(binary.LittleEndian.Uint32(b)))
	case lz4Legacy:
		return -1, w.legacy()
	}
	b, err := w.at(4, 1)
	if err != nil {
		return 0, err
	}
	n := lz4DescriptorSize(b[0])
	if b, err = w.at(4, n); err != nil {
		return 0, err
	}
	h, err := parseLZ4Descriptor(b)
	if err != nil {
		return 0, err
	}
	if err := w.advance(int64(4 + n)); err != nil {
		return 0, err
	}
	extra := int64(4)
	if h.blockSums {
		extra += 4
	}
	for {
		b, err := w.at(0, 4)
		if err != nil {
			return 0, err
		}
		word := binary.LittleEndian.Uint32(b)
		if word == 0 {
			break
		}
		n := int64(word & 0x7fffffff)
		if n > int64(h.blockMax) {
			return 0, fmt.Errorf("%w: lz4 block of %d bytes", ErrCorrupt, n)
		}
		if err := w.advance(extra + n); err != nil {
			return 0, err
		}
	}
	extra = 4
	if h.contentSum {
		extra += 4
	}
	if !h.sized {
		return -1, w.advance(extra)
	}
	return h.needs().Size, w.advance(extra)
}

// legacy ends at the end of the source or in front of another magic number.
func (w *lz4Walk) legacy() error {
	w.off += 4
	for w.off < w.size {
		b, err := w.at(0, 4)
		if err != nil {
			return err
		}
		word := binary.LittleEndian.Uint32(b)
		if lz4KindOf(word) != lz4None {
			return nil
		}
		if word == 0 || word > lz4LegacySize {
			return ErrTrailing
		}
		if err := w.advance(4 + int64(word)); err != nil {
			return err
		}
	}
	return nil
}
