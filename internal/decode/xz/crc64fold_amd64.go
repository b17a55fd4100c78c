//go:build !purego && !noasm

package xz

import "golang.org/x/sys/cpu"

// carryless says that the processor multiplies polynomials. It is never written.
var carryless = cpu.X86.HasPCLMULQDQ

// foldCRC64 gives 16 bytes that have, from state 0, the CRC that n blocks of 64
// bytes at src have from state crc; n > 0. far and near are the factors that
// stand for 64 and for 16 bytes.
//
//go:noescape
func foldCRC64(rest *[16]byte, src *byte, n int, crc uint64, far, near *[2]uint64)

// fold takes what it can off p and returns the state after it.
func (t *crc64Sum) fold(crc uint64, p []byte) (uint64, []byte) {
	n := len(p) / 64
	if !carryless || n < 4 {
		return crc, p
	}
	var rest [16]byte
	foldCRC64(&rest, &p[0], n, crc, &t.far, &t.near)
	return t.lane(0, rest[:]), p[64*n:]
}
