package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"

	"github.com/thaw-go/thaw/codec"
)

const (
	snappyID = "\xff\x06\x00\x00sNaPpY"
	s2ID     = "\xff\x06\x00\x00S2sTwO"
)

// snappyStream is data as golang/snappy writes it, in chunks of n bytes.
func snappyStream(data []byte, n int) []byte {
	var b bytes.Buffer
	w := snappy.NewBufferedWriter(&b)
	for c := range slices.Chunk(data, n) {
		w.Write(c)
		w.Flush()
	}
	w.Close()
	if b.Len() == 0 {
		return []byte(snappyID)
	}
	return b.Bytes()
}

func s2Stream(data []byte, opts ...s2.WriterOption) []byte {
	var b bytes.Buffer
	w := s2.NewWriter(&b, append(opts, s2.WriterConcurrency(1))...)
	w.Write(data)
	w.Close()
	if b.Len() == 0 {
		return []byte(s2ID)
	}
	return b.Bytes()
}

// chunk is one chunk of the framing.
func chunk(kind byte, body ...byte) []byte {
	n := len(body)
	return append([]byte{kind, byte(n), byte(n >> 8), byte(n >> 16)}, body...)
}

// dataChunk is a chunk with data and its checksum; block is what is stored for it.
func dataChunk(kind byte, block, data []byte) []byte {
	c := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	body := binary.LittleEndian.AppendUint32(nil, (c>>15|c<<17)+0xa282ead8)
	return chunk(kind, append(body, block...)...)
}

func xerialStream(parts ...[]byte) []byte {
	out := []byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
	for _, p := range parts {
		c := snappy.Encode(nil, p)
		out = binary.BigEndian.AppendUint32(out, uint32(len(c)))
		out = append(out, c...)
	}
	return out
}

// snappyHadoopBlock is a block of Hadoop's framing with one chunk for each part.
func snappyHadoopBlock(parts ...[]byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(slices.Concat(parts...))))
	for _, p := range parts {
		c := snappy.Encode(nil, p)
		out = binary.BigEndian.AppendUint32(out, uint32(len(c)))
		out = append(out, c...)
	}
	return out
}

func snappyVectors() []framing {
	text := lines(400)
	hard := noise(150)
	twice := slices.Concat(text, text)
	stream := snappyStream(text, 1<<16)
	id, sid := []byte(snappyID), []byte(s2ID)
	pad := chunk(0xfe, 0, 0, 0)
	skip := chunk(0x99, []byte("index")...)
	// cuts adds up the lengths of parts: each border is a legal end.
	join := func(name, codec string, data [][]byte, parts ...[]byte) framing {
		v := framing{name: name, codec: codec, ends: map[int][]byte{}, summed: true}
		for i, p := range parts {
			v.stored = append(v.stored, p...)
			v.data = append(v.data, data[i]...)
			v.ends[len(v.stored)] = slices.Clone(v.data)
		}
		return v
	}
	compressed := dataChunk(0, snappy.Encode(nil, text), text)
	stored := dataChunk(1, hard, hard)
	s2Block := dataChunk(0, s2.EncodeBetter(nil, twice), twice)
	xerial := xerialStream(text)
	hadoop := snappyHadoopBlock(text[:100], text[100:])
	return []framing{
		join("identifier alone", "snappy", [][]byte{nil}, id),
		join("compressed and stored", "snappy", [][]byte{nil, text, hard}, id, compressed, stored),
		join("padding and skippable", "snappy", [][]byte{nil, nil, text, nil, nil, hard}, id, pad, compressed, skip, pad, stored),
		join("unknown skippable like data", "snappy", [][]byte{nil, nil, text, nil}, id, chunk(0x80), compressed, chunk(0x81, []byte("no checksum")...)),
		join("streams", "snappy", [][]byte{nil, text, nil, text}, id, compressed, id, compressed),
		join("empty chunk", "snappy", [][]byte{nil, nil, nil, text}, id, dataChunk(1, nil, nil), dataChunk(0, []byte{0}, nil), compressed),
		join("s2", "s2", [][]byte{nil, twice, hard}, sid, s2Block, stored),
		join("s2 identifier alone", "s2", [][]byte{nil}, sid),
		join("snappy as s2", "s2", [][]byte{nil, text, hard}, id, compressed, stored),
		join("snappy, then s2, as snappy", "snappy", [][]byte{nil, text, nil, twice, nil, nil, text}, id, compressed, sid, s2Block, skip, id, compressed),
		join("snappy alone, then s2, as snappy", "snappy", [][]byte{nil, nil, twice}, id, sid, s2Block),
		join("s2, then snappy", "s2", [][]byte{nil, twice, nil, text, hard}, sid, s2Block, id, compressed, stored),
		join("snappy, then s2", "s2", [][]byte{nil, text, nil, twice, nil}, id, compressed, sid, s2Block, skip),
		{name: "golang/snappy", codec: "snappy", stored: stream, data: text, summed: true,
			ends: map[int][]byte{10: nil}},
		{name: "xerial", codec: "snappy-xerial", stored: xerial, data: text, ends: map[int][]byte{16: nil}},
		{name: "xerial streams", codec: "snappy-xerial", stored: slices.Concat(xerial, xerial), data: twice,
			ends: map[int][]byte{16: nil, len(xerial): text, len(xerial) + 16: text}},
		{name: "hadoop", codec: "snappy-hadoop", stored: hadoop, data: text},
		{name: "hadoop blocks", codec: "snappy-hadoop", stored: slices.Concat(hadoop, make([]byte, 4), hadoop), data: twice,
			ends: map[int][]byte{len(hadoop): text, len(hadoop) + 4: text}},
		{name: "raw", codec: "snappy-block", stored: snappy.Encode(nil, text), data: text},
		{name: "raw noise", codec: "snappy-block", stored: snappy.Encode(nil, hard), data: hard},
		{name: "raw run", codec: "snappy-block", stored: snappy.Encode(nil, make([]byte, 5000)), data: make([]byte, 5000)},
		{name: "raw nothing", codec: "snappy-block", stored: []byte{0}},
	}
}

