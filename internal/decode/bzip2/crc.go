package bzip2

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// crc is the format's CRC-32 so far. It has the polynomial of the common one but
// takes the highest bit of a byte first; so it is the common one of the bytes
// mirrored, mirrored, and crc32 is faster than any table.
type crc struct {
	value    uint32
	mirrored [512]byte // scratch
}

func (c *crc) reset() { c.value = 0 }

func (c *crc) write(p []byte) {
	for len(p) > 0 {
		m := c.mirrored[:min(len(p), len(c.mirrored))]
		i := 0
		for ; i+8 <= len(m); i += 8 {
			binary.BigEndian.PutUint64(m[i:], bits.Reverse64(binary.LittleEndian.Uint64(p[i:])))
		}
		for ; i < len(m); i++ {
			m[i] = bits.Reverse8(p[i])
		}
		c.value = crc32.Update(c.value, crc32.IEEETable, m)
		p = p[len(m):]
	}
}

func (c *crc) sum() uint32 { return bits.Reverse32(c.value) }
