package codec

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Chunk types of the Snappy framing format (framing_format.txt) and of S2.
const (
	chunkCompressed = 0x00
	chunkStored     = 0x01
	chunkSkippable  = 0x80 // to 0xfe; 0xfe is padding, 0x99 an S2 index
	chunkIdentifier = 0xff

	snappyIdentifier = "\xff\x06\x00\x00sNaPpY"
	s2Identifier     = "\xff\x06\x00\x00S2sTwO"

	snappyChunkMax = 64 << 10 // decoded bytes of a chunk
	s2ChunkMax     = 4 << 20
)

// snappyFramed decodes the framing that Snappy and S2 share. Each chunk with data
// is a member, with the identifiers and skippable chunks in front of it: so each
// is a restart point. There is no end mark: a cut between two chunks cannot be
// told from the end.
type snappyFramed struct {
	*blocks
	snappyGrammar
	in     *Input
	name   string
	verify bool
	limit  int64 // the caller's
	begun  bool  // the current chunk was read

	checked int64 // bytes decoded to distinguish skippable chunks from damage
}

func newSnappyFramed(o *Options, name string, s2 bool) *snappyFramed {
	return &snappyFramed{blocks: newBlocks(o), name: name, snappyGrammar: snappyGrammar{s2: s2}, verify: !o.SkipChecksums, limit: o.maxWindow()}
}

// snappyFramedGrows is what a reader of chunks of up to max bytes may come to hold.
func snappyFramedGrows(max int64) func(int64) int64 {
	return func(maxWindow int64) int64 { return chunkMemory(min(max, maxWindow)) }
}

func (f *snappyFramed) begin(in *Input, first bool) error {
	f.in, f.rest, f.begun = in, nil, false
	switch {
	case first:
		f.checked, f.inside = 0, false
	case f.max == 0: // restarted in the middle of a stream of either
		f.max, f.inside = s2ChunkMax, true
	}
	for {
		err := lookNext(in, &f.snappyGrammar)
		switch {
		case err == errNoMember:
			return snappyForeign(in, f.name)
		case err != nil:
			return err
		case f.kind == chunkIdentifier:
			in.Discard(len(snappyIdentifier))
			f.pass()
			continue
		}
		in.Discard(4)
		switch f.kind {
		case chunkCompressed, chunkStored:
			if f.decoded > f.limit {
				return &LimitError{What: "chunk", Needed: f.decoded, Allowed: f.limit}
			}
			f.noteChunk(f.decoded, int64(f.size))
			return chunkLimit(int64(f.size)-4, min(f.max, f.limit))
		case chunkSkippable | chunkCompressed, chunkSkippable | chunkStored:
			if err := f.disguised(); err != nil {
				return err
			}
			continue
		}
		if err := skip(in, int64(f.size)); err != nil {
			return err
		}
	}
}

func (f *snappyFramed) read(p []byte) (int, error) {
	n := f.drain(p)
	if n == 0 && !f.begun {
		f.begun = true
		if f.kind == chunkStored && f.size-4 <= len(p) {
			return f.direct(p[:f.size-4])
		}
		src, err := f.stored.read(f.in, f.size)
		if err != nil {
			return 0, err
		}
		if n, err = f.data(p, f.kind, src); err != nil {
			f.rest = nil
			return 0, err
		}
		if n == 0 {
			n = f.drain(p)
		}
	}
	if len(f.rest) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// direct reads a chunk that is not compressed into p, which it fills.
func (f *snappyFramed) direct(p []byte) (int, error) {
	b, err := readBytes(f.in, 4)
	if err != nil {
		return 0, err
	}
	want := binary.LittleEndian.Uint32(b)
	if _, err := io.ReadFull(f.in, p); err != nil {
		return 0, noEOF(err)
	}
	if err := f.sum(p, want); err != nil {
		return 0, err
	}
	return len(p), io.EOF
}

// sum verifies the checksum of what a chunk decodes to.
func (f *snappyFramed) sum(data []byte, want uint32) error {
	if !f.verify {
		return nil
	}
	if got := snappyCRC(data); got != want {
		return fmt.Errorf("%w: chunk checksum %#08x, stored %#08x", ErrChecksum, got, want)
	}
	return nil
}

// data decodes what a chunk of the given kind holds into p or rest.
func (f *snappyFramed) data(p []byte, kind byte, src []byte) (n int, err error) {
	want := binary.LittleEndian.Uint32(src)
	src = src[4:]
	switch {
	case kind == chunkStored:
		if int64(len(src)) > f.max {
			return 0, errBlockTooLong
		}
		f.rest = src
	case f.max == snappyChunkMax:
		n, err = snappyChunk(f.blocks, p, src, f.max)
	default:
		n, err = s2Chunk(f.blocks, p, src, f.max)
	}
	if err != nil {
		return 0, err
	}
	data := p[:n]
	if n == 0 {
		data = f.rest
	}
	return n, f.sum(data, want)
}

func (f *snappyFramed) close() { *f = snappyFramed{} }

// snappyCRC is the masked CRC-32C of the framing format, section 3.
func snappyCRC(b []byte) uint32 {
	c := crc32.Update(0, castagnoli, b)
	return (c>>15 | c<<17) + 0xa282ead8
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
