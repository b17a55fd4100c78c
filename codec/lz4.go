package codec

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pierrec/lz4/v4"
)

// lz4Codec is the LZ4 frame format (lz4_Frame_format.md), legacy frames included.
// Blocks are decoded by pierrec/lz4; frames are walked here.
func lz4Codec() Codec {
	return Codec{
		Name:       "lz4",
		Extensions: []string{".lz4"},
		Encodings:  []string{"lz4", "x-lz4"},
		Magic:      lz4Match,
		Requires:   lz4Requires,
		Grows:      func(int64) int64 { h := lz4Header{legacy: true}; return h.needs().Memory },
		NewReader:  opener("lz4", newLZ4),
		Split:      lz4Split,
		Restart:    restarter("lz4", newLZ4),
	}
}

// lz4Frames decodes frames. A member is one frame with the skippable ones before
// it. A legacy frame ends where the source does or where another magic number or
// anything that is no block size follows.
type lz4Frames struct {
	in     *Input
	verify bool // checksums of blocks and content
	opts   *Options

	h      lz4Header
	stored span
	window lz4Window
	rest   []byte // decoded and not given yet
	sum    xxh32  // of the content, if h.contentSum
	total  uint64 // decoded bytes of the frame
	given  int64  // bytes that read gave since begin or resume
	blocks int

	mark lz4Mark // before the block whose data is rest
	torn bool    // a block began and did not end: the state is not one to restart from
}

func newLZ4(o *Options) (format, error) {
	return &lz4Frames{verify: !o.SkipChecksums, opts: o}, nil
}

func (f *lz4Frames) begin(in *Input, first bool) error {
	f.in, f.rest, f.total, f.given, f.blocks = in, nil, 0, 0, 0
	f.window.end = 0
	for {
		b, err := in.Peek(4)
		if len(b) < 4 {
			switch {
			case err != io.EOF || len(b) == 0:
				return err
			case lz4Prefix(b):
				in.Discard(len(b))
				return io.ErrUnexpectedEOF
			}
			return lz4Foreign(in, first)
		}
		switch kind := lz4KindOf(binary.LittleEndian.Uint32(b)); kind {
		case lz4None:
			return lz4Foreign(in, first)
		case lz4Skippable:
			if err := skipFrame(in); err != nil {
				return err
			}
			continue
		case lz4Legacy:
			in.Discard(4)
			f.h = lz4Header{legacy: true, blockMax: lz4LegacyMax}
		case lz4Modern:
			in.Discard(4)
			if err := f.descriptor(); err != nil {
				return err
			}
		}
		if err := f.opts.admit(lz4History, f.h.needs().Memory); err != nil {
			return err
		}
		f.sum.reset(0)
		f.setMark()
		f.torn = false
		return nil
	}
}

func (f *lz4Frames) descriptor() error {
	b, err := f.in.Peek(1)
	if err != nil {
		return noEOF(err)
	}
	if b, err = take(f.in, lz4DescriptorSize(b[0])); err != nil {
		return err
	}
	f.h, err = parseLZ4Descriptor(b)
	return err
}

func (f *lz4Frames) read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		n, err := f.block(p)
		if n > 0 || err != nil {
			f.given += int64(n)
			return n, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	f.given += int64(n)
	return n, nil
}

// block decodes the next block, into p if whatever it holds fits there, else into
// rest. It returns io.EOF at the end of the frame.
func (f *lz4Frames) block(p []byte) (int, error) {
	if f.h.legacy {
		if err := f.legacyEnd(); err != nil {
			return 0, err
		}
	}
	f.setMark()
	b, err := take(f.in, 4)
	if err != nil {
		return 0, err
	}
	word := binary.LittleEndian.Uint32(b)
	f.blocks++
	size, raw, most := int(word), false, lz4LegacySize
	if !f.h.legacy {
		if word == 0 {
			return 0, f.finish()
		}
		size, raw, most = int(word&0x7fffffff), word>>31 != 0, f.h.blockMax
	}
	if f.h.sized && f.h.size < uint64(most) {
		most = min(most, int(blockBytes(int64(f.h.size))))
	}
	if size > most {
		return 0, fmt.Errorf("%w: lz4 block of %d bytes, at most %d declared", ErrCorrupt, size, most)
	}
	if raw && !f.h.linked && len(p) >= size {
		return f.direct(p[:size])
	}
	src, err := f.storedBlock(size)
	if err != nil {
		return 0, err
	}
	var n int
	switch bound := min(f.h.blockMax, lz4Bound(size)); {
	case raw && f.h.linked:
		f.rest = f.window.store(src)
	case raw:
		f.rest = src
	case !f.h.linked && len(p) >= bound:
		if n, err = lz4.UncompressBlock(src, p[:bound:bound]); err != nil {
			return 0, errLZ4Block
		}
		if err := f.count(p[:n]); err != nil {
			return 0, err
		}
		f.torn = false
		return n, nil
	default:
		if f.rest, err = f.window.decode(src, f.h.blockMax, f.h.linked); err != nil {
			return 0, err
		}
	}
	if err := f.count(f.rest); err != nil {
		f.rest = nil
		return 0, err
	}
	f.torn = false
	return 0, nil
}

