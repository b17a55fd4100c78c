package xz_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"hash/crc64"
	"testing"

	writer "github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/internal/decode/xz"
)

// block is a block to be built. What is wrong with it is put there by tests.
type block struct {
	data    []byte
	sizes   bool   // states its sizes
	filters []byte // flags of filters in front of LZMA2
	count   int    // how many those are
	extra   int    // header padding beside what alignment needs
}

// packed is data as an LZMA2 stream.
func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := writer.Writer2Config{DictCap: 64 << 10}.NewWriter2(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func vli(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

func sum32(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func pad4(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// check is the check of data; kinds without a meaning give bytes without one.
func check(kind xz.Check, data []byte) []byte {
	switch kind {
	case xz.CRC32:
		return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(data))
	case xz.CRC64:
		return binary.LittleEndian.AppendUint64(nil, crc64.Checksum(data, crc64.MakeTable(crc64.ECMA)))
	case xz.SHA256:
		sum := sha256.Sum256(data)
		return sum[:]
	}
	return make([]byte, kind.Size())
}

// header is a stream header.
func header(kind xz.Check) []byte {
	flags := []byte{0, byte(kind)}
	return append([]byte(xz.Magic), sum32(flags)...)
}

// footer is a stream footer.
func footer(kind xz.Check, index int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(index/4-1))
	b = append(b, 0, byte(kind))
	sum := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b))
	return append(append(sum, b...), "YZ"...)
}

// build is the block, and its record in the index.
func (k block) build(t testing.TB, kind xz.Check) (stored, record []byte) {
	body := packed(t, k.data)
	b := []byte{0, byte(k.count)}
	if k.sizes {
		b[1] |= 0xc0
		b = vli(vli(b, uint64(len(body))), uint64(len(k.data)))
	}
	b = append(b, k.filters...)
	b = append(b, 0x21, 1, 8) // LZMA2, 64 KiB
	b = pad4(append(b, make([]byte, k.extra)...))
	b[0] = byte(len(b) / 4)
	b = sum32(b)
	size := len(b) + len(body)
	b = append(b, pad4(body)...)
	sum := check(kind, k.data)
	return append(b, sum...), vli(vli(nil, uint64(size+len(sum))), uint64(len(k.data)))
}

// index is an index of records.
func index(records ...[]byte) []byte {
	b := vli([]byte{0}, uint64(len(records)))
	return sum32(pad4(append(b, bytes.Join(records, nil)...)))
}

// stream is a stream of blocks.
func stream(t testing.TB, kind xz.Check, blocks ...block) []byte {
	t.Helper()
	b := header(kind)
	var records [][]byte
	for _, k := range blocks {
		stored, record := k.build(t, kind)
		b = append(b, stored...)
		records = append(records, record)
	}
	x := index(records...)
	return append(append(b, x...), footer(kind, len(x))...)
}
