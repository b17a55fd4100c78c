package xz

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// minUnpadded is the smallest block without its padding: a header of eight bytes
// and one of LZMA2 data would be more, but the format says five.
const minUnpadded = 5

// indexReader reads an index record by record, from its indicator on.
type indexReader struct {
	src  *bufio.Reader
	size int64 // bytes taken
	crc  uint32
	left int64  // records to come
	buf  []byte // taken and not in crc yet
}

// begin reads indicator and number of records.
func (x *indexReader) begin(src *bufio.Reader) (records int64, err error) {
	x.src, x.size, x.crc, x.buf = src, 0, 0, x.buf[:0]
	if b, err := x.next(); err != nil {
		return 0, err
	} else if b != 0 {
		return 0, fault.Corruptf("no xz index")
	}
	x.left, err = integer(x.next)
	return x.left, err
}

func (x *indexReader) next() (byte, error) {
	b, err := x.src.ReadByte()
	if err != nil {
		return 0, noEOF(err)
	}
	x.size++
	if x.buf = append(x.buf, b); len(x.buf) == 64 {
		x.flush()
	}
	return b, nil
}

func (x *indexReader) flush() {
	x.crc = crc32.Update(x.crc, crc32.IEEETable, x.buf)
	x.buf = x.buf[:0]
}

// record reads the next record.
func (x *indexReader) record() (unpadded, decoded int64, err error) {
	if unpadded, err = integer(x.next); err != nil {
		return 0, 0, err
	}
	if unpadded < minUnpadded {
		return 0, 0, fault.Corruptf("xz index has a block of %d bytes", unpadded)
	}
	decoded, err = integer(x.next)
	x.left--
	return unpadded, decoded, err
}

// end reads padding and CRC32.
func (x *indexReader) end() error {
	for x.size%4 != 0 {
		b, err := x.next()
		if err != nil {
			return err
		}
		if b != 0 {
			return fault.Corruptf("xz index padding is not zero")
		}
	}
	x.flush()
	var sum [4]byte
	if err := full(x.src, sum[:]); err != nil {
		return err
	}
	x.size += 4
	if binary.LittleEndian.Uint32(sum[:]) != x.crc {
		return wrongSum("index")
	}
	return nil
}
