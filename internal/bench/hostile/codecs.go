package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/golang/snappy"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/internal/testing/corpus"
	"github.com/thaw-go/thaw/internal/testing/corpus/hostile"
)

// ordinary is what an ordinary object of each codec takes for a byte.
var ordinary = map[string]float64{}

// object measures all that a codec does with an object.
func (r *report) object(o hostile.Object, size int) {
	c, err := codec.Default().Lookup(o.Codec)
	if err != nil {
		panic(err)
	}
	base, ok := ordinary[o.Codec]
	if !ok {
		stored := encode(o.Codec, corpus.NDJSONBytes(1, 20_000))
		base = measure(func() int64 {
			n, err := decode(c, stored)
			if err != nil {
				panic(o.Codec + ": " + err.Error())
			}
			return n
		})
		ordinary[o.Codec] = base
		fmt.Printf("| %s | ordinary | decode | %.3f | 1 |\n", o.Codec, base)
	}
	stored := o.Make(size)
	r.row(o.Codec, o.Name, "decode", base, func() int64 {
		n, _ := decode(c, stored)
		return max(n, int64(len(stored)))
	})
	r.row(o.Codec, o.Name, "inspect", base, func() int64 {
		codec.Inspect(bytes.NewReader(stored), int64(len(stored)), &codec.InspectOptions{Codec: o.Codec})
		return int64(len(stored))
	})
	if c.Split != nil {
		r.row(o.Codec, o.Name, "split", base, func() int64 {
			for _, err := range c.Split(bytes.NewReader(stored), int64(len(stored))) {
				if err != nil {
					break
				}
			}
			return int64(len(stored))
		})
	}
	if c.Restart != nil {
		r.row(o.Codec, o.Name, "index", base, func() int64 { return max(index(c, stored), int64(len(stored))) })
	}
}

// options leave the checksums of lz4-java out: what is made here has none.
func options(c codec.Codec) *codec.Options {
	return &codec.Options{SkipChecksums: c.Name == "lz4-java"}
}

// decode goes through an object and returns how many stored and decoded bytes that
// were.
func decode(c codec.Codec, stored []byte) (int64, error) {
	d, err := c.NewReader(bytes.NewReader(stored), options(c))
	if err != nil {
		return 1, err
	}
	defer d.Close()
	n, err := drain(d)
	return n + d.(codec.Positioned).StoredOffset(), err
}

// drain reads to the end as a lane does.
func drain(r io.Reader) (n int64, err error) {
	for {
		m, err := r.Read(slab)
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

var slab = make([]byte, 128<<10)

// index makes an index of an object with many points.
func index(c codec.Codec, stored []byte) int64 {
	d, err := c.NewReader(bytes.NewReader(stored), options(c))
	if err != nil {
		return 1
	}
	defer d.Close()
	x, err := seek.NewIndexer(d, c.Name, nil)
	if err != nil {
		return 1
	}
	n, _ := drain(x)
	if x, err := x.Index(); err == nil {
		x.AppendBinary(nil)
	}
	return n + d.(codec.Positioned).StoredOffset()
}

// encode is data in an ordinary object of a codec.
func encode(name string, data []byte) []byte {
	var b bytes.Buffer
	switch name {
	case "xz":
		w, err := xz.NewWriter(&b)
		return written(&b, w, err, data)
	case "lzma":
		w, err := lzma.NewWriter(&b)
		return written(&b, w, err, data)
	case "lzip":
		// What follows the header of .lzma, with lzip's header and trailer.
		w, err := lzma.WriterConfig{DictCap: 8 << 20, EOSMarker: true}.NewWriter(&b)
		raw := written(&b, w, err, data)[13:]
		out := append([]byte("LZIP\x01\x17"), raw...)
		out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
		out = binary.LittleEndian.AppendUint64(out, uint64(len(data)))
		return binary.LittleEndian.AppendUint64(out, uint64(len(out)+8))
	case "snappy-block":
		return snappy.Encode(nil, data)
	case "lz4-block":
		return lz4Block(data)
	case "snappy-xerial":
		out := []byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
		for part := range slices.Chunk(data, 32<<10) {
			block := snappy.Encode(nil, part)
			out = append(binary.BigEndian.AppendUint32(out, uint32(len(block))), block...)
		}
		return out
	case "snappy-hadoop", "lz4-hadoop":
		var out []byte
		for part := range slices.Chunk(data, 256<<10) {
			block := snappy.Encode(nil, part)
			if name == "lz4-hadoop" {
				block = lz4Block(part)
			}
			out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
			out = append(binary.BigEndian.AppendUint32(out, uint32(len(block))), block...)
		}
		return out
	case "lz4-java":
		var out []byte
		header := func(token byte, stored, decoded int) {
			out = append(append(out, "LZ4Block"...), token)
			out = binary.LittleEndian.AppendUint32(out, uint32(stored))
			out = binary.LittleEndian.AppendUint32(out, uint32(decoded))
			out = binary.LittleEndian.AppendUint32(out, 0)
		}
		for part := range slices.Chunk(data, 64<<10) {
			block := lz4Block(part)
			header(0x26, len(block), len(part))
			out = append(out, block...)
		}
		header(0x16, 0, 0)
		return out
	}
	out, err := corpus.Encode(name, data)
	if err != nil {
		panic(err)
	}
	return out
}

func written(b *bytes.Buffer, w io.WriteCloser, err error, data []byte) []byte {
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

func lz4Block(data []byte) []byte {
	out := make([]byte, lz4.CompressBlockBound(len(data)))
	n, err := lz4.CompressBlock(data, out, nil)
	if err != nil || n == 0 {
		panic(fmt.Sprintf("lz4 block of %d bytes: %d, %v", len(data), n, err))
	}
	return out[:n]
}
