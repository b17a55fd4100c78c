package codec

import (
	"encoding/binary"
	"fmt"
	"io"
)

// lz4JavaMagic begins every block of lz4-java's LZ4BlockOutputStream.
const lz4JavaMagic = "LZ4Block"

const (
	lz4JavaHeader = 13 // behind the magic
	lz4JavaSeed   = 0x9747b28c
	lz4JavaRaw    = 0x10
	lz4JavaLZ4    = 0x20
)

// lz4JavaCodec is the block stream of lz4-java, which Spark and Kafka store. It is
// neither the frame format nor a raw block:
//
//	"LZ4Block" | method and level 1 | stored 4 | decoded 4 | checksum 4 | block
//
// Numbers are little-endian; the checksum is the lower 28 bits of a seeded XXH32
// of the decoded bytes. A block that stands for nothing ends a stream, and streams
// may follow one another. A block is held in one piece: MaxWindow limits what it
// decodes to.
func lz4JavaCodec() Codec {
	return Codec{
		Name:  "lz4-java",
		Magic: lz4JavaMatch,
		Requires: func(head []byte) (Needs, error) {
			if len(head) < len(lz4JavaMagic)+1 {
				return Needs{}, io.ErrUnexpectedEOF
			}
			max := lz4JavaMax(head[len(lz4JavaMagic)])
			return Needs{Window: lz4History, Memory: chunkMemory(max), Size: -1}, nil
		},
		Grows:     func(maxWindow int64) int64 { return chunkMemory(min(maxWindow, lz4JavaMax(15))) },
		NewReader: opener("lz4-java", newLZ4Java),
		Restart:   restarter("lz4-java", newLZ4Java),
	}
}

// lz4JavaMatch looks for bytes that are not of text in the two sizes after the
// magic, which text may begin with: no block is of more than 32 MiB, so that each
// size has one.
func lz4JavaMatch(head []byte, _ bool) Match {
	if m := prefix(head, lz4JavaMagic); m != Yes {
		return m
	}
	sizes := head[len(lz4JavaMagic):]
	sizes = sizes[min(1, len(sizes)):min(9, len(sizes))]
	switch {
	case !textual(sizes):
		return Yes
	case len(sizes) < 8:
		return More
	}
	return No
}

// textual tells whether b has no byte that text never has: control characters that
// are neither white space nor an escape.
func textual(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != 0x1b && (c < '\t' || c > '\r') {
			return false
		}
	}
	return true
}

// lz4JavaMax is the most decoded bytes of a block of this method and level.
func lz4JavaMax(token byte) int64 { return 1 << (10 + token&15) }

// lz4Java takes a stream for a member.
type lz4Java struct {
	*blocks
	in     *Input
	verify bool
	begun  bool // the magic of the next block was read
}

func newLZ4Java(o *Options) (format, error) {
	return &lz4Java{blocks: newBlocks(o), verify: !o.SkipChecksums}, nil
}

func (f *lz4Java) begin(in *Input, first bool) error {
	f.in, f.rest = in, nil
	err := expect(in, lz4JavaMagic)
	f.begun = true
	return err
}

func (f *lz4Java) read(p []byte) (int, error) {
	if n := f.give(p); n > 0 {
		return n, nil
	}
	if !f.begun {
		if err := expect(f.in, lz4JavaMagic); err == errNoMember {
			return 0, fmt.Errorf("%w: no lz4-java block", ErrCorrupt)
		} else if err != nil {
			return 0, noEOF(err)
		}
	}
	f.begun = false
	b, err := take(f.in, lz4JavaHeader)
	if err != nil {
		return 0, err
	}
	method, max := b[0]&0xf0, lz4JavaMax(b[0])
	stored, decoded := int64(binary.LittleEndian.Uint32(b[1:])), int64(binary.LittleEndian.Uint32(b[5:]))
	want := binary.LittleEndian.Uint32(b[9:])
	switch {
	case method != lz4JavaRaw && method != lz4JavaLZ4:
		return 0, fmt.Errorf("%w: lz4-java method %#02x", ErrUnsupported, method)
	case decoded > max || stored > blockBytes(decoded) || (stored == 0) != (decoded == 0),
		method == lz4JavaRaw && stored != decoded, stored == 0 && want != 0:
		return 0, fmt.Errorf("%w: lz4-java block of %d bytes for %d decoded ones", ErrCorrupt, stored, decoded)
	case decoded == 0:
		return 0, io.EOF
	case decoded > f.opts.maxWindow():
		return 0, &LimitError{What: "chunk", Needed: decoded, Allowed: f.opts.maxWindow()}
	}
	if err := chunkLimit(stored, f.opts.maxWindow()); err != nil {
		return 0, err
	}
	src, err := f.stored.take(f.in, int(stored))
	if err != nil {
		return 0, err
	}
	n := 0
	if f.rest = src; method == lz4JavaLZ4 {
		f.rest = nil
		if n, err = lz4Chunk(f.blocks, p, src, decoded); err != nil {
			return 0, err
		}
	}
	data := p[:n]
	if n == 0 {
		data = f.rest
	}
	switch got := xxh32Of(lz4JavaSeed, data) & 0xfffffff; {
	case int64(len(data)) != decoded:
		err = fmt.Errorf("%w: lz4-java block holds %d bytes and declares %d", ErrCorrupt, len(data), decoded)
	case f.verify && got != want:
		err = fmt.Errorf("%w: lz4-java block checksum %#07x, stored %#07x", ErrChecksum, got, want)
	default:
		return n, nil
	}
	f.rest = nil
	return 0, err
}

func (f *lz4Java) close() { *f = lz4Java{} }
