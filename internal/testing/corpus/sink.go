package corpus

import (
	"bytes"
	"io"
)

// chunk is how many bytes are handed to a writer at a time.
const chunk = 64 << 10

// sink gathers small pieces for w. The pieces are appended to buf, then flush
// decides whether to write.
type sink struct {
	w   io.Writer
	buf []byte
}

func newSink(w io.Writer) *sink { return &sink{w: w, buf: make([]byte, 0, chunk+4096)} }

// flush writes what is gathered if it fills a chunk, or if all is set.
func (s *sink) flush(all bool) error {
	if len(s.buf) == 0 || len(s.buf) < chunk && !all {
		return nil
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

// gather is what make writes.
func gather(make func(io.Writer) error) []byte {
	var b bytes.Buffer
	if err := make(&b); err != nil {
		panic("corpus: internal error: " + err.Error()) // bytes.Buffer does not fail
	}
	return b.Bytes()
}
