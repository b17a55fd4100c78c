package codec

import (
	"errors"
	"io"
)

// headers reads headers scattered over an object of size bytes. Where they lie
// close together it reads ahead, ever more, so that many small parts do not cost
// a request each. It reads at most limit bytes.
type headers struct {
	r           io.ReaderAt
	size, limit int64

	off   int64  // of buf
	buf   []byte // what was read last, mostAhead bytes of it at most
	ahead int

	read, requests int64
}

const (
	leastAhead = 32
	mostAhead  = 64 << 10
)

// errReadLimit ends an inspection that may not read more. It is no error of the
// object.
var errReadLimit = errors.New("read limit reached")

// ReadAt implements io.ReaderAt. Its io.EOF is that of size; a source that ends
// before gives io.ErrUnexpectedEOF.
func (h *headers) ReadAt(p []byte, off int64) (int, error) {
	var short error
	if left := max(h.size-off, 0); int64(len(p)) > left {
		p, short = p[:left], io.EOF
	}
	end := h.off + int64(len(h.buf))
	if off >= h.off && off+int64(len(p)) <= end {
		return copy(p, h.buf[off-h.off:]), short
	}
	if off >= h.off && off <= end+int64(h.ahead) {
		h.ahead = min(max(2*h.ahead, leastAhead), mostAhead)
	} else {
		h.ahead = 0
	}
	if len(p) > mostAhead {
		n, err := h.fetch(p, off)
		h.off, h.buf = off, append(h.buf[:0], p[max(0, n-mostAhead):n]...)
		h.off += int64(n - len(h.buf))
		if err == nil {
			err = short
		}
		return n, err
	}
	n := max(int64(len(p)), min(int64(h.ahead), h.size-off, h.limit-h.read))
	h.buf = grow(h.buf, int(n))[:n]
	m, err := h.fetch(h.buf, off)
	h.off, h.buf = off, h.buf[:m]
	if m >= len(p) {
		err = short
	}
	return copy(p, h.buf), err
}

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
