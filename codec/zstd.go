package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"github.com/thaw-go/thaw/internal/zstd"
)

// zstdCodec is RFC 8878: any number of frames and skippable frames.
func zstdCodec() Codec {
	return Codec{
		Name:       "zstd",
		Extensions: []string{".zst", ".zstd"},
		Encodings:  []string{"zstd"},
		Magic:      zstdMatch,
		Requires:   zstdRequires,
		Grows:      func(maxWindow int64) int64 { return maxWindow + zstdFixed },
		NewReader:  opener("zstd", newZstd),
		Split:      zstdSplit,
		Restart:    restarter("zstd", newZstd),
	}
}

func zstdMatch(head []byte, _ bool) Match {
	if holdsZstdDict(head) {
		return Yes
	}
	rest, m := pastSkippable(head)
	if m != Yes {
		return m
	}
	if len(rest) >= 4 && zstdLegacy(rest[:4]) > 0 {
		return Yes
	}
	return prefix(rest, zstdMagic)
}

// zstdFixed is what a reader allocates beside the window: the Input's buffer and
// the buffers of a block.
const zstdFixed = 1 << 20

func zstdRequires(head []byte) (Needs, error) {
	rest, m := pastSkippable(head)
	if m == More {
		return Needs{}, io.ErrUnexpectedEOF
	}
	if len(rest) < 4 {
		return Needs{}, io.ErrUnexpectedEOF
	}
	if v := zstdLegacy(rest[:4]); v > 0 {
		return Needs{}, zstdLegacyError(v)
	}
	if string(rest[:4]) != zstdMagic {
		return Needs{}, fmt.Errorf("%w: not zstd data", ErrCorrupt)
	}
	h, err := parseZstdHeader(rest)
	if err != nil {
		return Needs{}, err
	}
	w := h.bound(rest[h.size:])
	return Needs{Window: w, Memory: w + zstdFixed, Size: h.content}, nil
}

func zstdLegacyError(version int) error {
	return fmt.Errorf("%w: legacy zstd v0.%d frame", ErrUnsupported, version)
}

// zstdFormat decodes one frame after the other. Checksum and content size are
// verified here, so that data before a fault comes out.
type zstdFormat struct {
	in     *Input
	opts   *Options
	blocks *zstd.Reader
	dicts  map[uint32]*zstd.Dict // that options hold
	own    zstdOwn

	h     zstdHeader
	given int64
	sum   xxhash.Digest
}

func newZstd(o *Options) (format, error) {
	f := &zstdFormat{opts: o, blocks: zstd.NewReader(), dicts: make(map[uint32]*zstd.Dict)}
	for i, b := range o.Dictionaries {
		if len(b) < 8 {
			return nil, fmt.Errorf("dictionary %d: %w", i, io.ErrUnexpectedEOF)
		}
		d, err := zstd.ParseDict(b)
		if err != nil {
			return nil, fmt.Errorf("dictionary %d: %w", binary.LittleEndian.Uint32(b[4:]), zstdFault(err))
		}
		f.dicts[d.ID()] = d
	}
	return f, nil
}

// zstdFault is err as this package tells it.
func zstdFault(err error) error {
	if fault, ok := errors.AsType[*zstd.Error](err); ok {
		return fmt.Errorf("%w: %s", ErrCorrupt, fault.Reason)
	}
	return err
}

func (f *zstdFormat) begin(in *Input, first bool) error {
	f.in = in
	if first {
		f.own = zstdOwn{}
	}
	for front := first; ; front = false {
		magic, err := zstdPeekMagic(in)
		if err != nil {
			return err
		}
		if skippableMagic(magic) != Yes {
			break
		}
		if front {
			err = f.ownDict()
		} else {
			err = skipFrame(in)
		}
		if err != nil {
			return err
		}
	}
	return f.header()
}

// zstdPeekMagic looks at the next four bytes. It returns what begin does.
func zstdPeekMagic(in *Input) ([]byte, error) {
	for n := 1; ; n++ {
		b, err := in.Peek(n)
		switch {
		case err == io.EOF && len(b) > 0:
			in.Discard(len(b))
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		legacy := prefix(b, "\xfd\x2f\xb5\x1e") != No ||
			b[0] >= 0x22 && b[0] <= 0x28 && prefix(b[1:], zstdMagic[1:]) != No
		if !legacy && skippableMagic(b) == No {
			return nil, errNoMember
		}
		if n == 4 {
			if v := zstdLegacy(b); v > 0 {
				return nil, zstdLegacyError(v)
			}
			return b, nil
		}
	}
}

// header reads a frame's header, refuses what is not allowed and begins with the
// blocks that follow.
func (f *zstdFormat) header() error {
	in := f.in
	b, err := in.Peek(5)
	if err == nil {
		b, err = in.Peek(zstdHeaderSize(b))
	}
	if err != nil {
		in.Discard(len(b))
		return noEOF(err)
	}
	h, err := parseZstdHeader(b)
	if err != nil {
		return err
	}
	in.Discard(h.size)
	dict, err := f.dictionary(h.dict)
	if err != nil {
		return err
	}
	rest, err := in.Peek(in.Buffered())
	window := h.bound(rest)
	if window > zstdWalkAbove {
		// An error of the source is met again where it belongs.
		rest, err = in.Peek(in.Size())
		window = h.bound(rest)
	}
	if allowed := f.opts.maxWindow(); window+f.own.memory > allowed {
		return &LimitError{What: "window", Needed: window + f.own.memory, Allowed: allowed}
	}
	if err == io.EOF {
		// No more comes, be the frame whole or cut.
		n, _ := zstdBlocks(rest, window)
		window = min(window, max(n, zstdBlockMax))
	}
	f.h, f.given = h, 0
	f.sum.Reset()
	if err := f.opts.hold(window + f.own.memory + zstdFixed); err != nil {
		return err
	}
	f.blocks.Reset(in.Reader, window, dict)
	return nil
}

// zstdWalkAbove is the window above which a frame is looked through, as far as
// the Input's buffer reaches, for whether it needs so much.
const zstdWalkAbove = 1 << 20

// verifies tells whether the frame has a checksum that is to be looked at.
func (f *zstdFormat) verifies() bool { return f.h.checksum && !f.opts.SkipChecksums }

func (f *zstdFormat) read(p []byte) (int, error) {
	n, err := f.blocks.Read(p)
	if f.h.content >= 0 && int64(n) > f.h.content-f.given {
		n = int(f.h.content - f.given)
		err = fmt.Errorf("%w: frame of more than the declared %d bytes", ErrCorrupt, f.h.content)
	}
	f.given += int64(n)
	if f.verifies() {
		f.sum.Write(p[:n])
	}
	if err == io.EOF {
		err = f.trailer()
	}
	return n, zstdFault(err)
}

// trailer verifies declared size and checksum. It returns io.EOF if they are
// right.
func (f *zstdFormat) trailer() error {
	if f.h.content >= 0 && f.given != f.h.content {
		return fmt.Errorf("%w: frame of %d bytes, declared %d", ErrCorrupt, f.given, f.h.content)
	}
	if !f.h.checksum {
		return io.EOF
	}
	b, err := take(f.in, 4)
	if err != nil {
		return err
	}
	want, got := binary.LittleEndian.Uint32(b), uint32(f.sum.Sum64())
	if want != got && f.verifies() {
		return fmt.Errorf("%w: XXH64 is %08x, the frame says %08x", ErrChecksum, got, want)
	}
	return io.EOF
}

func (f *zstdFormat) close() { *f = zstdFormat{} }
