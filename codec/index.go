package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/thaw-go/thaw/internal/decode/inflate"
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

// unpack makes the state. What it allocates is bounded by maxState.
func (p *indexPoint) unpack() ([]byte, error) {
	if p.size == 0 {
		return nil, nil
	}
	if len(p.packed) == p.size {
		return bytes.Clone(p.packed), nil
	}
	// Straight into the state: a Decoder of this package allocates much more.
	var d inflate.Decoder
	src := packedState(p.packed)
	d.Reset(&src)
	state, at := make([]byte, p.size+inflate.Slack), 0
	for at <= p.size {
		n, err := d.Fill(state, at)
		at += n
		if err == nil {
			continue
		}
		if err == io.EOF && at == p.size && len(src) == 0 {
			return state[:p.size:p.size], nil
		}
		if err != io.EOF {
			return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
		}
		break
	}
	return nil, fmt.Errorf("%w: not the %d bytes that it says", ErrCorrupt, p.size)
}

// packedState is an inflate.Source.
type packedState []byte

func (s *packedState) Buffered() int { return len(*s) }

func (s *packedState) Peek(n int) ([]byte, error) {
	if n > len(*s) {
		return *s, io.EOF
	}
	return (*s)[:n], nil
}

func (s *packedState) Discard(n int) (int, error) {
	*s = (*s)[n:]
	return n, nil
}
