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
	in     *Input
	name   string
	s2     bool // the first stream may be one of S2 beside Snappy's; any other may
	verify bool
	limit  int64 // the caller's

	max   int64 // decoded bytes of a chunk in the current stream
	kind  byte  // of the current chunk
	size  int   // its stored bytes, checksum included
	begun bool  // it was read

	checked int64 // bytes decoded to tell skippable chunks from damage
}

func newSnappyFramed(o *Options, name string, s2 bool) *snappyFramed {
	return &snappyFramed{blocks: newBlocks(o), name: name, s2: s2, verify: !o.SkipChecksums, limit: o.maxWindow()}
}

// snappyFramedGrows is what a reader of chunks of up to max bytes may come to hold.
func snappyFramedGrows(max int64) func(int64) int64 {
	return func(maxWindow int64) int64 { return chunkMemory(min(max, maxWindow)) }
}

func (f *snappyFramed) begin(in *Input, first bool) error {
	f.in, f.rest, f.begun = in, nil, false
	switch {
	case first:
		f.checked = 0
		if err := f.identifier(f.s2); err != nil {
			if err == errNoMember {
				return snappyForeign(in, f.name)
			}
			return err
		}
	case f.max == 0: // restarted in the middle of a stream of either
		f.max = s2ChunkMax
	}
	for {
		b, err := in.Peek(4)
		if err != nil {
			in.Discard(len(b))
			if len(b) > 0 {
				return noEOF(err)
			}
			return err
		}
		f.kind = b[0]
		f.size = int(b[1]) | int(b[2])<<8 | int(b[3])<<16
		switch {
		case f.kind == chunkIdentifier:
			if err := f.identifier(true); err != nil {
				if err == errNoMember {
					return fmt.Errorf("%w: stream identifier", ErrCorrupt)
				}
				return err
			}
			continue
		case f.kind > chunkStored && f.kind < chunkSkippable:
			return fmt.Errorf("%w: chunk type %#02x", ErrUnsupported, f.kind)
		}
		in.Discard(4)
		switch f.kind {
		case chunkCompressed, chunkStored:
			if f.size < 4 {
				return fmt.Errorf("%w: chunk of %d bytes", ErrCorrupt, f.size)
			}
			return nil
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

// identifier consumes a stream identifier, that of S2 if it may be.
func (f *snappyFramed) identifier(s2 bool) error {
	err := expect(f.in, snappyIdentifier)
	f.max = snappyChunkMax
	if err == errNoMember && s2 {
		err = expect(f.in, s2Identifier)
		f.max = s2ChunkMax
	}
	return err
}

func (f *snappyFramed) read(p []byte) (int, error) {
	n := f.give(p)
	if n == 0 && !f.begun {
		f.begun = true
		if err := f.fits(); err != nil {
			return 0, err
		}
		if f.kind == chunkStored && f.size-4 <= len(p) {
			return f.direct(p[:f.size-4])
		}
		src, err := f.stored.take(f.in, f.size)
		if err != nil {
			return 0, err
		}
		if n, err = f.data(p, f.kind, src); err != nil {
			f.rest = nil
			return 0, err
		}
		if n == 0 {
			n = f.give(p)
		}
	}
	if len(f.rest) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// direct reads a chunk that is not compressed into p, which it fills.
func (f *snappyFramed) direct(p []byte) (int, error) {
	b, err := take(f.in, 4)
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

// fits refuses a chunk that is too long by its header, before it is read.
func (f *snappyFramed) fits() error {
	length := int64(f.size) - 4
	if f.kind == chunkCompressed {
		b, err := f.in.Peek(min(f.size, 9)) // checksum and length
		if err != nil {
			f.in.Discard(len(b))
			return noEOF(err)
		}
		if length, _, err = snappyHeader(b[4:]); err != nil {
			return err
		}
		if int64(f.size) > blockBytes(length) {
			return fmt.Errorf("%w: chunk of %d bytes for %d decoded ones", ErrCorrupt, f.size, length)
		}
	}
	switch {
	case length > f.max:
		return fmt.Errorf("%w: chunk decodes to %d bytes, at most %d are allowed", ErrCorrupt, length, f.max)
	case length > f.limit:
		return &LimitError{What: "chunk", Needed: length, Allowed: f.limit}
	}
	return chunkLimit(int64(f.size)-4, min(f.max, f.limit))
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
