package codec

import (
	"encoding/binary"
	"fmt"
)

// lz4Foreign is the error for bytes that are no frame. At the start of the source
// it names the format that they look like.
func lz4Foreign(in *Input, first bool) error {
	if !first {
		return errNoMember
	}
	head, _ := in.Peek(min(256, in.Size()))
	return fmt.Errorf("%w: no lz4 frame%s", ErrCorrupt, lz4Likely(head))
}

// lz4Likely names what head looks like, as the end of a sentence.
func lz4Likely(head []byte) string {
	switch {
	case prefix(head, lz4JavaMagic) == Matched:
		return "; it looks like lz4-java"
	case lz4HadoopLikely(head):
		return "; it looks like lz4-hadoop"
	case lz4BlockLikely(head):
		return "; it may be a raw block, lz4-block"
	}
	return ""
}

// lz4HadoopLikely reports whether head begins as Hadoop's block stream does: two
// big-endian lengths in a relation that a block allows, then sequences.
func lz4HadoopLikely(head []byte) bool {
	if len(head) < 9 {
		return false
	}
	decoded, stored := binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[4:])
	return decoded > 0 && decoded < 1<<28 && stored > 0 &&
		int64(stored) <= int64(decoded)+int64(decoded)/255+16 &&
		int64(decoded) <= lz4Bound(int(stored&0x7fffffff)) &&
		lz4BlockLikely(head[8:8+min(int(stored), len(head)-8)])
}

// lz4BlockLikely reports whether head reads as sequences of a raw block whose
// matches stay inside what came before.
func lz4BlockLikely(head []byte) bool {
	s := newLZ4Sequences()
	s.feed(head)
	return len(head) > 0 && s.err == nil
}
