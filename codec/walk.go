package codec

import "io"

// walk goes through an object from header to header.
type walk struct {
	r         io.ReaderAt
	off, size int64
	buf       [16]byte
}

// at reads n bytes, at most 16, skip bytes behind off. They live until the next
// call.
func (w *walk) at(skip int64, n int) ([]byte, error) {
	if w.size-w.off-skip < int64(n) {
		return nil, io.ErrUnexpectedEOF
	}
	m, err := w.r.ReadAt(w.buf[:n], w.off+skip)
	if m < n {
		return nil, noEOF(err)
	}
	return w.buf[:n], nil
}

// advance goes n bytes on.
func (w *walk) advance(n int64) error {
	if w.size-w.off < n {
		return io.ErrUnexpectedEOF
	}
	w.off += n
	return nil
}
