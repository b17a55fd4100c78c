package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/decode/xxh32"
)

// lz4RawBlock is data as one raw block.
func lz4RawBlock(t testing.TB, data []byte) []byte {
	t.Helper()
	b := make([]byte, lz4.CompressBlockBound(len(data)))
	n, err := new(lz4.Compressor).CompressBlock(data, b)
	if err != nil {
		t.Fatal(err)
	}
	return b[:n]
}

// lz4HadoopBlock is a block of Hadoop's framing with one chunk for each part.
func lz4HadoopBlock(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	out := binary.BigEndian.AppendUint32(nil, uint32(len(slices.Concat(parts...))))
	for _, p := range parts {
		c := lz4RawBlock(t, p)
		out = binary.BigEndian.AppendUint32(out, uint32(len(c)))
		out = append(out, c...)
	}
	return out
}

// lz4JavaStream is data as a stream of lz4-java, in blocks of n bytes.
func lz4JavaStream(t testing.TB, data []byte, n int) []byte {
	t.Helper()
	var out []byte
	header := func(method byte, stored, decoded int, sum uint32) {
		out = append(out, "LZ4Block"...)
		out = append(out, method|6) // blocks of up to 64 KiB
		out = binary.LittleEndian.AppendUint32(out, uint32(stored))
		out = binary.LittleEndian.AppendUint32(out, uint32(decoded))
		out = binary.LittleEndian.AppendUint32(out, sum)
	}
	for b := range slices.Chunk(data, n) {
		sum := xxh32.Of(0x9747b28c, b) & 0xfffffff
		c := lz4RawBlock(t, b)
		if len(c) < len(b) {
			header(0x20, len(c), len(b), sum)
			out = append(out, c...)
			continue
		}
		header(0x10, len(b), len(b), sum)
		out = append(out, b...)
	}
	header(0x10, 0, 0, 0)
	return out
}

func TestLZ4KinVectors(t *testing.T) {
	t.Parallel()
	text := lines(500)
	hadoop := lz4HadoopBlock(t, text[:200], text[200:])
	java := lz4JavaStream(t, slices.Concat(text, noise(100)), 200)
	javaData := slices.Concat(text, noise(100))
	twice := slices.Concat(text, text)
	for _, v := range []framing{
		{name: "hadoop", codec: "lz4-hadoop", stored: hadoop, data: text},
		{name: "hadoop blocks", codec: "lz4-hadoop", stored: slices.Concat(hadoop, hadoop), data: twice,
			ends: map[int][]byte{len(hadoop): text}},
		{name: "hadoop empty block", codec: "lz4-hadoop", stored: slices.Concat(make([]byte, 4), hadoop), data: text,
			ends: map[int][]byte{4: nil}},
		{name: "java", codec: "lz4-java", stored: java, data: javaData, summed: true},
		{name: "java streams", codec: "lz4-java", stored: slices.Concat(java, java), data: slices.Concat(javaData, javaData),
			ends: map[int][]byte{len(java): javaData}},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			checkFraming(t, v)
		})
	}
}

// TestLZ4Block reads raw blocks of all shapes; a cut may be a legal end, so only
// the data is compared.
func TestLZ4Block(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"text": lines(300 << 10), "noise": noise(200 << 10), "zeros": make([]byte, 300<<10), "one byte": {7},
	} {
		stored := lz4RawBlock(t, data)
		got, err := unframe(t, "lz4-block", bytes.NewReader(stored), nil)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: got %d bytes, error %v; want %d", name, len(got), err, len(data))
		}
		for n := 0; n < len(stored); n += 1 + len(stored)/150 {
			got, err := unframe(t, "lz4-block", bytes.NewReader(stored[:n]), nil)
			if err == nil && n == 0 || !bytes.HasPrefix(data, got) {
				t.Errorf("%s cut at %d: got %d other bytes, error %v", name, n, len(got), err)
			}
		}
	}
}

func TestLZ4KinFaults(t *testing.T) {
	t.Parallel()
	text := lines(500)
	be := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = binary.BigEndian.AppendUint32(b, x)
		}
		return b
	}
	java := lz4JavaStream(t, text, 500)
	for _, c := range []struct {
		name, codec string
		stored      []byte
		want        error
	}{
		{"chunk of 0", "lz4-hadoop", append(be(10, 0), 'x'), codec.ErrCorrupt},
		{"chunk longer than the block", "lz4-hadoop", append(be(10), lz4HadoopBlock(t, text)[4:]...), codec.ErrCorrupt},
		{"chunk that no block can need", "lz4-hadoop", be(10, 1<<30), codec.ErrCorrupt},
		{"chunk over the limit", "lz4-hadoop", be(1<<31-1, 1<<31-1), codec.ErrLimit},
		{"negative block", "lz4-hadoop", append(lz4HadoopBlock(t, text), be(1<<31)...), codec.ErrTrailing},
		{"trailing bytes", "lz4-java", append(slices.Clone(java), "junk"...), codec.ErrTrailing},
		{"method", "lz4-java", append([]byte("LZ4Block\x36"), make([]byte, 12)...), codec.ErrUnsupported},
		{"block over the level's size", "lz4-java", []byte("LZ4Block\x20\x05\x00\x00\x00\x01\x04\x00\x00\x00\x00\x00\x00"), codec.ErrCorrupt},
		{"end before an announced match", "lz4-block", []byte{0x18, 'a'}, io.ErrUnexpectedEOF},
		{"end behind a match", "lz4-block", []byte{0x10, 'a', 1, 0}, io.ErrUnexpectedEOF},
		{"offset 0", "lz4-block", []byte{0x10, 'a', 0, 0}, codec.ErrCorrupt},
		{"offset before the start", "lz4-block", []byte{0x10, 'a', 2, 0}, codec.ErrCorrupt},
	} {
		if _, err := unframe(t, c.codec, bytes.NewReader(c.stored), nil); !errors.Is(err, c.want) {
			t.Errorf("%s, %s: got %v, want %v", c.codec, c.name, err, c.want)
		}
	}
}

func TestLZ4KinRestart(t *testing.T) {
	t.Parallel()
	data := lines(200 << 10)
	var hadoop []byte
	for b := range slices.Chunk(data, 32<<10) {
		hadoop = append(hadoop, lz4HadoopBlock(t, b[:len(b)/2], b[len(b)/2:])...)
	}
	checkRestarts(t, "lz4-hadoop", hadoop, data, 6)
	java := lz4JavaStream(t, data, 60<<10)
	checkRestarts(t, "lz4-java", slices.Concat(java, java), slices.Concat(data, data), 1)
}
