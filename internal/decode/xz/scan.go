package xz

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/lzma"
)

// Scanner goes from header to header of a file, from its front and along the chunks
// of blocks. It verifies all that a [Reader] does but the data of chunks and its
// checks. The zero value is ready.
type Scanner struct {
	next    scanState
	begun   bool
	odd     int // bytes of padding, modulo four
	kind    Check
	blocks  tally
	index   tally
	header  Header
	size    int64 // of the block's header
	stored  int64 // bytes of the block's chunks
	decoded int64 // what they decode to
	chunks  lzma.Chunks

	records    int64 // of the index that are to come
	indexSize  int64
	indexCheck uint32
}

type scanState uint8

const (
	scanBorder scanState = iota
	scanBlock            // or the index
	scanChunk
	scanCheck // padding and check of a block
	scanRecord
	scanIndexEnd
	scanFooter
)

// What is what an [Item] is.
type What uint8

const (
	Inside  What = iota // part of a stream, without a header that matters
	Begins              // the header of a stream
	Block               // that of a block
	Data                // a chunk
	Ends                // the footer of a stream
	Padding             // zeros between streams
)

// Item is a run of stored bytes that a Scanner found.
type Item struct {
	What    What
	Size    int64
	Decoded int64
	Check   Check
	Header  *Header // of a Block
}

// ErrForeign is the error for bytes that are no stream.
var ErrForeign = &fault.Error{Kind: fault.Corrupt, What: "no xz stream"}

// Next returns the next Item. b and left, and io.ErrShortBuffer, io.EOF and
// io.ErrUnexpectedEOF, are those of codec.Scanner.
func (s *Scanner) Next(b []byte, left int64) (Item, error) {
	switch s.next {
	case scanBorder:
		return s.border(b, left)
	case scanBlock:
		return s.block(b, left)
	case scanChunk:
		return s.chunk(b, left)
	case scanCheck:
		return s.check(b, left)
	case scanRecord:
		return s.record(b, left)
	case scanIndexEnd:
		return s.indexEnd(b, left)
	}
	return s.footer(b, left)
}

func need(b []byte, left int64) error {
	if int64(len(b)) == left {
		return io.ErrUnexpectedEOF
	}
	return io.ErrShortBuffer
}

func (s *Scanner) border(b []byte, left int64) (Item, error) {
	zeros := 0
	for s.begun && zeros < len(b) && b[zeros] == 0 {
		zeros++
	}
	if zeros > 0 {
		s.odd = (s.odd + zeros) % 4
		return Item{What: Padding, Size: int64(zeros)}, nil
	}
	if len(b) == 0 {
		switch {
		case left != 0:
			return Item{}, io.ErrShortBuffer
		case s.odd != 0:
			return Item{}, io.ErrUnexpectedEOF
		}
		return Item{}, io.EOF
	}
	n := min(len(b), len(Magic))
	switch {
	case string(b[:n]) != Magic[:n]:
		return Item{}, ErrForeign
	case n < len(Magic):
		return Item{}, need(b, left)
	case s.odd != 0:
		return Item{}, fault.Corruptf("xz stream padding is no multiple of four bytes")
	case len(b) < HeaderSize:
		return Item{}, need(b, left)
	}
	var err error
	if s.kind, err = parseHeader(b[:HeaderSize]); err != nil {
		return Item{}, err
	}
	s.begun, s.next = true, scanBlock
	s.blocks.reset()
	s.index.reset()
	return Item{What: Begins, Size: HeaderSize, Check: s.kind}, nil
}

func (s *Scanner) block(b []byte, left int64) (Item, error) {
	if len(b) == 0 {
		return Item{}, need(b, left)
	}
	if b[0] == 0 {
		return s.indexBegin(b, left)
	}
	size := BlockHeaderSize(b[0])
	if len(b) < size {
		return Item{}, need(b, left)
	}
	var err error
	if s.header, err = ParseBlockHeader(b[:size]); err != nil {
		return Item{}, err
	}
	s.size, s.stored, s.decoded = int64(size), 0, 0
	s.chunks = lzma.Chunks{}
	s.next = scanChunk
	return Item{What: Block, Size: s.size, Header: &s.header}, nil
}

