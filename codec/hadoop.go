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
// blocks cannot be distinguished from the end.
type hadoop struct {
	*blocks
	hadoopGrammar
	in *Input

	// chunk decodes a chunk of at most max bytes into p or rest.
	chunk func(b *blocks, p, src []byte, max int64) (int, error)
}

// hadoopGrammar goes from chunk to chunk.
type hadoopGrammar struct {
	snappy bool  // chunks are of Snappy, and begin with their decoded length
	inside bool  // a block began and did not end
	left   int64 // decoded bytes that the block still owes
	size   int64 // stored bytes of the chunk, without its length
	length int64 // decoded ones of a chunk of Snappy
	limit  int64 // decoded bytes of a chunk: it is held in one piece; 0 for no limit
}

func (g *hadoopGrammar) look(b []byte, left int64) error {
	switch {
	case len(b) == 0 && !g.inside:
		return atEnd(left)
	case len(b) < 4:
		return short(b, left)
	}
	n := int64(binary.BigEndian.Uint32(b))
	switch {
	case !g.inside && n > 1<<31-1:
		return errNoMember
	case !g.inside:
		g.left = n
		return nil
	case n == 0 || n > 1<<31-1:
		return fmt.Errorf("%w: chunk of %d bytes", ErrCorrupt, n)
	case n > blockBytes(g.left):
		return fmt.Errorf("%w: chunk of %d bytes for %d decoded ones", ErrCorrupt, n, g.left)
	}
	g.size = n
	if g.limit > 0 {
		if err := chunkLimit(n, g.limit); err != nil {
			return err
		}
	}
	if !g.snappy {
		return nil
	}
	var err error
	if g.length, err = snappyLength(b[4:], n, left-4); err == nil && g.length > g.left {
		err = errBlockTooLong
	}
	return err
}

// hadoopScanner lists blocks of Snappy. Where the chunks of one end is known from
// their decoded lengths.
type hadoopScanner struct{ g hadoopGrammar }

func newHadoopScanner() Scanner { return &hadoopScanner{g: hadoopGrammar{snappy: true}} }

func (s *hadoopScanner) Scan(b []byte, left int64) (Step, error) {
	g := &s.g
	if g.inside && g.left == 0 {
		g.inside = false
		return Step{Role: StepEnd}, nil
	}
	err := g.look(b, left)
	switch {
	case err == errNoMember:
		return Step{}, ErrTrailing
	case err != nil:
		return Step{}, err
	case !g.inside:
		g.inside = true
		return Step{Role: StepBegin, Unit: true, Part: Part{Kind: "block", Size: 4, Decoded: g.left, Window: g.left}}, nil
	}
	g.left -= g.length
	return Step{Role: StepBlock, Memory: runMemory(g.size) + g.length, Part: Part{Size: 4 + g.size, Decoded: g.length}}, nil
}

func newHadoop(o *Options, snappy bool, chunk func(b *blocks, p, src []byte, max int64) (int, error)) *hadoop {
	return &hadoop{blocks: newBlocks(o), hadoopGrammar: hadoopGrammar{snappy: snappy, limit: o.maxWindow()}, chunk: chunk}
}

func (f *hadoop) begin(in *Input, first bool) error {
	f.in, f.rest = in, nil
	f.inside = false
	if err := lookNext(in, &f.hadoopGrammar); err != nil {
		return err
	}
	f.inside = true
	in.Discard(4)
	return nil
}

func (f *hadoop) read(p []byte) (int, error) {
	if n := f.drain(p); n > 0 {
		return n, nil
	}
	if f.left == 0 {
		return 0, io.EOF
	}
	if err := lookNext(f.in, &f.hadoopGrammar); err != nil {
		return 0, err
	}
	f.in.Discard(4)
	src, err := f.stored.read(f.in, int(f.size))
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
	f.noteChunk(int64(n+len(f.rest)), f.size)
	f.left -= int64(n + len(f.rest))
	return n, nil
}

func (f *hadoop) close() { *f = hadoop{} }
