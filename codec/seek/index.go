package seek

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// Extension is appended to the name of an object to name its index.
const Extension = ".thawidx"

// Magic begins every stored index.
const Magic = "\x89thawidx"

// ErrOtherVersion says that an index was made of another version of the object, or of another
// object.
var ErrOtherVersion = errors.New("index is of another version of the object")

// Index lists restart points of one object. [Indexer.Index] and [ReadIndex] return one. It is
// safe for concurrent use while nobody changes its fields.
//
// An index is trusted: see [ReaderAt] for what a read verifies all the same. Take an index only
// from where the object itself comes from.
type Index struct {
	Codec   string // name of the object's codec
	Version string // version of the object, as its store names it; empty: not known
	Stored  int64  // stored bytes of the object
	Decoded int64  // decoded bytes of the object
	Spacing int64  // least distance between two restart points, in decoded bytes

	points []point // ascending; the start is none of them
}

// point is a [codec.Point] with its state packed: Memory follows the size of the
// stored index.
type point struct {
	stored, decoded int64
	size            int    // of the state
	packed          []byte // the state as it is, if of the same size; else deflate
}

// Len returns how many restart points x has. The start of the object does not count.
func (x *Index) Len() int { return len(x.points) }

// Point returns restart point i, in order of offsets, for i from 0 to [Index.Len] - 1. It
// panics for any other i. The State is a copy. An error is [codec.ErrCorrupt]: the state in the
// index is damaged.
func (x *Index) Point(i int) (codec.Point, error) {
	p := &x.points[i]
	state, err := p.unpack()
	if err != nil {
		return codec.Point{}, fmt.Errorf("seek: index: state of point %d: %w", i, err)
	}
	return codec.Point{Stored: p.stored, Decoded: p.decoded, State: state}, nil
}

// Before returns the last restart point at or before a decoded offset, or the zero Point, which
// is the start of the object, if there is none. Errors are those of [Index.Point].
func (x *Index) Before(decoded int64) (codec.Point, error) {
	i := x.before(decoded)
	if i < 0 {
		return codec.Point{}, nil
	}
	return x.Point(i)
}

func (x *Index) before(decoded int64) int {
	return sort.Search(len(x.points), func(i int) bool { return x.points[i].decoded > decoded }) - 1
}

// Check compares x with an object of this version and of so many stored bytes. It returns
// [ErrOtherVersion] if the sizes differ, or if the versions differ and neither is empty.
func (x *Index) Check(version string, stored int64) error {
	switch {
	case x.Stored != stored:
		return fmt.Errorf("seek: %w: made for %d stored bytes, the object has %d", ErrOtherVersion, x.Stored, stored)
	case x.Version != "" && version != "" && x.Version != version:
		return fmt.Errorf("seek: %w: made for %q, the object is %q", ErrOtherVersion, x.Version, version)
	}
	return nil
}

// unpack makes the state. What it allocates is bounded by limits.State.
func (p *point) unpack() ([]byte, error) {
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
			return nil, fmt.Errorf("%w: %v", codec.ErrCorrupt, err)
		}
		break
	}
	return nil, fmt.Errorf("%w: not the %d bytes that it says", codec.ErrCorrupt, p.size)
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