func TestSnappyVectors(t *testing.T) {
	t.Parallel()
	for _, v := range snappyVectors() {
		t.Run(v.codec+" "+v.name, func(t *testing.T) {
			t.Parallel()
			checkFraming(t, v)
		})
	}
}

func TestSnappyLarge(t *testing.T) {
	t.Parallel()
	data := slices.Concat(lines(1<<20), noise(300<<10), make([]byte, 5<<20))
	for name, v := range map[string]framing{
		"snappy":        {codec: "snappy", stored: snappyStream(data, 1<<16)},
		"s2 1 MiB":      {codec: "s2", stored: s2Stream(data)},
		"s2 4 MiB":      {codec: "s2", stored: s2Stream(data, s2.WriterBlockSize(4<<20), s2.WriterBetterCompression(), s2.WriterAddIndex())},
		"s2 padded":     {codec: "s2", stored: s2Stream(data, s2.WriterPadding(1<<16))},
		"s2 as snappy":  {codec: "snappy", stored: s2Stream(data, s2.WriterSnappyCompat(), s2.WriterBlockSize(64<<10))},
		"xerial 32 KiB": {codec: "snappy-xerial", stored: xerialStream(slices.Collect(slices.Chunk(data, 32<<10))...)},
		"hadoop":        {codec: "snappy-hadoop", stored: snappyHadoopBlock(slices.Collect(slices.Chunk(data, 256<<10))...)},
		"raw":           {codec: "snappy-block", stored: snappy.Encode(nil, data)},
	} {
		got, err := unframe(t, v.codec, bytes.NewReader(v.stored), nil)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: got %d bytes, error %v; want %d bytes", name, len(got), err, len(data))
		}
	}
}

