package codec

import (
	"errors"
	"io"
	"math"
)

// headers reads headers scattered over an object of size bytes. Where they lie
// close together, one after the other or one before the other, it reads ahead that
// way, ever more, so that many small parts do not cost a request each. It reads at
// most limit bytes. Memory is mostAhead bytes, or worth.
type headers struct {
	r           io.ReaderAt
	size, limit int64

	worth int64  // bytes that a request is worth; 0 for the least
	off   int64  // of buf
	buf   []byte // what was read last, mostAhead bytes of it at most
	ahead int

	read, requests int64
}

const (
	leastAhead = 32
	near       = 1 << 10 // what lies so close is worth more than a request
	mostAhead  = 64 << 10
	mostWorth  = 8 << 20
)

// reach is how far apart headers may lie to be read at once, and how much is read
// then: at first, and at most.
func (h *headers) reach() (apart int64, least, most int) {
	worth := int(min(h.worth, mostWorth))
	return int64(max(worth, near)), max(worth, leastAhead), max(worth, mostAhead)
}

// errReadLimit ends an inspection that may not read more. It is no error of the
// object.
var errReadLimit = errors.New("read limit reached")

// ReadAt implements io.ReaderAt. Its io.EOF is that of size; a source that ends
// before is io.ErrUnexpectedEOF.
func (h *headers) ReadAt(p []byte, off int64) (int, error) {
	var short error
	if left := max(h.size-off, 0); int64(len(p)) > left {
		p, short = p[:left], io.EOF
	}
	end := h.off + int64(len(h.buf))
	if off >= h.off && off+int64(len(p)) <= end {
		return copy(p, h.buf[off-h.off:]), short
	}
	apart, least, most := h.reach()
	if len(p) > most {
		n, err := h.fetch(p, off)
		h.off, h.buf = off, append(h.buf[:0], p[max(0, n-mostAhead):n]...)
		h.off += int64(n - len(h.buf))
		h.ahead = 0
		if err == nil {
			err = short
		}
		return n, err
	}
	last := off + int64(len(p))
	more := min(max(2*h.ahead, least), most)
	reach := min(int64(more), h.limit-h.read)
	from, to := off, last
	switch ahead := max(int64(h.ahead), apart); {
	case off >= h.off && off <= end+ahead:
		h.ahead = more
		to = max(last, min(off+reach, h.size))
	case off < h.off && last+ahead >= h.off:
		h.ahead = more
		from = min(off, max(last-reach, 0))
	default:
		h.ahead = 0
	}
	h.buf = grow(h.buf, int(to-from))[:to-from]
	m, err := h.fetch(h.buf, from)
	h.off, h.buf = from, h.buf[:m]
	n := 0
	if at := int(off - from); at < m {
		n = copy(p, h.buf[at:])
	}
	if n == len(p) {
		err = short
	}
	return n, err
}

// headersOf is r as headers of an object of size bytes without a limit, which it may
// be already.
func headersOf(r io.ReaderAt, size int64) *headers {
	if h, ok := r.(*headers); ok {
		return h
	}
	return &headers{r: r, size: size, limit: math.MaxInt64}
}

// apart reads the same object elsewhere, with a buffer of its own. What it reads
// counts for h.
func (h *headers) apart() *headers {
	return &headers{r: fetcher{h}, size: h.size, limit: math.MaxInt64, worth: h.worth}
}

// fetcher reads past the buffer of h.
type fetcher struct{ h *headers }

func (f fetcher) ReadAt(p []byte, off int64) (int, error) { return f.h.fetch(p, off) }

func (h *headers) fetch(p []byte, off int64) (int, error) {
	if int64(len(p)) > h.limit-h.read {
		return 0, errReadLimit
	}
	n, err := h.r.ReadAt(p, off)
	h.read += int64(n)
	h.requests++
	switch {
	case n == len(p):
		return n, nil
	case err == nil:
		err = io.EOF
	}
	return n, noEOF(err)
}
