package lzma

import (
	"bufio"
	"io"
	"math"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// EndMarker says whether a stream has an end marker.
type EndMarker uint8

// How an LZMA stream may end.
const (
	// MayHaveMarker ends at the size, with a marker or without; without a size
	// the marker is required. This is the rule of .lzma.
	MayHaveMarker EndMarker = iota

	// MustHaveMarker requires a marker of length 2. This is the rule of lzip.
	MustHaveMarker
)

// Decoder reads one raw LZMA stream. The zero value must be Reset before use. It
// belongs to one goroutine.
type Decoder struct {
	stream
	left   int64 // decoded bytes to come; negative when unknown
	marker EndMarker
	begun  bool
}

// Reset begins a stream of size decoded bytes at the next byte of src, which must
// buffer at least 32 bytes. A negative size is unknown. dict is the dictionary
// size; buffers of the stream before are kept.
func (d *Decoder) Reset(src *bufio.Reader, p Props, dict, size int64, m EndMarker) {
	d.stream.reset(src, dict)
	d.resetState(p)
	d.left, d.marker, d.begun = size, m, false
}

// Read returns decoded bytes. It ends with io.EOF when the stream did; the source
// then stands after its last byte.
func (d *Decoder) Read(p []byte) (int, error) { return d.read(p, d.fill) }

func (d *Decoder) fill(want int) error {
	if !d.begun {
		if err := d.begin(); err != nil {
			return err
		}
		d.begun = true
	}
	if d.left == 0 {
		return d.end()
	}

	limit, end := d.bound(want), math.MaxInt
	if d.left > 0 && d.left < math.MaxInt/2 {
		end = d.pos + int(d.left)
		limit = min(limit, end)
	}
	before := d.pos
	st, err := d.run(math.MaxInt64, limit, end)
	if d.left > 0 {
		d.left -= int64(d.pos - before)
	}
	switch {
	case err != nil:
		return err
	case st == endMarker && d.left < 0:
		return d.marked()
	}
	return check(st)
}

// end decodes what may follow the last byte of a stream of known size.
func (d *Decoder) end() error {
	if err := d.normalize(math.MaxInt64); err != nil {
		return err
	}
	if d.code == 0 && d.marker == MayHaveMarker {
		return io.EOF
	}
	before := d.pos
	st, err := d.run(math.MaxInt64, d.pos+1, d.pos)
	d.pos = before
	switch {
	case err != nil:
		return err
	case st == endMarker:
		return d.marked()
	}
	return fault.Corruptf("LZMA data goes on after the size declared")
}

// marked checks what stands at an end marker.
func (d *Decoder) marked() error {
	if err := d.normalize(math.MaxInt64); err != nil {
		return err
	}
	switch {
	case d.code != 0:
		return fault.Corruptf("LZMA data does not end at its end marker")
	case d.marker == MustHaveMarker && d.coder.marker != 2:
		return fault.Corruptf("LZMA end marker of length %d, not 2", d.coder.marker)
	}
	return io.EOF
}
