package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
)

// Records is data that costs a framer more than its bytes.
type Records struct {
	Framer string
	Name   string // what is dear about it
	Make   func(size int) []byte
}

// AllRecords lists data of every kind, by framer.
func AllRecords() []Records {
	all := []Records{
		{"lines", "empty lines", repeated([]byte("\n"))},
		{"lines", "carriage returns", repeated([]byte("\r\n"))},
		{"lines", "no end of line", repeated([]byte("a"))},
		{"ndjson", "blank lines", repeated([]byte(" \n"))},
		{"ndjson", "no end of line", repeated([]byte(" "))},
		{"delim:00", "empty records", repeated([]byte{0})},
		{"delim:" + strings.Repeat("00", 15) + "01", "what nearly is a separator", repeated([]byte{0})},
		{"fixed:1", "records of a byte", repeated([]byte("a"))},
		{"regexp:a*b", "a match that ends nowhere", repeated([]byte("a"))},
		{"regexp:a", "a match at every byte", repeated([]byte("a"))},
		{"json", "numbers of a digit", repeated([]byte("1 "))},
		{"json", "arrays inside each other", repeated([]byte("["))},
		{"json", "empty arrays", repeated([]byte("[]"))},
		{"json", "a text of escapes", framed([]byte(`"`), []byte(`\\`), []byte(`"`))},
		{"json", "a number without end", repeated([]byte("1"))},
		{"json-array", "numbers of a digit", framed([]byte("[1"), []byte(",1"), []byte("]"))},
		{"json-array", "an element of empty arrays", framed([]byte("[[1"), []byte(",[]"), []byte("]]"))},
		{"json-array", "blanks", framed([]byte("["), []byte(" "), []byte("]"))},
		{"varint", "empty records", repeated([]byte{0})},
		{"tfrecord", "empty records", repeated(TFRecord(nil))},
		{"recordio", "empty records", repeated(unhex("0a23d7ce 00000000"))},
		{"tar", "empty files", tarOf(TarFile('0', nil))},
		{"tar", "folders", tarOf(TarFile('5', nil))},
		{"tar", "extended headers", tarOf(TarFile('x', []byte("9 path=a\n")))},
		{"tar", "a long extended header", func(size int) []byte {
			var b bytes.Buffer
			for b.Len() < size {
				b.WriteString("9 path=a\n")
			}
			return join(TarFile('x', b.Bytes()), TarFile('0', nil), TarEnd)
		}},
		{"warc", "empty records", repeated([]byte("WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n"))},
		{"warc", "a header of many fields", framed([]byte("WARC/1.0\r\n"), []byte("a:b\r\n"), []byte("Content-Length: 0\r\n\r\n\r\n\r\n"))},
		{"whole", "one record", repeated([]byte("a"))},
	}
	for _, name := range []string{"csv", "tsv"} {
		all = append(all,
			Records{name, "empty lines", repeated([]byte("\n"))},
			Records{name, "quotes", repeated([]byte(`"`))},
			Records{name, "rows of an empty field in quotes", repeated([]byte("\"\"\n"))},
			Records{name, "a field in quotes without end", framed([]byte(`"`), []byte("a\n"), nil)},
			Records{name, "quotes that are no field's", repeated([]byte("a\"\n"))},
			Records{name, "empty fields", repeated([]byte(",\t"))})
	}
	for _, width := range []int{16, 32, 64} {
		for _, order := range []string{"be", "le"} {
			all = append(all, Records{fmt.Sprintf("u%d%s", width, order), "empty records", repeated(make([]byte, width/8))})
		}
	}
	return all
}

// TFRecord is a record of TensorFlow.
func TFRecord(data []byte) []byte {
	sum := func(b []byte) uint32 {
		c := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
		return (c>>15 | c<<17) + 0xa282ead8
	}
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, sum(b))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, sum(data))
}

// TarEnd ends a tar archive.
var TarEnd = make([]byte, 1024)

func tarOf(part []byte) func(size int) []byte { return framed(nil, part, TarEnd) }

// TarFile is a member of a tar archive, with such a type.
func TarFile(kind byte, data []byte) []byte {
	b := make([]byte, 512, 1024)
	copy(b, "name")
	copy(b[100:], "0000644")
	copy(b[124:], fmt.Sprintf("%011o", len(data)))
	b[156] = kind
	copy(b[257:], "ustar\x0000")
	copy(b[148:], "        ")
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	b = append(b, data...)
	return append(b, make([]byte, -len(data)&511)...)
}
