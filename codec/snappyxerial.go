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

// snappyXerialCodec is the framing of snappy-java: behind the header, chunks of a
// big-endian length and a Snappy block. There is no checksum and no end mark: a
// cut between two chunks cannot be told from the end.
func snappyXerialCodec() Codec {
	return Codec{
		Name:      "snappy-xerial",
		Magic:     func(head []byte, _ bool) Match { return prefix(head, xerialMagic) },
		Grows:     chunkMemory,
		NewReader: opener("snappy-xerial", newXerial),
		Restart:   restarter("snappy-xerial", newXerial),
	}
}

// xerial takes each chunk for a member, with the headers before it.
type xerial struct {
	*blocks
	in    *Input
	limit int64 // decoded bytes of a chunk: it is held in one piece
	size  int64 // stored bytes of the chunk
	begun bool  // it was read
}

func newXerial(o *Options) (format, error) {
	return &xerial{blocks: newBlocks(o), limit: o.maxWindow()}, nil
}

func (f *xerial) begin(in *Input, first bool) error {
	f.in, f.rest, f.begun = in, nil, false
	for {
		err := expect(in, xerialMagic)
		switch {
		case err == nil:
			if _, err = take(in, 8); err != nil {
				return err
			}
			first = false
			continue
		case err == errNoMember && first:
			return snappyForeign(in, "xerial")
		case err != errNoMember:
			return err
		}
		b, err := in.Peek(4)
		if err != nil {
			in.Discard(len(b))
			return noEOF(err)
		}
		if f.size = int64(binary.BigEndian.Uint32(b)); f.size == 0 || f.size > 1<<31-1 {
			return errNoMember
		}
		in.Discard(4)
		return nil
	}
}

func (f *xerial) read(p []byte) (int, error) {
	if f.begun {
		if n := f.give(p); len(f.rest) > 0 {
			return n, nil
		} else {
			return n, io.EOF
		}
	}
	f.begun = true
	if err := chunkLimit(f.size, f.limit); err != nil {
		return 0, err
	}
	src, err := f.stored.take(f.in, int(f.size))
	if err != nil {
		return 0, err
	}
	n, err := snappyChunk(f.blocks, p, src, f.limit)
	if err == errBlockTooLong {
		length, _, _ := snappyHeader(src)
		err = &LimitError{What: "chunk", Needed: length, Allowed: f.limit}
	}
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
		if prefix(head, known.magic) == Yes {
			return "; it looks like " + known.name
		}
	}
	if snappyHadoopMatch(head, false) == Yes {
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

// iwaLikely tells chunks of iWork archives: type 0, a length of three bytes, and a
// Snappy block without identifier or checksum.
func iwaLikely(head []byte) bool {
	if len(head) < 8 || head[0] != 0 {
		return false
	}
	length, n, err := snappyHeader(head[4:])
	r := snappyElements(head[min(len(head), 4+n):])
	return err == nil && n > 0 && length > 0 && length <= snappyChunkMax && !r.bad && r.decoded > 0 && r.decoded <= length
}
