package codec

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pierrec/lz4/v4"

	"github.com/thaw-go/thaw/internal/decode/xxh32"
)

// lz4Codec is the LZ4 frame format (doc/lz4_Frame_format.md of lz4/lz4, version 1.6.4), legacy
// frames included. Units are frames, and restart points blocks. Blocks are decoded by
// pierrec/lz4, frames here.
func lz4Codec() Codec {
	return Codec{
		Name:       "lz4",
		Member:     "frame",
		Extensions: []string{".lz4"},
		Encodings:  []string{"lz4", "x-lz4"},
		Magic:      lz4Match,
		Requires:   lz4Requires,
		MaxMemory:  func(int64) int64 { h := lz4Header{legacy: true}; return h.needs().Memory },
		NewReader:  opener("lz4", newLZ4),
		Scan:       newLZ4Scanner,
		Split:      splitter("lz4", newLZ4Scanner, nil),
		skippable:  true,
		restarts:   "block",
		Restart:    restarter("lz4", newLZ4),
	}
}

// lz4Frames decodes frames. A member is one frame with the skippable ones before
// it.
type lz4Frames struct {
	lz4Grammar
	in     *Input
	verify bool // checksums of blocks and content
	opts   *Options

	stored runReader
	window lz4Window
	rest   []byte       // decoded, not returned yet
	sum    xxh32.Digest // of the content, if h.contentSum
	total  uint64       // decoded bytes of the frame
	given  int64        // bytes that read gave since begin or resume

	mark lz4Mark // before the block whose data is rest
	torn bool    // a block began and did not end: the state is not one to restart from
}

func newLZ4(o *Options) (format, error) {
	return &lz4Frames{verify: !o.SkipChecksums, opts: o}, nil
}

func (f *lz4Frames) begin(in *Input, first bool) error {
	f.in, f.rest, f.total, f.given = in, nil, 0, 0
	f.window.end = 0
	f.inside = false
	for {
		err := lookNext(in, &f.lz4Grammar)
		switch {
		case err == errNoMember:
			return lz4Foreign(in, first)
		case err != nil:
			return err
		case f.what == lz4Skip:
			if err := skip(in, f.size); err != nil {
				return err
			}
			continue
		}
		in.Discard(int(f.size))
		f.pass()
		if err := f.opts.admit(lz4History, f.h.needs().Memory); err != nil {
			return err
		}
		f.sum.Reset(0)
		f.setMark()
		f.torn = false
		return nil
	}
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
	if err := lookNext(f.in, &f.lz4Grammar); err != nil {
		return 0, err
	}
	switch f.what {
	case lz4Gone:
		return 0, io.EOF
	case lz4Last:
		if f.word == uint32(f.total) || f.word == 0 || f.word > lz4LegacySize {
			return 0, io.EOF
		}
		f.in.Discard(4)
		return 0, io.ErrUnexpectedEOF
	}
	if f.h.legacy && f.appended() {
		return 0, io.EOF
	}
	f.setMark()
	f.in.Discard(4)
	f.pass()
	if f.what == lz4EndMark {
		return 0, f.finish()
	}
	size, raw := int(f.size), f.raw
	if raw && !f.h.linked && len(p) >= size {
		return f.direct(p[:size])
	}
	src, err := f.storedBlock(size)
	if err != nil {
		return 0, err
	}
	var n int
	switch bound := int(min(int64(f.h.blockMax), lz4Bound(size))); {
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

// appended reports whether what reads as the size of a legacy block is the decoded size,
// as the build of the Linux kernel appends it, with something after it. Only the last
// block may be less than full. A block that is there is one.
func (f *lz4Frames) appended() bool {
	if f.blocks == 0 || uint64(f.size) != f.total || f.total%lz4LegacyMax == 0 {
		return false
	}
	b, _ := f.in.Peek(int(min(4+f.size, int64(f.in.Size()))))
	if int64(len(b)) < 4+f.size {
		return true
	}
	_, err := lz4DecodedLen(b[4:], lz4LegacyMax)
	return err != nil
}

// direct reads a block that is not compressed into p, which it fills.
func (f *lz4Frames) direct(p []byte) (int, error) {
	if _, err := io.ReadFull(f.in, p); err != nil {
		return 0, noEOF(err)
	}
	if f.h.blockSums {
		b, err := readBytes(f.in, 4)
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
		return f.stored.read(f.in, size)
	}
	src, err := f.stored.read(f.in, size+4)
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
	if got := xxh32.Of(0, src); got != want {
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
		f.sum.Write(data)
	}
	return nil
}

// finish reads what stands after the end mark. It returns io.EOF if all is well.
func (f *lz4Frames) finish() error {
	if f.h.contentSum {
		b, err := readBytes(f.in, 4)
		if err != nil {
			return err
		}
		want := binary.LittleEndian.Uint32(b)
		if got := f.sum.Sum(); f.verify && got != want {
			return fmt.Errorf("%w: lz4 content checksum %#08x, stored %#08x", ErrChecksum, got, want)
		}
	}
	if f.h.sized && f.total != f.h.size {
		return fmt.Errorf("%w: lz4 frame holds %d bytes and declares %d", ErrCorrupt, f.total, f.h.size)
	}
	return io.EOF
}

func (f *lz4Frames) close() { *f = lz4Frames{} }
