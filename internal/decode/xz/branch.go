package xz

import "encoding/binary"

// branch is the filter for branches in machine code with an id of section 5.3.2:
// the alignment of its instructions and its converter for data that begins at
// offset. Encoders replace the relative targets of calls and jumps by absolute
// ones; converters subtract the instruction's position again.
func branch(id int64) (align int, make func(offset uint32) converter) {
	switch id {
	case filterPPC:
		return 4, fixed(4, 4, ppc)
	case filterIA64:
		return 16, fixed(16, 16, ia64)
	case filterARM:
		return 4, fixed(4, 4, arm)
	case filterThumb:
		return 2, fixed(2, 4, thumb)
	case filterSPARC:
		return 4, fixed(4, 4, sparc)
	case filterARM64:
		return 4, fixed(4, 4, arm64)
	}
	return 1, newX86
}

// aligned undoes a filter whose instructions begin at multiples of step.
type aligned struct {
	pos  uint32 // of the next byte
	step int
	size int // bytes that one must see
	// undo changes the instruction at the front of b, which stands at pos, and
	// returns how many bytes it took beyond step.
	undo func(b []byte, pos uint32) int
}

// fixed makes an aligned converter.
func fixed(step, size int, undo func(b []byte, pos uint32) int) func(uint32) converter {
	return func(offset uint32) converter {
		return &aligned{pos: offset, step: step, size: size, undo: undo}
	}
}

func (a *aligned) convert(b []byte) int {
	i := 0
	for i+a.size <= len(b) {
		i += a.step + a.undo(b[i:i+a.size], a.pos+uint32(i))
	}
	a.pos += uint32(i)
	return i
}

// ppc: bl, opcode 18 with absolute bit 0 and link bit 1; 24 bits of words.
func ppc(b []byte, pos uint32) int {
	v := binary.BigEndian.Uint32(b)
	if v&0xfc000003 == 0x48000001 {
		binary.BigEndian.PutUint32(b, v&0xfc000003|(v-pos)&0x03fffffc)
	}
	return 0
}

// arm: bl with condition "always"; 24 bits of words from two instructions on.
func arm(b []byte, pos uint32) int {
	v := binary.LittleEndian.Uint32(b)
	if v>>24 == 0xeb {
		binary.LittleEndian.PutUint32(b, 0xeb000000|(v-(pos+8)>>2)&0x00ffffff)
	}
	return 0
}

// thumb: bl in two halves; 22 bits of halfwords, the high eleven ones first.
func thumb(b []byte, pos uint32) int {
	hi, lo := uint32(binary.LittleEndian.Uint16(b)), uint32(binary.LittleEndian.Uint16(b[2:]))
	if hi&0xf800 != 0xf000 || lo&0xf800 != 0xf800 {
		return 0
	}
	v := (hi&0x7ff)<<11 | lo&0x7ff
	v -= (pos + 4) >> 1
	binary.LittleEndian.PutUint16(b, uint16(0xf000|v>>11&0x7ff))
	binary.LittleEndian.PutUint16(b[2:], uint16(0xf800|v&0x7ff))
	return 2
}

// sparc: call, whose target fits 23 signed bits of words.
func sparc(b []byte, pos uint32) int {
	v := binary.BigEndian.Uint32(b)
	if v>>22 != 0x100 && v>>22 != 0x1ff {
		return 0
	}
	v -= pos >> 2
	v = -(v>>22&1)<<22&0x3fffffff | v&0x003fffff | 0x40000000
	binary.BigEndian.PutUint32(b, v)
	return 0
}

// arm64: bl, 26 bits of words; adrp, 21 bits of pages, where within ±512 MiB.
func arm64(b []byte, pos uint32) int {
	v := binary.LittleEndian.Uint32(b)
	switch {
	case v>>26 == 0x25:
		v = 0x94000000 | (v-pos>>2)&0x03ffffff
	case v&0x9f000000 == 0x90000000:
		page := v>>29&3 | v>>3&0x001ffffc
		if (page+0x00020000)&0x001c0000 != 0 {
			return 0
		}
		page -= pos >> 12
		v = v&0x9000001f | page&3<<29 | page&0x0003fffc<<3 | -(page&0x00020000)&0x00e00000
	default:
		return 0
	}
	binary.LittleEndian.PutUint32(b, v)
	return 0
}

// ia64Branch reports by the template of a bundle which of its three slots hold
// branch instructions.
var ia64Branch = [32]byte{
	0x10: 4, 0x11: 4, 0x12: 6, 0x13: 6, 0x16: 7, 0x17: 7,
	0x18: 4, 0x19: 4, 0x1c: 4, 0x1d: 4,
}

// ia64: br.call, 21 bits of bundles.
func ia64(b []byte, pos uint32) int {
	slots := ia64Branch[b[0]&0x1f]
	for slot := range 3 {
		if slots>>slot&1 == 0 {
			continue
		}
		bit := 5 + 41*slot
		at, shift := b[bit/8:], bit%8
		var v uint64
		for i := range 6 {
			v |= uint64(at[i]) << (8 * i)
		}
		in := v >> shift
		if in>>37&0xf != 5 || in>>9&7 != 0 {
			continue
		}
		target := uint32(in>>13&0xfffff | in>>36&1<<20)
		target -= pos >> 4
		in = in&^(0x8fffff<<13) | uint64(target&0xfffff)<<13 | uint64(target&0x100000)<<16
		v = v&(1<<shift-1) | in<<shift
		for i := range 6 {
			at[i] = byte(v >> (8 * i))
		}
	}
	return 0
}
