package codec

import "io"

// span reads runs of stored bytes that must lie in one piece.
type span struct {
	buf  []byte
	hold func(n int) error // asks for a buffer of n bytes; nil asks nobody
}

// spanStep is what a run longer than the Input's buffer may allocate before the
// first of its bytes arrived.
const spanStep = 64 << 10

// take consumes n bytes of in and returns them; they live until in is read again.
// A run that fits the Input's buffer is not copied. The buffer for a longer one
// doubles as its bytes arrive, so a length that lies allocates no more than twice
// what was there. Where in ends before, take consumes what is left and returns
// io.ErrUnexpectedEOF.
func (s *span) take(in *Input, n int) ([]byte, error) {
	if n <= in.Size() {
		b, err := in.Peek(n)
		in.Discard(len(b))
		return b, noEOF(err)
	}
	for have := 0; have < n; {
		if len(s.buf) == have {
			size := min(n, max(2*have, spanStep))
			if s.hold != nil && size > cap(s.buf) {
				if err := s.hold(size); err != nil {
					return nil, err
				}
			}
			s.buf = grow(s.buf, size)
		}
		m, err := io.ReadFull(in, s.buf[have:min(n, len(s.buf))])
		have += m
		if err != nil {
			return nil, noEOF(err)
		}
	}
	return s.buf[:n], nil
}

// grow is buf with a length of n or more; what it holds is kept.
func grow(buf []byte, n int) []byte {
	if n <= cap(buf) {
		return buf[:cap(buf)]
	}
	g := make([]byte, n)
	copy(g, buf)
	return g
}
