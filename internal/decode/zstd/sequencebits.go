package zstd

import "github.com/thaw-go/thaw/internal/decode/fault"

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

// sequenceBits are the bits that sequences are decoded from. The next bits are the highest of the eight
// bytes before p, less c of them, at most 7.
type sequenceBits struct {
	b    []byte // the section's bits, or tail
	low  int    // where they begin in b
	p, c int

	literal, offset, match uint // states
	tail                   [tailSpace + lead]byte
}

// start begins at the end mark of b and reads the first states.
func (s *sequenceBits) start(b []byte, t *tables) error {
	var r backward
	if !r.start(b) {
		return fault.Corruptf("sequences without an end mark")
	}
	s.literal = uint(r.read(t.literalLog))
	s.offset = uint(r.read(t.offsetLog))
	s.match = uint(r.read(t.matchLog))
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

// final decodes the last sequence, which no states follow.
func (s *sequenceBits) final(t *tables) sequence {
	r := backward{b: s.b[s.low:], left: s.left()}
	le, oe, me := t.literals[s.literal], t.offsets[s.offset], t.matches[s.match]
	offset := uint64(oe.value()) + r.read(int(oe.extra()))
	match := int(me.value()) + int(r.read(int(me.extra())))
	literals := int(le.value()) + int(r.read(int(le.extra())))
	s.p = s.low + (r.left+7)>>3
	s.c = 8*(s.p-s.low) - r.left
	return sequence{uint32(literals), uint32(match), offset}
}
