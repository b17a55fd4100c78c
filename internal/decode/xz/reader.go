package xz

import (
	"bufio"
	"io"

	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/lzma"
)

// Reader decodes streams. The zero value with a Limit is ready for Begin. It
// belongs to one goroutine.
type Reader struct {
	Limit int64 // largest window accepted, in bytes
	Skip  bool  // leaves the checks of blocks unverified

	src    *bufio.Reader
	kind   Check
	phase  phase
	blocks tally // decoded since the stream began
	index  tally // met in the index
	only   *unit // what Resume said of the one block to decode

	block Header
	size  int64 // of the block's header
	given int64 // decoded bytes of the block
	data  io.Reader
	lzma2 lzma.Decoder2
	chain [3]filter
	check checker
	parts indexReader
	buf   [maxBlockHeader]byte
}

// phase is what comes next in a stream.
type phase uint8

const (
	atBlock phase = iota // a block or the index
	inBlock
	atEnd
)

// Begin begins a stream whose magic was read from src, which must buffer at least
// 32 bytes. Buffers of the stream before are kept.
func (r *Reader) Begin(src *bufio.Reader) error {
	r.src, r.only = src, nil
	copy(r.buf[:], Magic)
	if err := full(src, r.buf[len(Magic):HeaderSize]); err != nil {
		return err
	}
	kind, err := parseHeader(r.buf[:HeaderSize])
	if err != nil {
		return err
	}
	r.start(kind)
	return nil
}

func (r *Reader) start(kind Check) {
	r.kind, r.phase = kind, atBlock
	r.blocks.reset()
	r.index.reset()
}

// Read returns decoded bytes. It returns 0 and nil after each block, and io.EOF
// when the stream is at its end: all blocks verified, and the index compared with
// them. A stream with a check of unknown kind ends with a fault of cause
// Unsupported in its place.
func (r *Reader) Read(p []byte) (int, error) {
	switch r.phase {
	case inBlock:
		n, err := r.read(p)
		if err == io.EOF {
			return n, r.closeBlock()
		}
		return n, err
	case atEnd:
		return 0, io.EOF
	}
	b, err := r.src.Peek(1)
	switch {
	case err != nil:
		return 0, noEOF(err)
	case b[0] == 0:
		err = r.readIndex()
	default:
		err = r.openBlock(BlockHeaderSize(b[0]))
	}
	return 0, err
}

// Blocks is how many blocks of the stream were decoded and verified.
func (r *Reader) Blocks() int64 { return r.blocks.count }

func (r *Reader) openBlock(size int) error {
	if r.only != nil && r.blocks.count > 0 {
		return fault.Corruptf("xz block where the index must be")
	}
	b := r.buf[:size]
	if err := full(r.src, b); err != nil {
		return err
	}
	var err error
	if r.block, err = ParseBlockHeader(b); err != nil {
		return err
	}
	if w := r.block.Window(); w > r.Limit {
		return &fault.Error{Kind: fault.Window, Needed: w, Allowed: r.Limit}
	}
	r.lzma2.Reset(r.src, r.block.Window())
	r.lzma2.Bound(r.block.Stored, r.block.Decoded)
	r.data = &r.lzma2
	// The encoder applied the filters in order, so the last is undone first.
	for i := len(r.block.filters) - 1; i >= 0; i-- {
		r.chain[i].reset(r.data, r.block.filters[i])
		r.data = &r.chain[i]
	}
	kind := r.kind
	if r.Skip {
		kind = None
	}
	r.check.reset(kind)
	r.size, r.given, r.phase = int64(size), 0, inBlock
	return nil
}

// read returns data of the current block.
func (r *Reader) read(p []byte) (int, error) {
	left := r.block.Decoded - r.given
	switch {
	case r.block.Decoded < 0:
	case left == 0:
		p = r.buf[:1] // one more byte would be too many
	case int64(len(p)) > left:
		p = p[:left]
	}
	n, err := r.data.Read(p)
	if r.block.Decoded >= 0 && left == 0 && n > 0 {
		return 0, fault.Corruptf("xz block holds more than the %d bytes that its header declares", r.block.Decoded)
	}
	r.given += int64(n)
	r.check.write(p[:n])
	if err == nil && r.block.Stored >= 0 && r.lzma2.Taken() > r.block.Stored {
		err = fault.Corruptf("xz block takes more than the %d stored bytes that its header declares", r.block.Stored)
	}
	return n, err
}

// closeBlock reads what stands after the data of a block and verifies it.
func (r *Reader) closeBlock() error {
	stored := r.lzma2.Taken()
	if h := &r.block; h.Stored >= 0 && h.Stored != stored || h.Decoded >= 0 && h.Decoded != r.given {
		return fault.Corruptf("xz block is %d bytes from %d, its header declares %d from %d", r.given, stored, h.Decoded, h.Stored)
	}
	padding := r.buf[:-stored&3]
	if err := full(r.src, padding); err != nil {
		return err
	}
	for _, b := range padding {
		if b != 0 {
			return fault.Corruptf("xz block padding is not zero")
		}
	}
	sum := r.buf[:r.kind.Size()]
	if err := full(r.src, sum); err != nil {
		return err
	}
	if err := r.check.verify(sum); err != nil {
		return err
	}
	r.phase = atBlock
	unpadded := r.size + stored + int64(len(sum))
	if err := r.blocks.add(unpadded, r.given); err != nil {
		return err
	}
	return r.closeUnit(unpadded)
}

// readIndex reads index and footer. It returns io.EOF if all is well.
func (r *Reader) readIndex() error {
	n, err := r.parts.begin(r.src)
	if err != nil {
		return err
	}
	if r.only == nil && n != r.blocks.count {
		return fault.Corruptf("xz index has %d blocks, the stream %d", n, r.blocks.count)
	}
	for range n {
		unpadded, decoded, err := r.parts.record()
		if err != nil {
			return err
		}
		if err := r.index.add(unpadded, decoded); err != nil {
			return err
		}
	}
	if err := r.parts.end(); err != nil {
		return err
	}
	if r.only == nil && !r.index.equal(&r.blocks) {
		return fault.Corruptf("xz index differs from the blocks")
	}

	footer := r.buf[:HeaderSize]
	if err := full(r.src, footer); err != nil {
		return err
	}
	kind, size, err := parseFooter(footer)
	if err == nil {
		err = footerFits(kind, r.kind, size, r.parts.size)
	}
	if err != nil {
		return err
	}
	return r.finish()
}

// finish ends the stream, or what Resume was to read of it.
func (r *Reader) finish() error {
	r.phase = atEnd
	if !r.kind.Known() && !r.Skip && r.blocks.count > 0 {
		return unknownCheck(r.kind)
	}
	return io.EOF
}

// full fills p. It returns io.ErrUnexpectedEOF where src ends before.
func full(src *bufio.Reader, p []byte) error {
	_, err := io.ReadFull(src, p)
	return noEOF(err)
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
