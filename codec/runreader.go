package codec

import "io"

// runReader reads runs of stored bytes that must lie in one piece.
type runReader struct {
	buf  []byte
	hold func(n int) error // asks for a buffer of n bytes; nil asks nobody
}

// runStep is what a run longer than the Input's buffer may allocate before the
// first of its bytes arrived.
const runStep = 64 << 10

// runMemory is what read holds at most for runs of up to n bytes: the buffer, and
// a quarter of it while that grows.
func runMemory(n int64) int64 { return n + max(n/4, runStep) }

// read consumes n bytes of in and returns them; they live until in is read again.
// A run that fits the Input's buffer is not copied. The buffer for a longer one
// doubles as its bytes arrive, and is as long as the run once a quarter of them
// did, so a length that lies allocates no more than four times what was there. Where
// in ends before, read consumes what is left and returns io.ErrUnexpectedEOF.
func (s *runReader) read(in *Input, n int) ([]byte, error) {
	if n <= in.Size() {
		b, err := in.Peek(n)
		in.Discard(len(b))
		return b, noEOF(err)
	}
	if len(s.buf) < n && len(s.buf) > n/4 {
		s.buf = nil // it is not to be held beside the larger one
	}
	for have := 0; have < n; {
		if len(s.buf) == have {
			if err := s.grow(n, have); err != nil {
				return nil, err
			}
		}
		m, err := io.ReadFull(in, s.buf[have:min(n, len(s.buf))])
		have += m
		if err != nil {
			return nil, noEOF(err)
		}
	}
	return s.buf[:n], nil
}

// grow makes room for more of a run of n bytes, of which have are there.
func (s *runReader) grow(n, have int) error {
	size := max(2*have, runStep)
	if size > n/4 {
		size = n
	}
	if s.hold != nil {
		if err := s.hold(size + have); err != nil {
			return err
		}
	}
	if have == 0 {
		s.buf = nil
	}
	s.buf = grow(s.buf, size)
	return nil
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
