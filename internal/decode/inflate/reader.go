package inflate

import (
	"fmt"
	"io"
)

// slabSize is the size of a Reader's slab: the window, and room that stays in a
// second-level cache.
const slabSize = Window + 96<<10

// Reader is a Decoder with its own slab. The zero Reader is not usable.
type Reader struct {
	d    Decoder
	slab []byte
	r, w int // slab[r:w] is decoded and not yet returned
	err  error
}

// NewReader reads the stream that begins at the next byte of src.
func NewReader(src Source) *Reader {
	r := &Reader{slab: make([]byte, slabSize)}
	r.Reset(src)
	return r
}

// Reset begins again at the next byte of src, without stops.
func (r *Reader) Reset(src Source) {
	r.d.Reset(src)
	r.r, r.w, r.err = 0, 0, nil
}

// Resume begins again at p, without stops. src begins at the byte p.Offset of the
// stream; window ends with the p.History bytes before p.Decoded and is not kept.
func (r *Reader) Resume(src Source, p Point, window []byte) error {
	if len(window) < p.History {
		return fmt.Errorf("inflate: window of %d bytes for a point that needs %d", len(window), p.History)
	}
	if err := r.d.Resume(src, p); err != nil {
		return err
	}
	r.w = copy(r.slab, window[len(window)-p.History:])
	r.r, r.err = r.w, nil
	return nil
}

// Read returns decoded bytes. It does not read past a stop: the bytes before it come
// first, then [Reader.Point] is there to be asked. It returns 0 bytes and no error
// at a stop that comes right after bytes returned earlier.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if r.r == r.w {
		r.more()
	}
	if r.r == r.w {
		return 0, r.err
	}
	n := copy(p, r.slab[r.r:r.w])
	r.r += n
	return n, nil
}

// WriteTo writes all decoded bytes to w, whatever the stops.
func (r *Reader) WriteTo(w io.Writer) (n int64, err error) {
	for {
		if r.r < r.w {
			k, err := w.Write(r.slab[r.r:r.w])
			r.r += k
			n += int64(k)
			if err != nil {
				return n, err
			}
		}
		if r.err == io.EOF {
			return n, nil
		}
		if r.err != nil {
			return n, r.err
		}
		r.more()
	}
}

// more decodes some bytes, or none at a stop or an error. All bytes have been returned.
func (r *Reader) more() {
	if r.err != nil {
		return
	}
	if len(r.slab)-r.w < Slack {
		r.w = copy(r.slab, r.slab[r.w-r.d.History():r.w])
	}
	var n int
	r.r = r.w
	n, r.err = r.d.Fill(r.slab, r.w)
	r.w += n
}

// StopAt makes a stop of every block border at which n or more bytes are
// decoded; a negative n means none. What is decoded already has no stop.
func (r *Reader) StopAt(n int64) { r.d.StopAt(n) }

// Point is where the Reader stands if all that was decoded was returned and that is
// a block border with a block to come.
func (r *Reader) Point() (p Point, ok bool) {
	p, ok = r.d.Point()
	return p, ok && r.r == r.w
}

// AppendWindow appends the Point's History to dst.
func (r *Reader) AppendWindow(dst []byte) []byte {
	return append(dst, r.slab[r.r-min(r.r, r.d.History()):r.r]...)
}

// Consumed is [Decoder.Consumed].
func (r *Reader) Consumed() int64 { return r.d.Consumed() }

// Given is how many bytes Read and WriteTo returned, those before a Point included.
func (r *Reader) Given() int64 { return r.d.Decoded() - int64(r.w-r.r) }
