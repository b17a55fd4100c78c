package codec

import (
	"encoding/binary"
	"fmt"
	"io"
)

// xerialMagic begins a stream of snappy-java's SnappyOutputStream, as Kafka uses
// it. A version and the lowest compatible version, four bytes each, follow; they
// are not looked at, since writers differ in them and chunks never changed.
const xerialMagic = "\x82SNAPPY\x00"

// snappyXerialCodec is the framing of snappy-java: after the header, chunks of a
// big-endian length and a Snappy block. There is no checksum and no end mark: a
// cut between two chunks cannot be distinguished from the end.
func snappyXerialCodec() Codec {
	return Codec{
		Name:      "snappy-xerial",
		Member:    "stream",
		Magic:     func(head []byte, _ bool) Match { return prefix(head, xerialMagic) },
		MaxMemory: chunkMemory,
		NewReader: opener("snappy-xerial", newXerial),
		Scan:      newXerialScanner,
		Restart:   restarter("snappy-xerial", newXerial),
		restarts:  "chunk",
	}
}

// xerialHead is the size of a stream's header.
const xerialHead = len(xerialMagic) + 8

// xerialGrammar goes from chunk to chunk.
type xerialGrammar struct {
	begun  bool  // a stream did
	head   bool  // the header of a stream is next; else a chunk
	size   int64 // stored bytes of the chunk, without its length
	length int64 // decoded ones
	limit  int64 // decoded bytes of a chunk: it is held in one piece; 0 for no limit
}

func (g *xerialGrammar) look(b []byte, left int64) error {
	if len(b) == 0 {
		return atEnd(left)
	}
	m := prefix(b, xerialMagic)
	switch g.head = m == Matched; {
	case m == NeedMore, g.head && len(b) < xerialHead:
		return short(b, left)
	case g.head:
		return nil
	case !g.begun:
		return errNoMember
	case len(b) < 4:
		return short(b, left)
	}
	if g.size = int64(binary.BigEndian.Uint32(b)); g.size == 0 || g.size > 1<<31-1 {
		return errNoMember
	}
	if g.limit > 0 {
		if err := chunkLimit(g.size, g.limit); err != nil {
			return err
		}
	}
	var err error
	g.length, err = snappyLength(b[4:], g.size, left-4)
	return err
}

// snappyLength is the decoded length of a block of size stored bytes that b begins
// with. left is what is left from there on, or less than 0.
func snappyLength(b []byte, size, left int64) (int64, error) {
	b = b[:min(int64(len(b)), size)]
	length, n, err := snappyHeader(b)
	switch {
	case err != nil:
		return 0, err
	case n == 0 && int64(len(b)) < size:
		return 0, short(b, left)
	case n == 0, length > snappyBound(int(size)):
		return 0, errSnappyBlock
	}
	return length, nil
}

// xerialScanner lists streams and their chunks.
type xerialScanner struct {
	g      xerialGrammar
	inside bool
}

func newXerialScanner() Scanner { return new(xerialScanner) }

func (s *xerialScanner) Scan(b []byte, left int64) (Step, error) {
	g := &s.g
	err := g.look(b, left)
	switch {
	case err == errNoMember:
		return Step{}, ErrTrailing
	case s.inside && (err == io.EOF || err == nil && g.head):
		s.inside = false
		return Step{Role: StepEnd}, nil
	case err != nil:
		return Step{}, err
	case g.head:
		g.begun, s.inside = true, true
		return Step{Role: StepBegin, Part: Part{Kind: "stream", Size: int64(xerialHead), Decoded: -1}}, nil
	}
	return Step{Role: StepBlock, Memory: runMemory(g.size) + g.length, Part: Part{
		Kind: "chunk", Size: 4 + g.size, Decoded: g.length, Window: g.length,
	}}, nil
}

// xerial takes each chunk for a member, with the headers before it.
type xerial struct {
	*blocks
	xerialGrammar
	in    *Input
	taken bool // the chunk was read
}

func newXerial(o *Options) (format, error) {
	return &xerial{blocks: newBlocks(o), xerialGrammar: xerialGrammar{limit: o.maxWindow()}}, nil
}

func (f *xerial) begin(in *Input, first bool) error {
	f.in, f.rest, f.taken = in, nil, false
	for f.begun = !first; ; f.begun = true {
		err := lookNext(in, &f.xerialGrammar)
		switch {
		case err == errNoMember && !f.begun:
			return snappyForeign(in, "xerial")
		case err != nil:
			return err
		case !f.head:
			in.Discard(4)
			return nil
		}
		in.Discard(xerialHead)
	}
}

func (f *xerial) read(p []byte) (int, error) {
	if f.taken {
		if n := f.drain(p); len(f.rest) > 0 {
			return n, nil
		} else {
			return n, io.EOF
		}
	}
	f.taken = true
	if f.length > f.limit {
		return 0, &LimitError{What: "chunk", Needed: f.length, Allowed: f.limit}
	}
	f.noteChunk(f.length, f.size)
	src, err := f.stored.read(f.in, int(f.size))
	if err != nil {
		return 0, err
	}
	n, err := snappyChunk(f.blocks, p, src, f.limit)
	if err == nil && len(f.rest) == 0 {
		err = io.EOF
	}
	return n, err
}

func (f *xerial) close() { *f = xerial{} }

// snappyForeign is the error for data that does not begin with the magic of the
// wanted framing. It names what the data looks like.
func snappyForeign(in *Input, wanted string) error {
	head, _ := in.Peek(min(256, in.Size()))
	return fmt.Errorf("%w: no %s stream%s", ErrCorrupt, wanted, snappyLikely(head))
}

// snappyLikely names what head looks like, as the end of a sentence.
func snappyLikely(head []byte) string {
	for _, known := range []struct{ magic, name string }{
		{snappyIdentifier, "framed snappy, snappy"},
		{s2Identifier, "an s2 stream, s2"},
		{xerialMagic, "snappy-java's framing, snappy-xerial"},
		{"snappy\x00", "the framing of dain/snappy, which is not supported"},
		{"SNZ", "the framing of snzip, which is not supported"},
	} {
		if prefix(head, known.magic) == Matched {
			return "; it looks like " + known.name
		}
	}
	if snappyHadoopMatch(head, false) == Matched {
		return "; it looks like Hadoop's framing, snappy-hadoop"
	}
	if iwaLikely(head) {
		return "; it looks like Apple's iWork archives, which are not supported"
	}
	if length, n, err := snappyHeader(head); err == nil && n > 0 && length > 0 {
		if r := snappyElements(head[n:]); !r.bad && r.decoded > 0 && r.decoded <= length {
			return "; it may be a raw block, snappy-block"
		}
	}
	return ""
}

// iwaLikely recognises chunks of iWork archives: type 0, a length of three bytes, and a
// Snappy block without identifier or checksum.
func iwaLikely(head []byte) bool {
	if len(head) < 8 || head[0] != 0 {
		return false
	}
	length, n, err := snappyHeader(head[4:])
	r := snappyElements(head[min(len(head), 4+n):])
	return err == nil && n > 0 && length > 0 && length <= snappyChunkMax && !r.bad && r.decoded > 0 && r.decoded <= length
}
