package xz

import (
	"encoding/binary"
	"math/bits"
)

// x86 undoes the filter for calls and jumps (opcodes e8 and e9) with a 32-bit
// target. Instructions have no alignment, so an opcode may be data: a target is
// converted only if its top byte says that it lies within ±16 MiB, and not where
// opcodes close before make that doubtful.
//
// ops and near are histories of the last three bytes in bits 1 to 3, the nearest
// lowest: ops of opcodes that were not converted, near of those among them whose
// target was in reach.
type x86 struct {
	pos       uint32 // of the next byte
	ops, near uint8
}

func newX86(offset uint32) converter { return &x86{pos: offset} }

func (x *x86) convert(b []byte) int {
	i := 0
	for ; i+5 <= len(b); i++ {
		x.ops = x.ops << 1 & 0xe
		x.near = x.near << 1 & 0xe
		if b[i]&0xfe != 0xe8 {
			continue
		}
		target := b[i+1 : i+5]
		reach := signByte(target[3])
		if !reach || x.near != 0 || bits.OnesCount8(x.ops) > 1 {
			x.ops |= 1
			if reach {
				x.near |= 1
			}
			continue
		}
		v := x.relative(binary.LittleEndian.Uint32(target), x.pos+uint32(i)+5)
		v = v&0x01ffffff | -(v & 0x01000000)
		binary.LittleEndian.PutUint32(target, v)
		x.ops, x.near = 0, 0
		i += 4
	}
	x.pos += uint32(i)
	return i
}

// relative is the target v seen from next. Where an opcode shortly before shares
// bytes with the target, the byte that was its top byte must not look like one
// in reach; the encoder inverted the bits below until it did not.
func (x *x86) relative(v, next uint32) uint32 {
	v -= next
	if x.ops == 0 {
		return v
	}
	shift := 24 - 8*bits.TrailingZeros8(x.ops)
	for signByte(byte(v >> shift)) {
		v = v ^ (1<<(shift+8) - 1) - next
	}
	return v
}

// signByte reports whether b extends the sign of 24 bits below it.
func signByte(b byte) bool { return b == 0 || b == 0xff }
