package stream

import (
	"io"

	"github.com/thaw-go/thaw/codec"
)

// unread reads stored bytes that no decoder has had yet, for detection: from the
// buffer in front of the decoder as far as that reaches, beyond it by a request.
type unread struct {
	in     *codec.Input
	ranges rangeReader
}

// ReadAt implements [io.ReaderAt].
func (u *unread) ReadAt(p []byte, off int64) (int, error) {
	if end := off + int64(len(p)); end <= int64(u.in.Size()) {
		b, err := u.in.Peek(int(end))
		n := copy(p, b[min(int(off), len(b)):])
		if n == len(p) {
			err = nil
		}
		return n, err
	}
	size := u.ranges.stored.object.info.Size
	if off >= size {
		return 0, io.EOF
	}
	n, err := u.ranges.ReadAt(p[:min(int64(len(p)), size-off)], off)
	u.ranges.close()
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}
