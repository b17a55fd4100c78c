package hostile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

func lzmas() []Object {
	empty := xzStream(0, nil, nil, 0)
	deltas := unhex("030100 030101 030102")
	return []Object{
		{"xz", "empty streams", repeated(empty)},
		{"xz", "streams of an empty block", repeated(xzStream(1, nil, []byte{0}, 0))},
		{"xz", "padding", padded(empty)},
		{"xz", "empty streams and padding", repeated(join(empty, make([]byte, 512)))},
		{"xz", "empty blocks", xzBlocks(nil, []byte{0}, 0)},
		{"xz", "empty blocks after three filters", xzBlocks(deltas, []byte{0}, 0)},
		{"xz", "stored chunks of a byte", xzChunks(unhex("01 0000 41"), unhex("02 0000 41"), 1)},
		{"xz", "stored chunks of a byte that forget the dictionary", xzChunks(nil, unhex("01 0000 41"), 1)},
		{"xz", "chunks of a byte that forget the model", xzChunks(zeroByte(0xe0), zeroByte(0xa0), 1)},
		{"xz", "chunks of a byte that forget everything", xzChunks(nil, zeroByte(0xe0), 1)},
		{"lzip", "empty members", repeated(lzipEmpty(12))},
		{"lzip", "empty members with a dictionary of 128 MiB", repeated(lzipEmpty(27))},
		{"lzip", "empty members and padding", repeated(join(lzipEmpty(12), make([]byte, 512)))},
		{"lzip", "padding", padded(lzipEmpty(12))},
		// lc 8, lp 4, pb 4; the data decodes to zeros and ends too early.
		{"lzma", "6 MiB of literal contexts", framed(unhex("e0 00100000 ffffffffffffffff"), []byte{0}, nil)},
	}
}

// zeroByte is a chunk of LZMA that decodes to a zero, with the largest model.
func zeroByte(control byte) []byte {
	head := []byte{control, 0, 0, 0, 5}
	if control >= 0xc0 {
		head = append(head, 4) // lc 4, lp 0, pb 0
	}
	return append(head, make([]byte, 6)...)
}

// lzipEmpty is a member of no data with a dictionary of 1<<log bytes.
func lzipEmpty(log byte) []byte {
	b := append(unhex("4c5a495001"), log)
	b = append(b, unhex("0083fffbffffc0000000")...) // an end marker
	b = append(b, make([]byte, 12)...)
	return binary.LittleEndian.AppendUint64(b, uint64(len(b)+8))
}

// xzBlocks is a maker of one stream of equal blocks.
func xzBlocks(filters, data []byte, decoded int) func(size int) []byte {
	one := len(xzStream(2, filters, data, decoded)) - len(xzStream(1, filters, data, decoded))
	return func(size int) []byte { return xzStream(max(1, size/one), filters, data, decoded) }
}

// xzChunks is a maker of one block of equal chunks, each of so many bytes.
func xzChunks(first, chunk []byte, decoded int) func(size int) []byte {
	return func(size int) []byte {
		n := max(1, size/len(chunk))
		data := join(first, bytes.Repeat(chunk, n), []byte{0})
		if first != nil {
			n++
		}
		return xzStream(1, nil, data, n*decoded)
	}
}

// xzStream is a stream without checks of n blocks, each of the data of LZMA2 that
// decodes to decoded bytes.
func xzStream(n int, filters, data []byte, decoded int) []byte {
	sum := func(b []byte) []byte { return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)) }
	pad := func(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
	flags := []byte{0, 0}
	out := join([]byte("\xfd7zXZ\x00"), flags, sum(flags))

	head := pad(join([]byte{0, byte(len(filters) / 3)}, filters, unhex("21 01 00")))
	head[0] = byte(len(head) / 4)
	head = append(head, sum(head)...)
	unpadded := uint64(len(head) + len(data))
	block := pad(join(head, data))

	index := binary.AppendUvarint([]byte{0}, uint64(n))
	for range n {
		out = append(out, block...)
		index = binary.AppendUvarint(index, unpadded)
		index = binary.AppendUvarint(index, uint64(decoded))
	}
	index = pad(index)
	index = append(index, sum(index)...)
	tail := append(binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1)), flags...)
	return join(out, index, sum(tail), tail, []byte("YZ"))
}
