package hostile

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
)

// gzipEmpty is a member of no data.
var gzipEmpty = unhex("1f8b0800000000000003 0300 00000000 00000000")

func deflated() []Object {
	all := []Object{
		{"gzip", "empty members", repeated(gzipEmpty)},
		{"gzip", "members of a byte", repeated(gzip(unhex("4b0400"), []byte("a")))},
		{"gzip", "members with a name of 64 KiB", repeated(gzipFields(1<<3, nil, 64<<10))},
		{"gzip", "members with 64 KiB of extra fields", repeated(gzipFields(1<<2, bytes.Repeat(unhex("41420000"), 16383), 0))},
		{"gzip", "BGZF blocks without data", repeated(unhex("1f8b08040000000000ff 0600 4243 0200 1b00 0300 00000000 00000000"))},
		{"gzip", "zeros between members", repeated(join(gzipEmpty, make([]byte, 512)))},
		{"gzip", "padding", padded(gzipEmpty)},
		{"gzip", "one long name", func(size int) []byte { return gzipFields(1<<3, nil, size) }},
	}
	for _, body := range []struct {
		name string
		make func(size int) []byte
	}{
		{"empty stored blocks", framed(nil, unhex("000000ffff"), unhex("010000ffff"))},
		{"blocks with codes of all symbols and no data", emptyDynamic},
		{"blocks of fixed codes and no data", emptyFixed},
	} {
		all = append(all,
			Object{"deflate", body.name, body.make},
			Object{"gzip", body.name, func(size int) []byte { return gzip(body.make(size), nil) }},
			Object{"zlib", body.name, func(size int) []byte {
				return join(unhex("789c"), body.make(size), binary.BigEndian.AppendUint32(nil, adler32.Checksum(nil)))
			}})
	}
	return all
}

// gzip is a member of data that deflated decodes to.
func gzip(deflated, data []byte) []byte {
	b := append(unhex("1f8b0800000000000003"), deflated...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(b, uint32(len(data)))
}

// gzipFields is a member of no data with extra fields or a name of so many bytes.
func gzipFields(flags byte, extra []byte, name int) []byte {
	b := bytes.Clone(gzipEmpty[:10])
	b[3] = flags
	if len(extra) > 0 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(extra)))
		b = append(b, extra...)
	}
	if name > 0 {
		b = append(append(b, bytes.Repeat([]byte("n"), name)...), 0)
	}
	return append(b, gzipEmpty[10:]...)
}

// emptyFixed is blocks of ten bits that hold nothing.
func emptyFixed(size int) []byte {
	w := new(lowFirst)
	for len(w.b) < size {
		w.put(1<<1, 3)
		w.put(0, 7)
	}
	return lastFixed(w)
}

// lastFixed ends a stream with a fixed block of no data.
func lastFixed(w *lowFirst) []byte {
	w.put(1|1<<1, 3)
	w.put(0, 7)
	return w.align()
}

// emptyDynamic is blocks of some 25 bytes, each with the lengths of 286 codes of
// literals, of which two are used, and of 30 codes of distances.
func emptyDynamic(size int) []byte {
	w := new(lowFirst)
	for len(w.b) < size {
		w.put(2<<1, 3)
		w.put(29, 5)
		w.put(29, 5)
		w.put(14, 4)
		// Lengths of the codes of lengths: 18, a run of zeros, takes one bit; 0 and
		// 1 take two.
		for _, s := range [18]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1} {
			w.put(map[int]uint64{18: 1, 0: 2, 1: 2}[s], 3)
		}
		zeros := func(n int) { w.put(0, 1); w.put(uint64(n-11), 7) }
		one := func() { w.put(3, 2) }
		one() // literal 0
		zeros(138)
		zeros(117)
		one() // the end of the block
		zeros(29)
		zeros(30)
		w.put(1, 1)
	}
	return lastFixed(w)
}
