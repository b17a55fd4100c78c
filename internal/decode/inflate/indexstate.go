package inflate

import (
	"encoding/binary"
	"slices"
)

// State is a Mark in the form in which restart points and indexes keep it, with
// what a format around the stream needs to go on.
type State struct {
	Format byte   // which format: its sum and trailer
	Bit    uint8  // of the byte at the stored offset, which is kept elsewhere
	Summed bool   // Sum was kept up
	Sum    uint32 // checksum of the stream's data before
	Size   int64  // of the stream's data before
	Window []byte // its last bytes, Window or all of them
}

// StateVersion is the first byte of the form that Append writes:
//
//	version | format | bit, 0x80 summed | sum 4 | size 8 | window
const StateVersion = 1

const (
	stateHead   = 15
	stateSummed = 0x80
)

// Append appends the form of s to b.
func (s *State) Append(b []byte) []byte {
	bit := s.Bit
	if s.Summed {
		bit |= stateSummed
	}
	b = slices.Grow(b, stateHead+len(s.Window))
	b = append(b, StateVersion, s.Format, bit)
	b = binary.LittleEndian.AppendUint32(b, s.Sum)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Size))
	return append(b, s.Window...)
}

// ParseState reads what Append writes. Its Window is a part of b. It is not ok if
// b is of another version or makes no sense.
func ParseState(b []byte) (s State, ok bool) {
	if len(b) < stateHead || b[0] != StateVersion {
		return State{}, false
	}
	s = State{
		Format: b[1],
		Bit:    b[2] &^ stateSummed,
		Summed: b[2]&stateSummed != 0,
		Sum:    binary.LittleEndian.Uint32(b[3:]),
		Size:   int64(binary.LittleEndian.Uint64(b[7:])),
		Window: b[stateHead:],
	}
	return s, s.Bit <= 7 && s.Size >= 0 && int64(len(s.Window)) == min(s.Size, Window)
}

// Mark is the mark of s at a stored offset of the stream.
func (s *State) Mark(offset int64) Mark {
	return Mark{Point{Offset: offset, Bit: s.Bit, Decoded: s.Size, History: len(s.Window)}, s.Window}
}
