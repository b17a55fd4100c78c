package corpus

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
)

// BGZF is data, at most 64 KiB, in one block of BGZF: a gzip member that states its
// size (SAM format specification, section 4.1). The block of no data ends an object.
func BGZF(data []byte) []byte {
	const header = 10
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data) // a bytes.Buffer does not fail
	w.Close()
	plain := b.Bytes()
	block := append(bytes.Clone(plain[:header]), 6, 0, 'B', 'C', 2, 0)
	block[3] = 4 // there is an extra field
	block = binary.LittleEndian.AppendUint16(block, uint16(len(plain)+8-1))
	return append(block, plain[header:]...)
}
