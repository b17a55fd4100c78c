package codec

// lz4Sequences decodes a raw block piece by piece: any run of stored bytes may be
// fed, and memory is the 64 KiB that matches reach back and as much output. Blocks
// of frames have a bounded size and do not need it.
//
//	buf: | history | decoded, not returned | free |
//	                given               end
type lz4Sequences struct {
	buf        []byte
	given, end int
	phase      lz4Phase
	token      byte
	length     int64 // literals or match bytes still to be copied
	offset     int
	err        error // sticky
	moved      int64 // bytes of history that were moved to make room
}

// lz4Phase is the field of a sequence that comes next.
type lz4Phase uint8

const (
	lz4Token lz4Phase = iota
	lz4LiteralLength
	lz4Literals
	lz4OffsetLow // a block may end here: after literals
	lz4OffsetHigh
	lz4MatchLength
	lz4Copy
)

func newLZ4Sequences() *lz4Sequences {
	return &lz4Sequences{buf: make([]byte, 2*lz4History)}
}

// drain copies decoded bytes to p.
func (s *lz4Sequences) drain(p []byte) int {
	n := copy(p, s.buf[s.given:s.end])
	s.given += n
	if s.given == s.end && s.end == len(s.buf) {
		// The buffer is full: as much was decoded as is moved.
		s.end = copy(s.buf, s.buf[s.end-lz4History:s.end])
		s.given = s.end
		s.moved += lz4History
	}
	return n
}

// ended reports whether the block may end after what was fed: after literals whose
// token announces no match.
func (s *lz4Sequences) ended() bool { return s.phase == lz4OffsetLow && s.token&15 == 0 }

// feed decodes src and returns how much of it was used: all of it unless the
// buffer is full or err is set.
func (s *lz4Sequences) feed(src []byte) int {
	i := 0
	for s.err == nil && s.end < len(s.buf) {
		if s.phase == lz4Copy {
			s.copyMatch()
			continue
		}
		if i == len(src) {
			break
		}
		switch s.phase {
		case lz4Token:
			s.token = src[i]
			i++
			if s.length = int64(s.token >> 4); s.length == 15 {
				s.phase = lz4LiteralLength
			} else {
				s.literals()
			}
		case lz4LiteralLength:
			b := src[i]
			i++
			if s.length += int64(b); b != 255 {
				s.literals()
			}
		case lz4Literals:
			n := copy(s.buf[s.end:], src[i:i+int(min(int64(len(src)-i), s.length))])
			i += n
			s.end += n
			s.length -= int64(n)
			s.literals()
		case lz4OffsetLow:
			s.offset = int(src[i])
			i++
			s.phase = lz4OffsetHigh
		case lz4OffsetHigh:
			s.offset |= int(src[i]) << 8
			i++
			if s.offset == 0 || s.offset > s.end {
				s.err = errLZ4Block
				break
			}
			if s.length = int64(s.token&15) + 4; s.length == 19 {
				s.phase = lz4MatchLength
			} else {
				s.phase = lz4Copy
			}
		case lz4MatchLength:
			b := src[i]
			i++
			if s.length += int64(b); b != 255 {
				s.phase = lz4Copy
			}
		}
	}
	return i
}

// literals goes on to what follows the length of literals.
func (s *lz4Sequences) literals() {
	if s.phase = lz4Literals; s.length == 0 {
		s.phase = lz4OffsetLow
	}
}

// copyMatch copies as much of the match as there is room for. Each round doubles
// what is periodic with the offset.
func (s *lz4Sequences) copyMatch() {
	n := int(min(s.length, int64(len(s.buf)-s.end)))
	s.length -= int64(n)
	for from := s.end - s.offset; n > 0; {
		m := copy(s.buf[s.end:s.end+n], s.buf[from:s.end])
		s.end += m
		n -= m
	}
	if s.length == 0 {
		s.phase = lz4Token
	}
}
