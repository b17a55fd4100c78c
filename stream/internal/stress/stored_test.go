package stress_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// stored is an object as a store has it.
type stored struct {
	encoding *encoding
	plain    *plain
	data     []byte
	parts    []part // in order; the last is the whole
}

// part is a place in stored bytes at which an object may end: so many decoded bytes
// lie before it.
type part struct{ stored, decoded int }

// encoding is one way to write a codec.
type encoding struct {
	name     string
	codec    string // what ReadOptions.Codec must say where nothing else tells; else empty
	ext      string
	verified bool // what ends cleanly is what was encoded
	member   func(data []byte) []byte

	// Members of so many bytes each follow one another; 0: there is one. A cut
	// between them leaves a whole object, of what is before it.
	split int
	head  int // stored bytes that belong to no member
}

// encode makes the stored object.
func (e *encoding) encode(p *plain, r *rand.Rand) *stored {
	s := &stored{encoding: e, plain: p}
	rest := p.data
	for first := true; first || len(rest) > 0; first = false {
		n := len(rest)
		if e.split > 0 {
			n = min(n, 1+r.IntN(2*e.split))
		}
		b := e.member(rest[:n])
		if !first {
			b = b[e.head:]
		}
		s.data = append(s.data, b...)
		rest = rest[n:]
		s.parts = append(s.parts, part{len(s.data), len(p.data) - len(rest)})
	}
	return s
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// by is the writer of internal/testing/corpus.
func by(name string) func([]byte) []byte {
	return func(data []byte) []byte { return must(corpus.Encode(name, data)) }
}

// through is data through a writer.
func through(open func(io.Writer) (io.WriteCloser, error)) func([]byte) []byte {
	return func(data []byte) []byte {
		var b bytes.Buffer
		w := must(open(&b))
		must(w.Write(data))
		if err := w.Close(); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

// zstdWith makes frames of one level and window.
func zstdWith(window int, checksum bool) func([]byte) []byte {
	return through(func(w io.Writer) (io.WriteCloser, error) {
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(window), zstd.WithSingleSegment(false), zstd.WithEncoderCRC(checksum), zstd.WithZeroFrames(true))
		return &unsized{z}, err
	})
}

// unsized writes in two parts, so that no encoder knows the size from the start.
type unsized struct{ io.WriteCloser }

func (u *unsized) Write(p []byte) (int, error) {
	half := len(p) / 2
	for _, part := range [][]byte{p[:half], p[half:]} {
		if _, err := u.WriteCloser.Write(part); err != nil {
			return 0, err
		}
		if f, ok := u.WriteCloser.(interface{ Flush() error }); ok {
			if err := f.Flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func lzmaOf(data []byte) []byte {
	return through(func(w io.Writer) (io.WriteCloser, error) {
		return lzma.WriterConfig{DictCap: 64 << 10}.NewWriter(w)
	})(data)
}

func lzipOf(data []byte) []byte {
	b := append([]byte("LZIP\x01"), 16)
	b = append(b, lzmaOf(data)[13:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	return binary.LittleEndian.AppendUint64(b, uint64(len(b)+8))
}

// lz4Block is data as one raw block, of literals alone if it cannot be made smaller.
func lz4Block(data []byte) []byte {
	b := make([]byte, lz4.CompressBlockBound(len(data)))
	if n := must(new(lz4.Compressor).CompressBlock(data, b)); n > 0 {
		return b[:n]
	}
	out := []byte{byte(min(len(data), 15) << 4)}
	if n := len(data) - 15; n >= 0 {
		out = append(append(out, bytes.Repeat([]byte{255}, n/255)...), byte(n%255))
	}
	return append(out, data...)
}

// lz4BlockEnds is how many bytes a block decodes to that ends here, after literals whose
// token announces no match, as a block does; -1 if it ends anywhere else.
func lz4BlockEnds(b []byte) (decoded int) {
	length := func(n int) (int, bool) {
		for last := byte(255); n >= 15 && last == 255; b = b[1:] {
			if len(b) == 0 {
				return 0, false
			}
			last = b[0]
			n += int(last)
		}
		return n, true
	}
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		n, ok := length(int(token >> 4))
		if !ok || n > len(b) {
			return -1
		}
		b, decoded = b[n:], decoded+n
		if len(b) == 0 && token&15 == 0 {
			return decoded
		}
		if len(b) < 2 {
			return -1
		}
		b = b[2:]
		if n, ok = length(int(token & 15)); !ok {
			return -1
		}
		decoded += n + 4
	}
	return -1
}

// xxh32 is the checksum of lz4-java, of fewer than 4 GiB.
func xxh32(seed uint32, b []byte) uint32 {
	const p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
	word := binary.LittleEndian.Uint32
	h, n := seed+p5, uint32(len(b))
	if len(b) >= 16 {
		v := [4]uint32{seed, seed + p2, seed, seed}
		v[0] += p1
		v[0] += p2
		v[3] -= p1
		for ; len(b) >= 16; b = b[16:] {
			for i := range v {
				v[i] = bits.RotateLeft32(v[i]+word(b[4*i:])*p2, 13) * p1
			}
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	}
	for h += n; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+word(b)*p3, 17) * p4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*p5, 11) * p1
	}
	h = (h ^ h>>15) * p2
	h = (h ^ h>>13) * p3
	return h ^ h>>16
}

// lz4Java is data in blocks of up to 64 KiB with an end mark.
func lz4Java(data []byte) []byte {
	var out []byte
	block := func(method byte, stored []byte, data []byte, sum uint32) {
		out = append(out, "LZ4Block"...)
		out = append(out, method|6)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(stored)))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
		out = binary.LittleEndian.AppendUint32(out, sum)
		out = append(out, stored...)
	}
	for len(data) > 0 {
		b := data[:min(len(data), 64<<10)]
		data = data[len(b):]
		sum := xxh32(0x9747b28c, b) & 0xfffffff
		if c := lz4Block(b); len(c) > 0 && len(c) < len(b) {
			block(0x20, c, b, sum)
		} else {
			block(0x10, b, b, sum)
		}
	}
	block(0x10, nil, nil, 0)
	return out
}

// hadoop puts Hadoop's lengths before one chunk.
func hadoop(chunk func([]byte) []byte) func([]byte) []byte {
	return func(data []byte) []byte {
		c := chunk(data)
		out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		out = binary.BigEndian.AppendUint32(out, uint32(len(c)))
		return append(out, c...)
	}
}

func snappyBlock(data []byte) []byte { return snappy.Encode(nil, data) }

func xerial(data []byte) []byte {
	c := snappyBlock(data)
	out := []byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
	return append(binary.BigEndian.AppendUint32(out, uint32(len(c))), c...)
}

// framed is one chunk behind the stream identifier of Snappy or S2.
func framed(opts ...s2.WriterOption) func([]byte) []byte {
	return through(func(w io.Writer) (io.WriteCloser, error) {
		return s2.NewWriter(w, append(opts, s2.WriterConcurrency(1))...), nil
	})
}

func xzOf(data []byte) []byte {
	return through(func(w io.Writer) (io.WriteCloser, error) { return xz.WriterConfig{DictCap: 64 << 10}.NewWriter(w) })(data)
}

// skippable is a frame that zstd and LZ4 leave out, before one that they read.
func skippable(member func([]byte) []byte) func([]byte) []byte {
	return func(data []byte) []byte {
		out := []byte("\x53\x2a\x4d\x18\x05\x00\x00\x00hello")
		return append(out, member(data)...)
	}
}

var encodings = []*encoding{
	{name: "none", verified: true, member: func(data []byte) []byte { return data }},
	{name: "gzip", ext: ".gz", verified: true, member: by("gzip")},
	{name: "gzip members", ext: ".gz", verified: true, member: by("gzip"), split: 20 << 10},
	{name: "zlib", ext: ".zz", verified: true, member: by("zlib")},
	{name: "deflate", ext: ".deflate", member: by("deflate")},
	{name: "zstd", ext: ".zst", verified: true, member: by("zstd")},
	{name: "zstd 1 MiB", ext: ".zst", verified: true, member: zstdWith(1<<20, true)},
	{name: "zstd 4 MiB", ext: ".zst", member: zstdWith(4<<20, false)},
	{name: "zstd frames", ext: ".zst", verified: true, member: zstdWith(128<<10, true), split: 30 << 10},
	{name: "zstd skippable", ext: ".zst", verified: true, member: skippable(by("zstd"))},
	{name: "lz4", ext: ".lz4", verified: true, member: by("lz4")},
	{name: "lz4 linked", ext: ".lz4", verified: true, member: through(func(w io.Writer) (io.WriteCloser, error) {
		z := lz4.NewWriter(w)
		return z, z.Apply(lz4.BlockSizeOption(lz4.Block64Kb))
	})},
	{name: "lz4 frames", ext: ".lz4", verified: true, member: by("lz4"), split: 40 << 10},
	{name: "lz4-java", verified: true, member: lz4Java},
	{name: "lz4-hadoop", codec: "lz4-hadoop", member: hadoop(lz4Block), split: 20 << 10},
	{name: "lz4-block", codec: "lz4-block", member: lz4Block},
	{name: "snappy", ext: ".sz", verified: true, member: framed(s2.WriterSnappyCompat()), split: 25 << 10, head: 10},
	{name: "s2", ext: ".s2", verified: true, member: framed(s2.WriterBlockSize(64 << 10)), split: 25 << 10, head: 10},
	{name: "s2 1 MiB", ext: ".s2", verified: true, member: by("s2")},
	{name: "snappy-xerial", member: xerial, split: 20 << 10, head: 16},
	{name: "snappy-hadoop", codec: "snappy-hadoop", member: hadoop(snappyBlock), split: 20 << 10},
	{name: "snappy-block", codec: "snappy-block", member: snappyBlock},
	{name: "bzip2", ext: ".bz2", verified: true, member: corpus.Bzip2{Level: 1, Trees: 2}.Encode},
	{name: "bzip2 streams", ext: ".bz2", verified: true, member: corpus.Bzip2{Level: 1, Trees: 2}.Encode, split: 30 << 10},
	{name: "xz", ext: ".xz", verified: true, member: xzOf},
	{name: "xz streams", ext: ".xz", verified: true, member: xzOf, split: 40 << 10},
	{name: "lzma", ext: ".lzma", member: lzmaOf},
	{name: "lzip", ext: ".lz", verified: true, member: lzipOf},
	{name: "lzip members", ext: ".lz", verified: true, member: lzipOf, split: 40 << 10},
	{name: "brotli", ext: ".br", member: by("brotli")},
	{name: "gzip in zstd", ext: ".gz.zst", verified: true, member: func(data []byte) []byte { return by("zstd")(by("gzip")(data)) }},
}

func (e *encoding) String() string { return e.name }

// sizes are the fixtures of one format: all schedules draw from these.
var sizes = []struct {
	size, long int
	faulty     bool
}{
	{900, 200, false}, {9 << 10, 2000, false}, {30 << 10, 20 << 10, false}, {60 << 10, 5000, false},
	{120 << 10, 90 << 10, false}, {220 << 10, 70 << 10, false}, {330 << 10, 300, false},
	{2 << 10, 200, true}, {25 << 10, 3000, true}, {140 << 10, 80 << 10, true},
}

var (
	plains  sync.Map // [2]int to func() *plain
	storeds sync.Map // [3]int to func() *stored
)

// plainOf is the data of a format in one of the sizes, made once.
func plainOf(format, size int) *plain {
	key := [2]int{format, size}
	f, _ := plains.LoadOrStore(key, sync.OnceValue(func() *plain {
		s := sizes[size]
		return makePlain(formats[format], rand.New(rand.NewPCG(uint64(format), uint64(size))), s.size, s.long, s.faulty)
	}))
	return f.(func() *plain)()
}

// storedOf is plainOf in an encoding, made once.
func storedOf(format, size, encoding int) *stored {
	key := [3]int{format, size, encoding}
	f, _ := storeds.LoadOrStore(key, sync.OnceValue(func() *stored {
		return encodings[encoding].encode(plainOf(format, size), rand.New(rand.NewPCG(uint64(encoding), uint64(size))))
	}))
	return f.(func() *stored)()
}
