package codec

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/decode/xxh32"
)

// lz4JavaMagic begins every block of lz4-java's LZ4BlockOutputStream.
const lz4JavaMagic = "LZ4Block"

const (
	lz4JavaHeader = 13 // after the magic
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
		Name:   "lz4-java",
		Member: "stream",
		Magic:  lz4JavaMatch,
		Requires: func(head []byte) (Needs, error) {
			if len(head) < len(lz4JavaMagic)+1 {
				return Needs{}, io.ErrUnexpectedEOF
			}
			max := lz4JavaMax(head[len(lz4JavaMagic)])
			return Needs{Window: lz4History, Memory: chunkMemory(max), Size: -1}, nil
		},
		MaxMemory: func(maxWindow int64) int64 { return chunkMemory(min(maxWindow, lz4JavaMax(15))) },
		NewReader: opener("lz4-java", newLZ4Java),
		Scan:      newLZ4JavaScanner,
		Restart:   restarter("lz4-java", newLZ4Java),
		restarts:  "stream",
	}
}

// lz4JavaMatch looks for bytes that are not of text in the two sizes after the
// magic, which text may begin with: no block is of more than 32 MiB, so that each
// size has one.
func lz4JavaMatch(head []byte, _ bool) Match {
	if m := prefix(head, lz4JavaMagic); m != Matched {
		return m
	}
	sizes := head[len(lz4JavaMagic):]
	sizes = sizes[min(1, len(sizes)):min(9, len(sizes))]
	switch {
	case !textual(sizes):
		return Matched
	case len(sizes) < 8:
		return NeedMore
	}
	return NoMatch
}

// textual reports whether b has no byte that text never has: control characters that
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

// lz4JavaGrammar goes from block to block.
type lz4JavaGrammar struct {
	inside          bool  // a stream began and did not end
	max             int64 // decoded bytes of a block, by its level
	raw             bool
	stored, decoded int64 // of the block; 0 for the end of a stream
	want            uint32
}

func (g *lz4JavaGrammar) look(b []byte, left int64) error {
	const size = len(lz4JavaMagic) + lz4JavaHeader
	if len(b) == 0 && !g.inside {
		return atEnd(left)
	}
	switch prefix(b, lz4JavaMagic) {
	case NoMatch:
		if g.inside {
			return fmt.Errorf("%w: no lz4-java block", ErrCorrupt)
		}
		return errNoMember
	case NeedMore:
		return short(b, left)
	}
	if len(b) < size {
		return short(b, left)
	}
	b = b[len(lz4JavaMagic):]
	method := b[0] & 0xf0
	g.raw, g.max = method == lz4JavaRaw, lz4JavaMax(b[0])
	g.stored, g.decoded = int64(binary.LittleEndian.Uint32(b[1:])), int64(binary.LittleEndian.Uint32(b[5:]))
	g.want = binary.LittleEndian.Uint32(b[9:])
	switch {
	case !g.raw && method != lz4JavaLZ4:
		return fmt.Errorf("%w: lz4-java method %#02x", ErrUnsupported, method)
	case g.decoded > g.max || g.stored > blockBytes(g.decoded) || (g.stored == 0) != (g.decoded == 0),
		g.raw && g.stored != g.decoded, g.stored == 0 && g.want != 0:
		return fmt.Errorf("%w: lz4-java block of %d bytes for %d decoded ones", ErrCorrupt, g.stored, g.decoded)
	}
	return nil
}

// lz4JavaScanner lists streams and their blocks.
type lz4JavaScanner struct {
	g lz4JavaGrammar
}

func newLZ4JavaScanner() Scanner { return new(lz4JavaScanner) }

func (s *lz4JavaScanner) Scan(b []byte, left int64) (Step, error) {
	g := &s.g
	err := g.look(b, left)
	switch {
	case err == errNoMember:
		return Step{}, ErrTrailing
	case err != nil:
		return Step{}, err
	case !g.inside:
		g.inside = true
		return Step{Role: StepBegin, Part: Part{Kind: "stream", Decoded: -1, Window: lz4History, Checksum: "xxh32"}}, nil
	}
	st := Step{Role: StepBlock, Memory: chunkMemory(g.max), Part: Part{
		Kind: "compressed block", Size: int64(len(lz4JavaMagic)+lz4JavaHeader) + g.stored, Decoded: g.decoded, Checksum: "xxh32",
	}}
	if g.raw {
		st.Kind = "raw block"
	}
	if g.decoded == 0 {
		st.Role, g.inside = StepEnd, false
	}
	return st, nil
}

// lz4Java takes a stream for a member.
type lz4Java struct {
	*blocks
	lz4JavaGrammar
	in     *Input
	verify bool
}

func newLZ4Java(o *Options) (format, error) {
	return &lz4Java{blocks: newBlocks(o), verify: !o.SkipChecksums}, nil
}

func (f *lz4Java) begin(in *Input, first bool) error {
	f.in, f.rest = in, nil
	f.inside = false
	err := lookNext(in, &f.lz4JavaGrammar)
	f.inside = true
	return err
}

func (f *lz4Java) read(p []byte) (int, error) {
	if n := f.drain(p); n > 0 {
		return n, nil
	}
	if err := lookNext(f.in, &f.lz4JavaGrammar); err != nil {
		return 0, err
	}
	f.in.Discard(len(lz4JavaMagic) + lz4JavaHeader)
	decoded := f.decoded
	switch {
	case decoded == 0:
		return 0, io.EOF
	case decoded > f.opts.maxWindow():
		return 0, &LimitError{What: "chunk", Needed: decoded, Allowed: f.opts.maxWindow()}
	}
	if err := chunkLimit(f.lz4JavaGrammar.stored, f.opts.maxWindow()); err != nil {
		return 0, err
	}
	f.noteChunk(decoded, f.lz4JavaGrammar.stored)
	src, err := f.blocks.stored.read(f.in, int(f.lz4JavaGrammar.stored))
	if err != nil {
		return 0, err
	}
	n := 0
	if f.rest = src; !f.raw {
		f.rest = nil
		if n, err = lz4Chunk(f.blocks, p, src, decoded); err != nil {
			return 0, err
		}
	}
	data := p[:n]
	if n == 0 {
		data = f.rest
	}
	switch got := xxh32.Of(lz4JavaSeed, data) & 0xfffffff; {
	case int64(len(data)) != decoded:
		err = fmt.Errorf("%w: lz4-java block holds %d bytes and declares %d", ErrCorrupt, len(data), decoded)
	case f.verify && got != f.want:
		err = fmt.Errorf("%w: lz4-java block checksum %#07x, stored %#07x", ErrChecksum, got, f.want)
	default:
		return n, nil
	}
	f.rest = nil
	return 0, err
}

func (f *lz4Java) close() { *f = lz4Java{} }
