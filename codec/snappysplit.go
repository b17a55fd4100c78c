package codec

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
)

// snappyUnit is how much a unit of a framed object decodes to before it ends: one
// chunk of S2's usual size, a run of Snappy's.
const snappyUnit = 1 << 20

// snappySplit lists runs of chunks. Chunk headers are read, and the lengths of the
// blocks in them. A unit that does not begin with an identifier opens with the
// state of its stream.
func snappySplit(name string) func(io.ReaderAt, int64) iter.Seq2[Unit, error] {
	return func(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
		return func(yield func(Unit, error) bool) {
			w := snappyWalk{walk: walk{r: headersOf(r, size), size: size}}
			unit := Unit{}
			for w.off < size {
				start := w.off
				stream := w.state()
				kind, decoded, err := w.step()
				if err != nil {
					yield(Unit{}, &Error{Codec: name, Offset: w.off, Err: err})
					return
				}
				data := kind == chunkCompressed || kind == chunkStored
				if start > 0 && (kind == chunkIdentifier || data && unit.Decoded >= snappyUnit) {
					unit.Size = start - unit.Offset
					if !yield(unit, nil) {
						return
					}
					unit = Unit{Offset: start}
					if data || name == "snappy" && w.s2 { // which does not open it
						unit.State = stream
					}
				}
				unit.Decoded += decoded
			}
			if size > 0 {
				unit.Size = size - unit.Offset
				yield(unit, nil)
			}
		}
	}
}

// resume implements resumer: a unit or point behind the identifier of its stream.
func (f *snappyFramed) resume(in *Input, state []byte) error {
	f.max = snappyChunkMax
	if string(state) == snappyStateS2 {
		f.max = s2ChunkMax
	}
	return f.begin(in, false)
}

// point implements resumer. Chunks are members: their borders are the points.
func (f *snappyFramed) point() (Point, bool) { return Point{}, false }

// States of a stream: all that a chunk needs to know of what came before it.
const (
	snappyState   = "s"
	snappyStateS2 = "2"
)

// snappyWalk goes from chunk to chunk.
type snappyWalk struct {
	walk
	s2 bool // the current stream is one of S2
}

func (w *snappyWalk) state() []byte {
	if w.s2 {
		return []byte(snappyStateS2)
	}
	return []byte(snappyState)
}

// step goes behind the chunk at off and tells its type and decoded length.
func (w *snappyWalk) step() (kind byte, decoded int64, err error) {
	b, err := w.at(0, 4)
	if err != nil {
		return 0, 0, err
	}
	kind = b[0]
	size := int64(b[1]) | int64(b[2])<<8 | int64(b[3])<<16
	switch {
	case w.off == 0 && kind != chunkIdentifier:
		return 0, 0, fmt.Errorf("%w: no stream identifier", ErrCorrupt)
	case kind > chunkStored && kind < chunkSkippable:
		return 0, 0, fmt.Errorf("%w: chunk type %#02x", ErrUnsupported, kind)
	case kind <= chunkStored && size < 4:
		return 0, 0, fmt.Errorf("%w: chunk of %d bytes", ErrCorrupt, size)
	case kind == chunkIdentifier:
		if b, err = w.at(0, len(s2Identifier)); err != nil {
			return 0, 0, err
		}
		w.s2 = string(b) == s2Identifier
	case kind == chunkStored:
		decoded = size - 4
	case kind == chunkCompressed:
		if b, err = w.at(8, int(min(size-4, 5, max(0, w.size-w.off-8)))); err != nil {
			return 0, 0, err
		}
		if decoded, _, err = snappyHeader(b); err != nil {
			return 0, 0, err
		}
	}
	return kind, decoded, w.advance(4 + size)
}

// snappyHadoopSplit lists Hadoop's blocks. Where the chunks of one end is known
// from their decoded lengths.
func snappyHadoopSplit(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		w := walk{r: headersOf(r, size), size: size}
		for w.off < size {
			unit := Unit{Offset: w.off}
			var err error
			if unit.Decoded, err = hadoopStep(&w); err != nil {
				yield(Unit{}, &Error{Codec: "snappy-hadoop", Offset: w.off, Err: err})
				return
			}
			unit.Size = w.off - unit.Offset
			if !yield(unit, nil) {
				return
			}
		}
	}
}

// hadoopStep goes behind the block at w and tells its decoded length.
func hadoopStep(w *walk) (int64, error) {
	b, err := w.at(0, 4)
	if err != nil {
		return 0, err
	}
	decoded := int64(binary.BigEndian.Uint32(b))
	if decoded > 1<<31-1 {
		return 0, ErrTrailing
	}
	w.off += 4
	for left := decoded; left > 0; {
		if b, err = w.at(0, 4); err != nil {
			return 0, err
		}
		size := int64(binary.BigEndian.Uint32(b))
		if size == 0 || size > 1<<31-1 {
			return 0, fmt.Errorf("%w: chunk of %d bytes", ErrCorrupt, size)
		}
		if b, err = w.at(4, int(min(size, 5, max(0, w.size-w.off-4)))); err != nil {
			return 0, err
		}
		length, n, err := snappyHeader(b)
		switch {
		case err != nil:
			return 0, err
		case n == 0 || length > left:
			return 0, fmt.Errorf("%w: chunk of %d decoded bytes", ErrCorrupt, length)
		}
		left -= length
		if err := w.advance(4 + size); err != nil {
			return 0, err
		}
	}
	return decoded, nil
}
