package lzma

import (
	"bufio"
	"io"
	"math"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// Decoder2 reads one LZMA2 stream. The zero value must be Reset before use. It
// belongs to one goroutine.
type Decoder2 struct {
	stream
	props  Props
	chunks Chunks
	until  int64 // where the stored bytes of the chunk end, as taken counts
	left   int   // decoded bytes of the chunk to come
	raw    bool  // the chunk is not compressed
	open   bool  // inside a chunk
	room   int64 // decoded bytes that may come
}

// Reset begins a stream at the next byte of src, which must buffer at least 32
// bytes. dict is the dictionary size; buffers of the stream before are kept.
func (d *Decoder2) Reset(src *bufio.Reader, dict int64) {
	d.stream.reset(src, dict)
	d.open, d.chunks = false, Chunks{}
	d.room = math.MaxInt64
}

// Bound says how many bytes the stream takes and decodes to at most; a negative figure
// is not known. It comes after Reset. A symbol beyond is a fault where it stands,
// however the source delivers its bytes.
func (d *Decoder2) Bound(stored, decoded int64) {
	if stored >= 0 {
		d.most = stored
	}
	if decoded >= 0 {
		d.room = decoded
	}
}

// Read returns decoded bytes. It ends with io.EOF after the end mark; the source
// then stands after it.
func (d *Decoder2) Read(p []byte) (int, error) { return d.read(p, d.fill) }

func (d *Decoder2) fill(want int) error {
	switch {
	case !d.open:
		return d.header()
	case d.left == 0:
		return d.close()
	case d.room == 0:
		return fault.Corruptf("LZMA2 data goes on after the size declared")
	case d.raw:
		return d.copy(want)
	}
	before := d.pos
	end := d.pos + int(min(int64(d.left), d.room))
	st, err := d.run(d.until-d.taken, min(d.bound(want), end), end)
	d.left -= d.pos - before
	d.room -= int64(d.pos - before)
	if err != nil {
		return err
	}
	return check(st)
}

// header reads the header of a chunk.
func (d *Decoder2) header() error {
	var c Chunk
	for n := 1; ; {
		b := d.peek(n, n)
		if len(b) < n {
			return d.ended()
		}
		var err error
		if c, n, err = d.chunks.Next(b); err != nil {
			return err
		}
		if n <= len(b) {
			d.take(n)
			break
		}
	}
	if c.End {
		return io.EOF
	}
	if c.reset {
		d.window.reset()
	}
	d.open, d.raw, d.left = true, c.raw, int(c.Decoded)
	if c.raw {
		return nil
	}
	if c.props {
		d.props = c.newProps
	}
	if c.state {
		d.resetState(d.props)
	}
	d.until = d.taken + c.Stored
	return d.begin()
}

// copy passes stored bytes on.
func (d *Decoder2) copy(want int) error {
	b := d.peek(1, int(min(int64(min(d.bound(want)-d.pos, d.left)), d.room)))
	if len(b) == 0 {
		return d.ended()
	}
	copy(d.buf[d.pos:], b)
	d.advance(d.pos + len(b))
	d.take(len(b))
	d.left -= len(b)
	d.room -= int64(len(b))
	return nil
}

// close checks the end of a chunk.
func (d *Decoder2) close() error {
	d.open = false
	if d.raw {
		return nil
	}
	if err := d.normalize(d.until - d.taken); err != nil {
		return err
	}
	if d.taken != d.until || d.code != 0 {
		return fault.Corruptf("LZMA2 chunk does not end where it declares")
	}
	return nil
}

// DictSize is the dictionary size that the properties byte of an LZMA2 filter
// stands for.
func DictSize(b byte) (int64, bool) {
	switch {
	case b > 40:
		return 0, false
	case b == 40:
		return math.MaxUint32, true
	}
	return int64(2|b&1) << (b/2 + 11), true
}
