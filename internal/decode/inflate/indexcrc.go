package inflate

import "hash/crc32"

// CombineCRC is the CRC-32 (IEEE) of two runs of bytes one after the other, of
// which the first has the checksum a, and the second b and n bytes.
//
// A checksum is a polynomial over GF(2) modulo the generator. n bytes after the
// first run multiply its part by x to the power of 8n; the parts then add up. What
// the checksum begins and ends with cancels out.
func CombineCRC(a, b uint32, n int64) uint32 {
	const one, x8 = 1 << 31, 1 << (31 - 8)
	shift, power := uint32(one), uint32(x8)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			shift = crcProduct(shift, power)
		}
		power = crcProduct(power, power)
	}
	return crcProduct(a, shift) ^ b
}

// crcProduct multiplies two polynomials modulo the generator. The highest bit is
// the coefficient of 1, the lowest that of x to the power of 31.
func crcProduct(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			product ^= b
		}
		carry := b & 1
		b = b>>1 ^ crc32.IEEE&-carry
	}
	return product
}