func TestSnappyFaults(t *testing.T) {
	t.Parallel()
	text := lines(400)
	id := []byte(snappyID)
	good := dataChunk(0, snappy.Encode(nil, text), text)
	raw := snappy.Encode(nil, text)
	be := func(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }
	cat := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	badSum := slices.Clone(good)
	badSum[4] ^= 1
	for _, c := range []struct {
		name, codec string
		stored      []byte
		data        []byte
		err         error
		text        string
	}{
		{"empty source", "snappy", nil, nil, io.ErrUnexpectedEOF, ""},
		{"no identifier", "snappy", good, nil, codec.ErrCorrupt, "no snappy stream"},
		{"other identifier", "snappy", cat(id, good, []byte(snappyID[:9]), []byte("z")), text, codec.ErrCorrupt, "identifier"},
		{"s2 copy in snappy behind s2", "snappy", cat(id, []byte(s2ID), id, dataChunk(0, []byte{8, 0, 'a', 0x0d, 0}, bytes.Repeat([]byte("a"), 8))), nil, codec.ErrCorrupt, ""},
		{"snappy chunk over 64 KiB behind s2", "snappy", cat(id, []byte(s2ID), id, dataChunk(1, make([]byte, 65537), make([]byte, 65537))), nil, codec.ErrCorrupt, "65537"},
		{"an s2 stream", "snappy", s2Stream(text), nil, codec.ErrCorrupt, "s2"},
		{"reserved 0x02", "snappy", cat(id, good, chunk(2, '?')), text, codec.ErrUnsupported, "0x02"},
		{"reserved 0x7f", "snappy", cat(id, good, chunk(0x7f)), text, codec.ErrUnsupported, "0x7f"},
		{"trailing text", "snappy", cat(id, good, []byte("text")), text, codec.ErrUnsupported, "0x74"},
		{"checksum", "snappy", cat(id, good, badSum), text, codec.ErrChecksum, ""},
		{"chunk without room for a checksum", "snappy", cat(id, chunk(0, 1, 2, 3)), nil, codec.ErrCorrupt, ""},
		{"stored chunk over 64 KiB", "snappy", cat(id, dataChunk(1, make([]byte, 65537), make([]byte, 65537))), nil, codec.ErrCorrupt, "65537"},
		{"compressed chunk over 64 KiB", "snappy", cat(id, dataChunk(0, snappy.Encode(nil, make([]byte, 65537)), make([]byte, 65537))), nil, codec.ErrCorrupt, "65537"},
		{"s2 chunk over 4 MiB", "s2", cat([]byte(s2ID), dataChunk(0, s2.Encode(nil, make([]byte, 4<<20+1)), make([]byte, 4<<20+1))), nil, codec.ErrCorrupt, "4194305"},
		{"snappy chunk over 64 KiB in s2", "s2", cat(id, dataChunk(1, make([]byte, 65537), make([]byte, 65537))), nil, codec.ErrCorrupt, "65537"},
		{"s2 copy in a snappy stream", "snappy", cat(id, dataChunk(0, []byte{8, 0, 'a', 0x0d, 0}, bytes.Repeat([]byte("a"), 8))), nil, codec.ErrCorrupt, ""},
		{"damaged type of a stored chunk", "snappy", cat(id, good, dataChunk(0x81, text, text)), text, codec.ErrCorrupt, "0x81"},
		{"damaged type of a compressed chunk", "snappy", cat(id, good, dataChunk(0x80, raw, text)), text, codec.ErrCorrupt, "0x80"},
		{"long length", "snappy", cat(id, chunk(0, 0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0)), nil, codec.ErrCorrupt, ""},

		{"raw block as stream", "snappy", raw, nil, codec.ErrCorrupt, "snappy-block"},
		{"hadoop as stream", "snappy", snappyHadoopBlock(text), nil, codec.ErrCorrupt, "snappy-hadoop"},
		{"xerial as stream", "snappy", xerialStream(text), nil, codec.ErrCorrupt, "snappy-xerial"},
		{"dain as stream", "snappy", []byte("snappy\x00\x01\x00\x10"), nil, codec.ErrCorrupt, "dain"},
		{"snzip as stream", "snappy", []byte("SNZ\x01\x10"), nil, codec.ErrCorrupt, "snzip"},
		{"iwork as stream", "snappy", cat(chunk(0, raw...)), nil, codec.ErrCorrupt, "iWork"},
		{"stream as xerial", "snappy-xerial", cat(id, good), nil, codec.ErrCorrupt, "framed snappy"},
		{"text as stream", "snappy", []byte("plain text\n"), nil, codec.ErrCorrupt, ""},

		{"xerial chunk of 0", "snappy-xerial", cat(xerialStream(text), be(0)), text, codec.ErrTrailing, ""},
		{"xerial negative chunk", "snappy-xerial", cat(xerialStream(text), be(1<<31)), text, codec.ErrTrailing, ""},
		{"xerial chunk that claims 4 GiB", "snappy-xerial", cat(xerialStream(), be(6), []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}), nil, codec.ErrCorrupt, ""},
		{"xerial chunk over the limit", "snappy-xerial", cat(xerialStream(), be(1<<31-1)), nil, codec.ErrLimit, ""},
		{"hadoop chunk of 0", "snappy-hadoop", cat(be(5), be(0)), nil, codec.ErrCorrupt, ""},
		{"hadoop chunk over its block", "snappy-hadoop", cat(be(5), snappyHadoopBlock(text)[4:]), nil, codec.ErrCorrupt, ""},
		{"hadoop negative block", "snappy-hadoop", cat(snappyHadoopBlock(text), be(1<<31)), text, codec.ErrTrailing, ""},

		{"raw empty source", "snappy-block", nil, nil, io.ErrUnexpectedEOF, ""},
		{"raw that claims 4 GiB", "snappy-block", []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0, 'a'}, nil, codec.ErrLimit, "window of 4.0 GiB needed"},
		{"raw that claims 100 MiB", "snappy-block", []byte{0x80, 0x80, 0x80, 0x32, 0, 'a'}, []byte("a"), io.ErrUnexpectedEOF, ""},
		{"raw with long length", "snappy-block", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0}, nil, codec.ErrCorrupt, ""},
		{"raw with copy from nowhere", "snappy-block", []byte{8, 0, 'a', 0x01, 2}, []byte("a"), codec.ErrCorrupt, ""},
		{"raw with offset 0", "snappy-block", []byte{8, 0, 'a', 0x0d, 0}, []byte("a"), codec.ErrCorrupt, ""},
		{"raw that decodes to more", "snappy-block", []byte{1, 4, 'a', 'b'}, nil, codec.ErrCorrupt, ""},
		{"raw and more", "snappy-block", cat(raw, []byte("more")), text, codec.ErrTrailing, ""},
	} {
		t.Run(c.codec+" "+c.name, func(t *testing.T) {
			t.Parallel()
			data, err := unframe(t, c.codec, bytes.NewReader(c.stored), nil)
			if !errors.Is(err, c.err) || !bytes.Equal(data, c.data) || err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %d bytes and %v; want %d bytes and %v with %q", len(data), err, len(c.data), c.err, c.text)
			}
		})
	}
}

