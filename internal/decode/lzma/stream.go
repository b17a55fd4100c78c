package lzma

import (
	"bufio"
	"io"
	"math"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// leastRun is how many bytes a Read decodes at least, where the source has them.
const leastRun = 16 << 10

// stream feeds a coder from a source. Bytes are taken from the source only once
// their symbol is complete.
type stream struct {
	coder
	src    *bufio.Reader
	srcErr error // why the source delivers no more than is buffered
	taken  int64 // bytes taken since reset
	most   int64 // that may be taken
	err    error // what Read returns once all is returned
	tail   [2 * len(input{})]byte
}

// reset begins again on src with a dictionary of dict bytes.
func (s *stream) reset(src *bufio.Reader, dict int64) {
	s.src, s.srcErr, s.taken, s.most, s.err = src, nil, 0, math.MaxInt64, nil
	s.window.init(dict)
}

// peek waits for least bytes and shows what is buffered, at most most bytes. It
// shows fewer than least only once the source ended or failed.
func (s *stream) peek(least, most int) []byte {
	if room := s.most - s.taken; room < int64(most) {
		least, most = min(least, int(room)), int(room)
	}
	if s.srcErr == nil && s.src.Buffered() < least {
		_, s.srcErr = s.src.Peek(least)
	}
	b, _ := s.src.Peek(min(s.src.Buffered(), most))
	return b
}

// take consumes n bytes that peek showed.
func (s *stream) take(n int) {
	s.src.Discard(n)
	s.taken += int64(n)
}

// ended is the error of a source that delivered too little.
func (s *stream) ended() error {
	if s.most-s.taken < maxSymbol && int64(s.src.Buffered()) >= s.most-s.taken {
		return fault.Corruptf("LZMA data goes on after the %d bytes declared", s.most)
	}
	if s.srcErr == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return s.srcErr
}

// bound is where a run that is wanted to give want bytes stops, in window
// positions.
func (s *stream) bound(want int) int {
	return min(s.size, s.pos+max(want, leastRun))
}

// run decodes symbols from at most left bytes of input until limit. A symbol
// that the bytes do not hold is a fault where left is the reason, and
// otherwise the error of the source.
func (s *stream) run(left int64, limit, end int) (status, error) {
	least := int(min(left, maxSymbol))
	in := s.peek(least, int(min(left, 1<<30)))
	if len(in) >= len(input{}) {
		n, st := s.symbols(in, len(in)-len(input{}), limit, end)
		s.take(n)
		return st, nil
	}

	// Decode one symbol at a time from a copy with zeros after it. Where there
	// is too little to be sure of one, see afterwards what each took.
	clear(s.tail[copy(s.tail[:], in):])
	used, sure := 0, len(in) >= maxSymbol
	for s.pos < limit && (!sure || len(in)-used >= maxSymbol) {
		pos, full := s.pos, s.full
		n, st := s.symbols(s.tail[used:], 0, s.pos+1, end)
		if used+n > len(in) {
			s.pos, s.full = pos, full
			s.take(used)
			if int64(len(in)) == left {
				return running, fault.Corruptf("LZMA data ends inside a symbol")
			}
			return running, s.ended()
		}
		used += n
		if st != running {
			s.take(used)
			return st, nil
		}
	}
	s.take(used)
	return running, nil
}

// begin takes the five bytes that range coded data begins with.
func (s *stream) begin() error {
	b := s.peek(5, 5)
	switch {
	case len(b) > 0 && b[0] != 0:
		return fault.Corruptf("LZMA data begins with %#02x, not 0", b[0])
	case len(b) < 5:
		return s.ended()
	case !s.start(b):
		return fault.Corruptf("LZMA data begins outside the range")
	}
	s.take(5)
	return nil
}

// normalize normalizes the range after the last symbol, as encoders do. left is how many
// bytes may be taken.
func (s *stream) normalize(left int64) error {
	if s.rng >= topValue {
		return nil
	}
	if left == 0 {
		return fault.Corruptf("LZMA data is a byte short")
	}
	b := s.peek(1, 1)
	if len(b) == 0 {
		return s.ended()
	}
	s.rng, s.code = s.rng<<8, s.code<<8|uint64(b[0])
	s.take(1)
	return nil
}

// read returns decoded bytes, calling fill for more whenever all are returned.
func (s *stream) read(p []byte, fill func(want int) error) (int, error) {
	for len(p) > 0 {
		if s.unread() > 0 {
			return s.window.read(p), nil
		}
		if s.err != nil {
			return 0, s.err
		}
		s.room()
		s.err = fill(len(p))
	}
	return 0, nil
}

// Taken is how many bytes of the source were consumed since the last Reset.
func (s *stream) Taken() int64 { return s.taken }

// check is the fault that a run ended with, nil for none.
func check(st status) error {
	switch st {
	case corrupt:
		return fault.Corruptf("LZMA match reaches before the history")
	case overlong:
		return fault.Corruptf("LZMA match is longer than the data declared")
	case endMarker:
		return fault.Corruptf("LZMA end marker where none may be")
	}
	return nil
}
