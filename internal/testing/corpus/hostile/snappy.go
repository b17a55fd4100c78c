package hostile

import (
	"bytes"
	"encoding/binary"
)

const (
	snappyID = "\xff\x06\x00\x00sNaPpY"
	s2ID     = "\xff\x06\x00\x00S2sTwO"
	xerialID = "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"
)

func snappies() []Object {
	s2, snappy := []byte(s2ID), []byte(snappyID)
	// What has the type of data but for its highest bit: a block of 4 MiB of zeros
	// for S2, and one of 64 KiB for Snappy.
	long := snappyChunk(0x80, unhex("80808002 0000 11011d00f3ff3e"))
	short := snappyChunk(0x80, append(unhex("808004 0000"), bytes.Repeat(unhex("fe0100"), 1024)...))
	empty := snappyChunk(1, nil)
	return []Object{
		{"snappy", "identifiers", repeated(snappy)},
		{"snappy", "empty chunks", framed(snappy, empty, nil)},
		{"snappy", "skippable chunks", framed(snappy, unhex("fe000000"), nil)},
		{"snappy", "skippable chunks of all types", numbered(snappy, func(i int) []byte {
			return []byte{byte(0x82 + i%0x7d), 0, 0, 0}
		}, nil)},
		{"snappy", "skippable chunks that read as data", framed(snappy, short, nil)},
		{"s2", "identifiers in turn", repeated(join(s2, snappy))},
		{"s2", "skippable chunks that read as 4 MiB of data", framed(s2, long, nil)},
		{"snappy-hadoop", "empty blocks", repeated(make([]byte, 4))},
		{"snappy-hadoop", "blocks of a byte", repeated(unhex("00000001 00000003 010041"))},
		{"snappy-hadoop", "chunks of a byte", func(size int) []byte {
			n := max(1, size/7)
			return append(binary.BigEndian.AppendUint32(nil, uint32(n)), bytes.Repeat(unhex("00000003 010041"), n)...)
		}},
		{"snappy-xerial", "headers", repeated([]byte(xerialID))},
		{"snappy-xerial", "chunks of a byte", framed([]byte(xerialID), unhex("00000003 010041"), nil)},
		{"snappy-block", "literals of a byte", func(size int) []byte {
			n := max(1, size/2)
			return append(binary.AppendUvarint(nil, uint64(n)), bytes.Repeat(unhex("0041"), n)...)
		}},
		{"snappy-block", "literals of a byte whose length takes four", func(size int) []byte {
			n := max(1, size/6)
			return append(binary.AppendUvarint(nil, uint64(n)), bytes.Repeat(unhex("fc00000000 41"), n)...)
		}},
		{"snappy-block", "copies of a byte", func(size int) []byte {
			n := max(1, size/3)
			b := append(binary.AppendUvarint(nil, uint64(n)+1), unhex("0041")...)
			return append(b, bytes.Repeat(unhex("020100"), n)...)
		}},
	}
}

// snappyChunk is a chunk with the checksum of no data, or a wrong one.
func snappyChunk(kind byte, body []byte) []byte {
	n := len(body) + 4
	b := []byte{kind, byte(n), byte(n >> 8), byte(n >> 16)}
	return append(append(b, unhex("d8ea82a2")...), body...)
}
