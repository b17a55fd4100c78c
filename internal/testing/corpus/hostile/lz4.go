package hostile

import (
	"bytes"
	"encoding/binary"
)

func lz4s() []Object {
	end := make([]byte, 4)
	independent, linked := unhex("04224d18 60 40 82"), unhex("04224d18 40 40 c0")
	one := unhex("02000000 1041")
	raw := unhex("01000080 41")
	return []Object{
		{"lz4", "empty frames", repeated(join(independent, end))},
		{"lz4", "frames of a byte", repeated(join(independent, raw, end))},
		{"lz4", "skippable frames", framed(nil, unhex("502a4d18 00000000"), join(independent, end))},
		{"lz4", "empty raw blocks", framed(independent, unhex("00000080"), end)},
		{"lz4", "raw blocks of a byte", framed(independent, raw, end)},
		{"lz4", "linked raw blocks of a byte", framed(linked, raw, end)},
		{"lz4", "blocks of a byte", framed(independent, one, end)},
		{"lz4", "linked blocks of a byte", framed(linked, one, end)},
		{"lz4", "linked blocks of a byte in a buffer that is nearly full", framed(
			join(linked, lz4Literals(33068), lz4Literals(32000), lz4Literals(700)), unhex("03000000 204142"), end)},
		{"lz4", "legacy frames of a byte", repeated(join(unhex("02214c18"), one))},
		{"lz4", "legacy blocks of two bytes", framed(unhex("02214c18"), unhex("03000000 204142"), nil)},
		{"lz4-java", "empty streams", repeated(lz4Java(0x25, nil, 0, 0))},
		{"lz4-java", "blocks of a byte", framed(nil, lz4Java(0x15, []byte("a"), 1, 0x2b7e114), lz4Java(0x25, nil, 0, 0))},
		{"lz4-hadoop", "empty blocks", repeated(end)},
		{"lz4-hadoop", "blocks of a byte", repeated(unhex("00000001 00000002 1041"))},
		{"lz4-hadoop", "chunks of a byte", func(size int) []byte {
			n := max(1, size/6)
			return append(binary.BigEndian.AppendUint32(nil, uint32(n)), bytes.Repeat(unhex("00000002 1041"), n)...)
		}},
		{"lz4-block", "literals alone", repeated(unhex("1061 0100"))},
		{"lz4-block", "matches of four bytes", framed(unhex("1061 0100"), unhex("00 0100"), unhex("10 61"))},
	}
}

// lz4Literals is a block of n literals, 15 or more.
func lz4Literals(n int) []byte {
	b := append([]byte{0xf0}, bytes.Repeat([]byte{255}, (n-15)/255)...)
	b = append(b, byte((n-15)%255))
	b = append(b, make([]byte, n)...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// lz4Java is a block of lz4-java.
func lz4Java(token byte, body []byte, decoded, sum uint32) []byte {
	b := append([]byte("LZ4Block"), token)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	b = binary.LittleEndian.AppendUint32(b, decoded)
	b = binary.LittleEndian.AppendUint32(b, sum)
	return append(b, body...)
}