// TestSnappyLies reads headers that claim much and bring little.
func TestSnappyLies(t *testing.T) {
	for name, c := range map[string]struct {
		codec  string
		stored string
	}{
		"raw 4 GiB":          {"snappy-block", "\xff\xff\xff\xff\x0fa"},
		"raw 100 MiB":        {"snappy-block", "\x80\x80\x80\x32\x00a"},
		"chunk of 16 MiB":    {"snappy", snappyID + "\x00\xff\xff\xff\x00\x00\x00\x00\x80\x80\x04"},
		"stored chunk":       {"s2", s2ID + "\x01\x04\x00\x40\x00\x00\x00\x00"},
		"xerial of 100 MiB":  {"snappy-xerial", "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01\x06\x40\x00\x00a"},
		"xerial lying block": {"snappy-xerial", "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x06\x80\x80\x80\x32\x00a"},
		"hadoop of 100 MiB":  {"snappy-hadoop", "\x06\x40\x00\x00\x06\x40\x00\x00a"},
		"lz4 hadoop":         {"lz4-hadoop", "\x06\x40\x00\x00\x06\x40\x00\x00a"},
		"lz4 java":           {"lz4-java", "LZ4Block\x2f\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x00a"},
		"skippable 16 MiB":   {"snappy", snappyID + "\xfe\xff\xff\xff"},
	} {
		if got := allocated(func() {
			if _, err := unframe(t, c.codec, strings.NewReader(c.stored), nil); err == nil {
				t.Errorf("%s: got no error", name)
			}
		}); got > 512<<10 {
			t.Errorf("%s: got %d bytes allocated, want less than 512 KiB", name, got)
		}
	}
}