func (s *Scanner) chunk(b []byte, left int64) (Item, error) {
	was := s.chunks
	c, size, err := s.chunks.Next(b)
	if err != nil {
		return Item{}, err
	}
	if size > len(b) {
		return Item{}, need(b, left)
	}
	it := Item{What: Data, Size: int64(size) + c.Stored, Decoded: c.Decoded}
	if left >= 0 && it.Size > left {
		s.chunks = was
		return it, nil // the file is cut
	}
	s.stored += it.Size
	s.decoded += it.Decoded
	h := &s.header
	switch {
	case h.Decoded >= 0 && s.decoded > h.Decoded || h.Stored >= 0 && s.stored > h.Stored,
		c.End && (h.Decoded >= 0 && s.decoded != h.Decoded || h.Stored >= 0 && s.stored != h.Stored):
		return Item{}, fault.Corruptf("xz block is %d bytes from %d, its header declares %d from %d", s.decoded, s.stored, h.Decoded, h.Stored)
	}
	if c.End {
		it.What, s.next = Inside, scanCheck
	}
	return it, nil
}

func (s *Scanner) check(b []byte, left int64) (Item, error) {
	padding := int(-s.stored & 3)
	for _, v := range b[:min(padding, len(b))] {
		if v != 0 {
			return Item{}, fault.Corruptf("xz block padding is not zero")
		}
	}
	if len(b) < padding {
		return Item{}, need(b, left)
	}
	if err := s.blocks.add(s.size+s.stored+int64(s.kind.Size()), s.decoded); err != nil {
		return Item{}, err
	}
	s.next = scanBlock
	return Item{Size: int64(padding + s.kind.Size())}, nil
}

// fields reads integers off b.
func fields(b []byte, left int64, values ...*int64) (size int, err error) {
	c := cursor(b)
	for _, v := range values {
		if *v, err = integer(c.next); err == errShort {
			err = need(b, left)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(b) - len(c), nil
}

func (s *Scanner) took(b []byte) {
	s.indexSize += int64(len(b))
	s.indexCheck = crc32.Update(s.indexCheck, crc32.IEEETable, b)
}

func (s *Scanner) indexBegin(b []byte, left int64) (Item, error) {
	n, err := fields(b[1:], left-1, &s.records)
	if err != nil {
		return Item{}, err
	}
	if s.records != s.blocks.count {
		return Item{}, fault.Corruptf("xz index has %d blocks, the stream %d", s.records, s.blocks.count)
	}
	s.indexSize, s.indexCheck = 0, 0
	s.took(b[:n+1])
	if s.next = scanRecord; s.records == 0 {
		s.next = scanIndexEnd
	}
	return Item{Size: int64(n + 1)}, nil
}

func (s *Scanner) record(b []byte, left int64) (Item, error) {
	var unpadded, decoded int64
	n, err := fields(b, left, &unpadded)
	if err == nil && unpadded < minUnpadded {
		err = fault.Corruptf("xz index has a block of %d bytes", unpadded)
	}
	if err == nil {
		n, err = fields(b, left, &unpadded, &decoded)
	}
	if err == nil {
		err = s.index.add(unpadded, decoded)
	}
	if err != nil {
		return Item{}, err
	}
	s.took(b[:n])
	if s.records--; s.records == 0 {
		s.next = scanIndexEnd
	}
	return Item{Size: int64(n)}, nil
}

func (s *Scanner) indexEnd(b []byte, left int64) (Item, error) {
	padding := int(-s.indexSize & 3)
	for _, v := range b[:min(padding, len(b))] {
		if v != 0 {
			return Item{}, fault.Corruptf("xz index padding is not zero")
		}
	}
	if len(b) < padding+4 {
		return Item{}, need(b, left)
	}
	s.took(b[:padding])
	switch {
	case binary.LittleEndian.Uint32(b[padding:]) != s.indexCheck:
		return Item{}, wrongSum("index")
	case !s.index.equal(&s.blocks):
		return Item{}, fault.Corruptf("xz index differs from the blocks")
	}
	s.indexSize += 4
	s.next = scanFooter
	return Item{Size: int64(padding + 4)}, nil
}

func (s *Scanner) footer(b []byte, left int64) (Item, error) {
	if len(b) < HeaderSize {
		return Item{}, need(b, left)
	}
	kind, size, err := parseFooter(b[:HeaderSize])
	if err == nil {
		err = footerFits(kind, s.kind, size, s.indexSize)
	}
	if err == nil && !s.kind.Known() && s.blocks.count > 0 {
		err = unknownCheck(s.kind)
	}
	if err != nil {
		return Item{}, err
	}
	s.next, s.odd = scanBorder, 0
	return Item{What: Ends, Size: HeaderSize}, nil
}

// footerFits compares a footer with the header and the index.
func footerFits(kind, header Check, size, index int64) error {
	switch {
	case kind != header:
		return fault.Corruptf("xz stream header and footer have different flags")
	case size != index:
		return fault.Corruptf("xz footer gives the index %d bytes, it has %d", size, index)
	}
	return nil
}
