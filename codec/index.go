package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
)

// IndexExtension is what is appended to an object's name for that of its index.
const IndexExtension = ".thawidx"

// ErrOtherVersion says that an index is of another version of the object, or of
// another object.
var ErrOtherVersion = errors.New("index is of another version of the object")

// Index lists places of one object at which decoding can begin. It is made by an
// [Indexer] or by [ReadIndex], is not changed afterwards, and is then safe for
// concurrent use.
//
// An index is believed: what a read verifies is told by [ReaderAt]. Take one only
// from where the object itself is taken from.
type Index struct {
	Codec   string // name of the codec
	Version string // of the object, as its store names it; empty if not known
	Stored  int64  // size of the object
	Decoded int64  // size of what it decodes to
	Spacing int64  // least distance of two points in decoded bytes

	points []indexPoint // ascending; the start is none of them
}

// indexPoint is a [Point] with its state packed: Memory follows the size of the
// stored index.
type indexPoint struct {
	stored, decoded int64
	size            int    // of the state
	packed          []byte // the state as it is, if of the same size; else deflate
}

// maxState is how large a Point's State may be.
const maxState = 128 << 10

// Len is how many points there are, the start of the object not counted.
func (x *Index) Len() int { return len(x.points) }

// Point gives one of them, 0 ≤ i < Len. A state that cannot be unpacked is
// [ErrCorrupt].
func (x *Index) Point(i int) (Point, error) {
	p := &x.points[i]
	state, err := p.unpack()
	if err != nil {
		return Point{}, fmt.Errorf("codec: index: state of point %d: %w", i, err)
	}
	return Point{Stored: p.stored, Decoded: p.decoded, State: state}, nil
}

// Before gives the last point at or before a decoded offset. Where there is none it
// is the zero Point, the start of the object.
func (x *Index) Before(decoded int64) (Point, error) {
	i := x.before(decoded)
	if i < 0 {
		return Point{}, nil
	}
	return x.Point(i)
}

func (x *Index) before(decoded int64) int {
	return sort.Search(len(x.points), func(i int) bool { return x.points[i].decoded > decoded }) - 1
}

// Check compares the index with an object. It is [ErrOtherVersion] if the size
// differs, or the version where both are known.
func (x *Index) Check(version string, stored int64) error {
	switch {
	case x.Stored != stored:
		return fmt.Errorf("codec: %w: made for %d stored bytes, the object has %d", ErrOtherVersion, x.Stored, stored)
	case x.Version != "" && version != "" && x.Version != version:
		return fmt.Errorf("codec: %w: made for %q, the object is %q", ErrOtherVersion, x.Version, version)
	}
	return nil
}

// unpack makes the state. It allocates more than maxState for nothing.
func (p *indexPoint) unpack() ([]byte, error) {
	if p.size == 0 {
		return nil, nil
	}
	if len(p.packed) == p.size {
		return bytes.Clone(p.packed), nil
	}
	d, err := deflateCodec().NewReader(NewInput(bytes.NewReader(p.packed), len(p.packed)), new(Options))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	state := make([]byte, p.size, p.size+1)
	if _, err := io.ReadFull(d, state); err != nil {
		return nil, corruptIndex(err)
	}
	switch n, err := d.Read(state[p.size : p.size+1]); {
	case n > 0:
		return nil, fmt.Errorf("%w: more than the %d bytes said", ErrCorrupt, p.size)
	case err != io.EOF:
		return nil, corruptIndex(err)
	}
	return state, nil
}

// corruptIndex makes ErrCorrupt of any error.
func corruptIndex(err error) error {
	if errors.Is(err, ErrCorrupt) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, noEOF(err))
}
