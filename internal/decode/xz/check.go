package xz

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/crc32"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// checker computes the check of a block.
type checker struct {
	kind  Check
	crc32 uint32
	crc64 uint64
	sha   hash.Hash // kept once made
	table *crc64Sum
}

// reset begins a block. A kind that is not known computes nothing.
func (c *checker) reset(kind Check) {
	c.kind, c.crc32, c.crc64 = kind, 0, 0
	switch {
	case kind == CRC64 && c.table == nil:
		c.table = crc64Tables()
	case kind == SHA256 && c.sha == nil:
		c.sha = sha256.New()
	case kind == SHA256:
		c.sha.Reset()
	}
}

func (c *checker) write(p []byte) {
	switch c.kind {
	case CRC32:
		c.crc32 = crc32.Update(c.crc32, crc32.IEEETable, p)
	case CRC64:
		c.crc64 = c.table.update(c.crc64, p)
	case SHA256:
		c.sha.Write(p)
	}
}

// verify compares with the stored check.
func (c *checker) verify(stored []byte) error {
	var buf [sha256.Size]byte
	sum := buf[:0]
	switch c.kind {
	case CRC32:
		sum = binary.LittleEndian.AppendUint32(sum, c.crc32)
	case CRC64:
		sum = binary.LittleEndian.AppendUint64(sum, c.crc64)
	case SHA256:
		sum = c.sha.Sum(sum)
	default:
		return nil
	}
	if !bytes.Equal(sum, stored) {
		return &fault.Error{Kind: fault.Checksum, What: "check of an xz block"}
	}
	return nil
}
