package bzip2

import (
	"encoding/binary"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// boundary is a place between two blocks of a stream, or before its end mark. Blocks
// begin at any bit, so that it may lie inside a byte.
type boundary struct {
	skip uint   // bits of the byte there that belong to the block before, 0 to 7
	sum  uint32 // CRC-32 of the stream so far
}

// A restart state is
//
//	form 1 | level 1 | skip 1 | sum 4, big-endian
//
// The level is the size of the stream's blocks. With sum the end of the stream is verified
// as if all blocks had been decoded.
const (
	stateForm = 1
	stateSize = 7
)

// Passed returns how many blocks were decoded and verified to their end since Reset or
// Resume. With each, Read passes a boundary at which Resume can begin.
func (z *Reader) Passed() int { return z.passed }

// SharesByte reports whether the last boundary passed lies inside the last byte of the
// block before it. Resume begins with that byte, otherwise with the one after it.
func (z *Reader) SharesByte() bool { return z.last.skip != 0 }

// State returns what Resume needs to begin at the last boundary passed.
func (z *Reader) State() []byte {
	b := []byte{stateForm, byte(z.level), byte(z.last.skip)}
	return binary.BigEndian.AppendUint32(b, z.last.sum)
}

// Resume stands for Reset at a boundary: src begins with the byte in which it lies. It
// reads nothing and returns the level of the stream. A state of another form is
// unsupported, any other that [Reader.State] does not make is corrupt.
func (z *Reader) Resume(src Source, state []byte) (level int, err error) {
	switch {
	case len(state) > 0 && state[0] != stateForm:
		return 0, fault.Unsupportedf("form %d of a bzip2 restart state", state[0])
	case len(state) != stateSize || state[1] < 1 || state[1] > 9 || state[2] > 7:
		return 0, fault.Corruptf("bzip2 restart state")
	}
	z.Reset(src)
	z.level, z.skip = int(state[1]), uint(state[2])
	z.sum = binary.BigEndian.Uint32(state[3:])
	return z.level, nil
}
