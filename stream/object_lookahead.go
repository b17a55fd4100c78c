package stream

import "io"

// ReadAt reads stored bytes that no decoder has had yet, for detection: from the
// buffer in front of the decoder as far as that reaches, beyond it by a request of
// its own. The lane is in stage fetch.
func (s *fetching) ReadAt(p []byte, off int64) (int, error) {
	o := s.o
	if end := off + int64(len(p)); end <= int64(o.in.Size()) {
		b, err := o.in.Peek(int(end))
		n := copy(p, b[min(int(off), len(b)):])
		if n == len(p) {
			err = nil
		}
		return n, err
	}
	if off >= o.object.info.Size {
		return 0, io.EOF
	}
	g := &ranges{ctx: s.ctx, o: o}
	n, err := g.fetch(p[:min(int64(len(p)), o.object.info.Size-off)], off)
	if g.at != nil {
		g.at.Close()
	}
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}