func TestSnappyMagic(t *testing.T) {
	t.Parallel()
	text := lines(400)
	long := slices.Concat(lines(20<<10), noise(20<<10))
	for _, c := range []struct {
		name, codec string
		head        []byte
		final       bool
		want        codec.Match
	}{
		{"whole hadoop block", "snappy-hadoop", snappyHadoopBlock(text), true, codec.Matched},
		{"beginning of a hadoop block", "snappy-hadoop", snappyHadoopBlock(long)[:4096], false, codec.Matched},
		{"hadoop block, a few bytes", "snappy-hadoop", snappyHadoopBlock(long)[:8], false, codec.NeedMore},
		{"hadoop block of two chunks", "snappy-hadoop", snappyHadoopBlock(text[:9], text[9:]), true, codec.NoMatch},
		{"cut hadoop block", "snappy-hadoop", snappyHadoopBlock(text)[:90], true, codec.NoMatch},
		{"lz4 in Hadoop's framing", "snappy-hadoop", lz4HadoopBlock(t, text), true, codec.NoMatch},
		{"zeros", "snappy-hadoop", make([]byte, 4096), false, codec.NoMatch},
		{"text", "snappy-hadoop", text, false, codec.NoMatch},
		{"raw block", "snappy-hadoop", snappy.Encode(nil, text), true, codec.NoMatch},
		{"stream", "snappy", []byte(snappyID), true, codec.Matched},
		{"half an identifier", "snappy", []byte(snappyID[:5]), false, codec.NeedMore},
		{"s2 stream", "snappy", []byte(s2ID), true, codec.NoMatch},
		{"s2 stream", "s2", []byte(s2ID), true, codec.Matched},
		{"xerial", "snappy-xerial", xerialStream(text), true, codec.Matched},
	} {
		if got := lookup(t, c.codec).Magic(c.head, c.final); got != c.want {
			t.Errorf("%s, %s: got %v, want %v", c.codec, c.name, got, c.want)
		}
	}
}

func TestSnappyRestart(t *testing.T) {
	t.Parallel()
	data := lines(400 << 10)
	stream := snappyStream(data, 1<<16)
	checkRestarts(t, "snappy", stream, data, 5)
	checkRestarts(t, "s2", stream, data, 5)
	large := s2Stream(data, s2.WriterBlockSize(256<<10))
	checkRestarts(t, "snappy", slices.Concat(stream, large), slices.Concat(data, data), 7)
	checkRestarts(t, "s2", slices.Concat(large, stream), slices.Concat(data, data), 7)
	checkRestarts(t, "s2", s2Stream(data, s2.WriterBlockSize(64<<10)), data, 5)
	checkRestarts(t, "snappy-xerial", xerialStream(slices.Collect(slices.Chunk(data, 32<<10))...), data, 10)
	var hadoop []byte
	for b := range slices.Chunk(data, 64<<10) {
		hadoop = append(hadoop, snappyHadoopBlock(b[:len(b)/2], b[len(b)/2:])...)
	}
	checkRestarts(t, "snappy-hadoop", hadoop, data, 5)
	checkUnits(t, "snappy-hadoop", hadoop, data, 7)
}

func TestSnappySplit(t *testing.T) {
	t.Parallel()
	data := slices.Concat(lines(2500<<10), noise(700<<10), make([]byte, 600<<10))
	stream := snappyStream(data, 1<<16)
	s2Default := s2Stream(data)
	checkUnits(t, "snappy", stream, data, 4)
	checkUnits(t, "snappy", slices.Concat(stream, []byte(snappyID), stream), slices.Concat(data, data), 9)
	checkUnits(t, "s2", s2Default, data, 4)
	checkUnits(t, "snappy", slices.Concat(stream, s2Default), slices.Concat(data, data), 8)
	checkUnits(t, "s2", s2Stream(data, s2.WriterBlockSize(4<<20), s2.WriterAddIndex()), data, 1)
	checkUnits(t, "s2", slices.Concat(s2Default, stream), slices.Concat(data, data), 8)
	for n := range 40 {
		for _, err := range lookup(t, "snappy").Split(bytes.NewReader(stream[:n]), int64(n)) {
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("cut at %d: got %v, want %v", n, err, io.ErrUnexpectedEOF)
			}
		}
	}
}
