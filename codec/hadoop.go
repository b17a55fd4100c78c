package codec

import (
	"encoding/binary"
	"fmt"
	"io"
)

// hadoop is the framing of Hadoop's BlockCompressorStream. It has no magic, no
// checksum and no end mark; all numbers are big-endian:
//
//	decoded length 4 | ( stored length 4 | chunk ) until that many bytes came out
//
// Each such block is a member, so that it is a restart point. A cut between two
// blocks cannot be told from the end.
type hadoop struct {
	*blocks
	in    *Input
	left  int64 // decoded bytes that the block still owes
	limit int64 // decoded bytes of a chunk: it is held in one piece

	// chunk decodes a chunk of at most max bytes into p or rest.
	chunk func(b *blocks, p, src []byte, max int64) (int, error)
}

func newHadoop(o *Options, chunk func(b *blocks, p, src []byte, max int64) (int, error)) *hadoop {
	return &hadoop{blocks: newBlocks(o), limit: o.maxWindow(), chunk: chunk}
}

func (f *hadoop) begin(in *Input, first bool) error {
	f.in, f.rest = in, nil
	b, err := in.Peek(4)
	if err != nil {
		in.Discard(len(b))
		if len(b) > 0 {
			return noEOF(err)
		}
		return err
	}
	if f.left = int64(binary.BigEndian.Uint32(b)); f.left > 1<<31-1 {
		return errNoMember
	}
	in.Discard(4)
	return nil
}

func (f *hadoop) read(p []byte) (int, error) {
	if n := f.give(p); n > 0 {
		return n, nil
	}
	if f.left == 0 {
		return 0, io.EOF
	}
	b, err := take(f.in, 4)
	if err != nil {
		return 0, err
	}
	size := int64(binary.BigEndian.Uint32(b))
	switch {
	case size == 0 || size > 1<<31-1:
		return 0, fmt.Errorf("%w: chunk of %d bytes", ErrCorrupt, size)
	case size > blockBytes(f.left):
		return 0, fmt.Errorf("%w: chunk of %d bytes for %d decoded ones", ErrCorrupt, size, f.left)
	}
	if err := chunkLimit(size, f.limit); err != nil {
		return 0, err
	}
	src, err := f.stored.take(f.in, int(size))
	if err != nil {
		return 0, err
	}
	n, err := f.chunk(f.blocks, p, src, min(f.left, f.limit))
	switch {
	case err == errBlockTooLong && f.limit < f.left:
		return 0, &LimitError{What: "chunk", Allowed: f.limit}
	case err != nil:
		return 0, err
	}
	f.left -= int64(n + len(f.rest))
	return n, nil
}

func (f *hadoop) close() { *f = hadoop{} }