// direct reads a block that is not compressed into p, which it fills.
func (f *lz4Frames) direct(p []byte) (int, error) {
	if _, err := io.ReadFull(f.in, p); err != nil {
		return 0, noEOF(err)
	}
	if f.h.blockSums {
		b, err := take(f.in, 4)
		if err != nil {
			return 0, err
		}
		if err := f.blockSum(p, binary.LittleEndian.Uint32(b)); err != nil {
			return 0, err
		}
	}
	if err := f.count(p); err != nil {
		return 0, err
	}
	f.torn = false
	return len(p), nil
}

// storedBlock reads the stored bytes of a block and verifies their checksum.
func (f *lz4Frames) storedBlock(size int) ([]byte, error) {
	if !f.h.blockSums {
		return f.stored.take(f.in, size)
	}
	src, err := f.stored.take(f.in, size+4)
	if err != nil {
		return nil, err
	}
	return src[:size], f.blockSum(src[:size], binary.LittleEndian.Uint32(src[size:]))
}

// blockSum verifies the checksum of a block as it is stored.
func (f *lz4Frames) blockSum(src []byte, want uint32) error {
	if !f.verify {
		return nil
	}
	if got := xxh32Of(0, src); got != want {
		return fmt.Errorf("%w: lz4 block checksum %#08x, stored %#08x", ErrChecksum, got, want)
	}
	return nil
}

// count takes note of the data of a block.
func (f *lz4Frames) count(data []byte) error {
	f.total += uint64(len(data))
	if f.h.sized && f.total > f.h.size {
		return fmt.Errorf("%w: lz4 frame holds more than the %d bytes it declares", ErrCorrupt, f.h.size)
	}
	if f.h.contentSum && f.verify {
		f.sum.write(data)
	}
	return nil
}

// finish reads what stands behind the end mark. It returns io.EOF if all is well.
func (f *lz4Frames) finish() error {
	if f.h.contentSum {
		b, err := take(f.in, 4)
		if err != nil {
			return err
		}
		want := binary.LittleEndian.Uint32(b)
		if got := f.sum.sum(); f.verify && got != want {
			return fmt.Errorf("%w: lz4 content checksum %#08x, stored %#08x", ErrChecksum, got, want)
		}
	}
	if f.h.sized && f.total != f.h.size {
		return fmt.Errorf("%w: lz4 frame holds %d bytes and declares %d", ErrCorrupt, f.total, f.h.size)
	}
	return io.EOF
}

// legacyEnd returns io.EOF if no block follows. Four bytes that repeat the decoded
// size are what the Linux kernel's build appends, and no block, where the object
// ends behind them or the last block was not full: only the last one may be less.
func (f *lz4Frames) legacyEnd() error {
	b, err := f.in.Peek(5)
	switch {
	case err != nil && err != io.EOF:
		return err
	case len(b) == 0 && f.blocks > 0:
		return io.EOF
	case len(b) < 4:
		f.in.Discard(len(b))
		return io.ErrUnexpectedEOF
	}
	word := binary.LittleEndian.Uint32(b)
	switch {
	case lz4KindOf(word) != lz4None,
		f.blocks > 0 && word == uint32(f.total) && (len(b) == 4 || f.total%lz4LegacyMax != 0):
		return io.EOF
	case word > 0 && word <= lz4LegacySize:
		return nil
	case f.blocks > 0:
		return io.EOF
	}
	return fmt.Errorf("%w: legacy lz4 block of %d bytes", ErrCorrupt, word)
}

func (f *lz4Frames) close() { *f = lz4Frames{} }
