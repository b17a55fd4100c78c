package zstd

import "math/bits"

const (
	// sequenceBytes is how far decoding one sequence moves back: 63 extra bits, 26
	// for the next states, and up to 7 of a byte that is partly used.
	sequenceBytes = 12

	// lead is how many bytes lie before the next bits in the fast loop: those that
	// are loaded once a sequence was decoded.
	lead = sequenceBytes + 8

	// tailSpace is zeros in front of the last bytes of the bits: a sequence that
	// begins in them reads no further.
	tailSpace = 32
)

// sequenceBits decodes sequences. The next bits are the highest of the eight
// bytes before p, less c of them.
type sequenceBits struct {
	b    []byte // the section's bits, or tail
	low  int    // where they begin in b
	p, c int

	literal, offset, match uint // states
	tail                   [tailSpace + lead]byte
}

// start begins at the end mark of b and reads the first states.
func (s *sequenceBits) start(b []byte, c *coding) error {
	var r backward
	if !r.start(b) {
		return corrupt("sequences without an end mark")
	}
	s.literal = uint(r.read(c.literals.log))
	s.offset = uint(r.read(c.offsets.log))
	s.match = uint(r.read(c.matches.log))
	if r.left < 0 {
		return errSequences
	}
	s.b, s.low = b, 0
	s.p = (r.left + 7) >> 3
	s.c = 8*s.p - r.left
	return nil
}

// left is how many bits are to come; less than 0 if too many were used.
func (s *sequenceBits) left() int { return 8*(s.p-s.low) - s.c }

// toTail goes on in a copy of the last bytes with zeros before them.
func (s *sequenceBits) toTail() {
	n := copy(s.tail[tailSpace:], s.b[:s.p])
	s.b, s.low, s.p = s.tail[:], tailSpace, tailSpace+n
}

// masks keep the lowest bits.
var masks = func() (m [64]uint64) {
	for i := range m {
		m[i] = 1<<i - 1
	}
	return m
}()

// decode decodes len(seqs) sequences. last says that no more follow. It returns
// the sums of the lengths.
func (s *sequenceBits) decode(seqs []sequence, t *coding, last bool) (literals, matches int, err error) {
	done := 0
	for done < len(seqs) {
		if s.low == 0 && s.p < lead {
			s.toTail()
		}
		if s.low > 0 && s.p < lead {
			return 0, 0, errSequences // bits before the first were used
		}
		n, l, m, ok := s.fast(seqs[done:], t, last)
		if !ok {
			return 0, 0, corrupt("offset of 0")
		}
		done += n
		literals += l
		matches += m
	}
	if s.left() < 0 {
		return 0, 0, errSequences
	}
	return literals, matches, nil
}

// fast decodes sequences while lead bytes are before the next bits. Loads are of
// the 8 bytes before p, and p falls by no more than sequenceBytes in a turn.
func (s *sequenceBits) fast(seqs []sequence, t *coding, last bool) (n, literals, matches int, ok bool) {
	in := viewOf(s.b)
	p, c := s.p, s.c
	lt, ot, mt := &t.literals.at, &t.offsets.at, &t.matches.at
	ls, os, ms := s.literal, s.offset, s.match
	r0, r1, r2 := t.repeated[0], t.repeated[1], t.repeated[2]
	end := len(seqs)
	if last {
		end-- // the last sequence is followed by no states
	}
	ok = true
	for n < len(seqs) && p >= lead {
		le, oe, me := lt[ls&(1<<literalLog-1)], ot[os&(1<<maxLog-1)], mt[ms&(1<<matchLog-1)]
		// The bits of the value and of the next state, each sum in its byte.
		sum := uint16(le) + uint16(oe) + uint16(me)

		w := load64(in, p-8)
		far := c+int(uint8(sum)) > 64
		c += int(oe.extra())
		offset := oe.value() + uint32(bits.RotateLeft64(w, c)&masks[oe.extra()&63])
		if far {
			p -= c >> 3
			c &= 7
			w = load64(in, p-8)
		}
		c += int(me.extra())
		match := me.value() + uint32(bits.RotateLeft64(w, c)&masks[me.extra()&63])
		c += int(le.extra())
		literal := le.value() + uint32(bits.RotateLeft64(w, c)&masks[le.extra()&63])

		if oe.extra() > 1 {
			r2, r1, r0 = r1, r0, offset
		} else {
			if literal == 0 {
				offset++
			}
			switch offset {
			case 1:
				offset = r0
			case 2:
				offset, r1 = r1, r0
				r0 = offset
			default:
				if offset == 3 {
					offset = r2
				} else {
					offset = r0 - 1
				}
				r2, r1, r0 = r1, r0, offset
				if offset == 0 {
					ok = false
				}
			}
		}
		seqs[n] = sequence{literal, match, offset}
		literals += int(literal)
		matches += int(match)
		n++
		if n > end {
			break
		}

		if c+int(sum>>8) > 64 {
			p -= c >> 3
			c &= 7
			w = load64(in, p-8)
		}
		c += int(le.bits())
		ls = uint(le.next()) + uint(bits.RotateLeft64(w, c)&masks[le.bits()&63])
		c += int(me.bits())
		ms = uint(me.next()) + uint(bits.RotateLeft64(w, c)&masks[me.bits()&63])
		c += int(oe.bits())
		os = uint(oe.next()) + uint(bits.RotateLeft64(w, c)&masks[oe.bits()&63])
		p -= c >> 3
		c &= 7
	}
	s.p, s.c = p-c>>3, c&7
	s.literal, s.offset, s.match = ls, os, ms
	t.repeated = [3]uint32{r0, r1, r2}
	return n, literals, matches, ok
}
