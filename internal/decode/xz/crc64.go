package xz

import (
	"encoding/binary"
	"sync"
)

// crc64Sum computes the CRC64 of section 6, ECMA-182 reflected, by multiplication
// of polynomials where the processor has it, else in four lanes beside one another:
// a byte's step waits for the one before it, and one lane leaves most of a core
// idle.
type crc64Sum struct {
	// step[k][b] is what byte b does to a state with k bytes after it.
	step [8][256]uint64
	// jump[k][b] is what byte k of a state comes to after a lane of zeros.
	jump [8][256]uint64
	// far and near move 16 bytes forward over 64 bytes and over 16: the powers of
	// x for their first and last eight bytes, less one for the bit that a product
	// of reflected polynomials is off by.
	far, near [2]uint64
}

const (
	crc64Poly = 0xc96c5795d7870f42
	crc64Lane = 1 << 10 // bytes of a lane
)

// crc64Tables makes the tables at first use. They never change.
var crc64Tables = sync.OnceValue(newCRC64)

func newCRC64() *crc64Sum {
	t := new(crc64Sum)
	for b := range t.step[0] {
		v := uint64(b)
		for range 8 {
			v = v>>1 ^ -(v&1)&crc64Poly
		}
		t.step[0][b] = v
	}
	for k := 1; k < 8; k++ {
		for b, v := range t.step[k-1] {
			t.step[k][b] = v>>8 ^ t.step[0][byte(v)]
		}
	}
	// A state after zeros is linear in its bits.
	var bit [64]uint64
	zeros := make([]byte, crc64Lane)
	for i := range bit {
		bit[i] = t.lane(1<<i, zeros)
	}
	for k := range t.jump {
		for b := range t.jump[k] {
			for i := range 8 {
				if b>>i&1 != 0 {
					t.jump[k][b] ^= bit[8*k+i]
				}
			}
		}
	}
	t.far = [2]uint64{crc64Power(512 + 63), crc64Power(512 - 1)}
	t.near = [2]uint64{crc64Power(128 + 63), crc64Power(128 - 1)}
	return t
}

// crc64Power is x to the power of n modulo the polynomial.
func crc64Power(n int) uint64 {
	v := uint64(1) << 63
	for range n {
		v = v>>1 ^ -(v&1)&crc64Poly
	}
	return v
}

// update adds p to a CRC.
func (t *crc64Sum) update(crc uint64, p []byte) uint64 {
	crc, p = t.fold(^crc, p)
	for len(p) >= 4*crc64Lane {
		a, b, c, d := p[:crc64Lane], p[crc64Lane:2*crc64Lane], p[2*crc64Lane:3*crc64Lane], p[3*crc64Lane:4*crc64Lane]
		var x, y, z uint64
		for len(a) >= 8 && len(b) >= 8 && len(c) >= 8 && len(d) >= 8 {
			crc = t.word(crc ^ binary.LittleEndian.Uint64(a))
			x = t.word(x ^ binary.LittleEndian.Uint64(b))
			y = t.word(y ^ binary.LittleEndian.Uint64(c))
			z = t.word(z ^ binary.LittleEndian.Uint64(d))
			a, b, c, d = a[8:], b[8:], c[8:], d[8:]
		}
		crc = t.over(t.over(t.over(crc)^x)^y) ^ z
		p = p[4*crc64Lane:]
	}
	return ^t.lane(crc, p)
}

// lane takes p one word after the other.
func (t *crc64Sum) lane(v uint64, p []byte) uint64 {
	for ; len(p) >= 8; p = p[8:] {
		v = t.word(v ^ binary.LittleEndian.Uint64(p))
	}
	for _, b := range p {
		v = v>>8 ^ t.step[0][byte(v)^b]
	}
	return v
}

// word is the state v after its eight bytes.
func (t *crc64Sum) word(v uint64) uint64 {
	return t.step[7][byte(v)] ^ t.step[6][byte(v>>8)] ^ t.step[5][byte(v>>16)] ^ t.step[4][byte(v>>24)] ^
		t.step[3][byte(v>>32)] ^ t.step[2][byte(v>>40)] ^ t.step[1][byte(v>>48)] ^ t.step[0][v>>56]
}

// over is the state v after a lane of zeros.
func (t *crc64Sum) over(v uint64) uint64 {
	return t.jump[0][byte(v)] ^ t.jump[1][byte(v>>8)] ^ t.jump[2][byte(v>>16)] ^ t.jump[3][byte(v>>24)] ^
		t.jump[4][byte(v>>32)] ^ t.jump[5][byte(v>>40)] ^ t.jump[6][byte(v>>48)] ^ t.jump[7][v>>56]
}
