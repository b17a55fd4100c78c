package codec

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"github.com/thaw-go/thaw/internal/decode/zstd"
)

// zstdCodec is RFC 8878: any number of frames and skippable frames. Units and restart
// points are frames. Frames of versions before 0.8 are recognised and refused.
func zstdCodec() Codec {
	return Codec{
		Name:            "zstd",
		Member:          "frame",
		Extensions:      []string{".zst", ".zstd"},
		ShortExtensions: map[string]string{".tzst": ".tar", ".tzs": ".tar"},
		Encodings:       []string{"zstd"},
		Magic:           zstdMatch,
		Requires:        zstdRequires,
		MaxMemory:       zstdMemory,
		NewReader:       opener("zstd", newZstd),
		Scan:            newZstdScanner,
		Split:           splitter("zstd", newZstdScanner, nil),
		tail:            zstdTail,
		skippable:       true,
		restarts:        "frame",
		Restart:         restarter("zstd", newZstd),
	}
}

func zstdMatch(head []byte, _ bool) Match {
	if holdsZstdDict(head) {
		return Matched
	}
	rest, m := pastSkippable(head)
	if m != Matched {
		return m
	}
	if len(rest) >= 4 && zstdLegacy(rest[:4]) > 0 {
		return Matched
	}
	return prefix(rest, zstdMagic)
}

// zstdFixed is what a reader allocates beside the window: the Input's buffer and
// the buffers of a block.
const zstdFixed = 1 << 20

// zstdStep is the part of a large window that is held beside it while the buffer grows.
const zstdStep = 64

func zstdRequires(head []byte) (Needs, error) {
	rest, m := pastSkippable(head)
	if m == NeedMore {
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
	return Needs{Window: w, Memory: zstdMemory(w), Size: h.content}, nil
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

	head    zstdFrameHead
	h       zstdHeader
	given   int64
	pending int64 // window that is to be asked for once it is needed; 0 for none
	sum     xxhash.Digest
}

func newZstd(o *Options) (format, error) {
	f := &zstdFormat{opts: o, blocks: zstd.NewReader(), dicts: make(map[uint32]*zstd.Dict)}
	for i, b := range o.Dictionaries {
		if len(b) < 8 {
			return nil, fmt.Errorf("dictionary %d: %w", i, io.ErrUnexpectedEOF)
		}
		d, err := zstd.ParseDict(b)
		if err != nil {
			return nil, fmt.Errorf("dictionary %d: %w", binary.LittleEndian.Uint32(b[4:]), cause(err))
		}
		f.dicts[d.ID()] = d
	}
	return f, nil
}

func (f *zstdFormat) begin(in *Input, first bool) error {
	f.in = in
	if first {
		f.own = zstdOwn{}
		f.blocks.Begin()
	}
	for front := first; ; front = false {
		if err := lookNext(in, &f.head); err != nil {
			return err
		}
		if f.head.skip == 0 {
			return f.header(f.head.h)
		}
		if front {
			if err := f.ownDict(); err != nil {
				return err
			}
		} else if err := skip(in, f.head.skip); err != nil {
			return err
		}
	}
}

// header consumes a frame's header, refuses what is not allowed and begins with the
// blocks that follow.
func (f *zstdFormat) header(h zstdHeader) error {
	in := f.in
	in.Discard(h.size)
	dict, err := f.dictionary(h.dict)
	if err != nil {
		return err
	}
	window, err := f.windowOf(h)
	if err != nil {
		return err
	}
	f.opts.note(window+f.own.memory, 0)
	f.h, f.given, f.pending = h, 0, 0
	f.sum.Reset()
	f.blocks.Reset(in.buf, window, dict)
	if window > zstdWalkAbove {
		// The first bytes are returned without more room than small frames take, and
		// without a look at what follows, which a slow source may not have yet.
		f.pending, window = window, zstdBlockMax
	}
	return f.hold(window)
}

// windowOf returns the window that a frame gets: that of its header, or less where
// the blocks that are at hand show that it decodes to less. Only where it is over
// the limit is more waited for, to distinguish a frame that needs so much from one that
// does not, and from one that is cut: that is the fault then, not the limit.
func (f *zstdFormat) windowOf(h zstdHeader) (int64, error) {
	rest, _ := f.in.Peek(f.in.Buffered())
	window, allowed := h.bound(rest), f.opts.maxWindow()-f.own.memory
	if window <= allowed {
		return window, nil
	}
	rest, err := f.in.Peek(f.in.Size())
	window = h.bound(rest)
	if err != nil {
		// No more comes: the frame is whole, cut, or its source fails, which is met
		// again where it belongs.
		n, _ := zstdBlocks(rest, window)
		window = min(window, max(n, zstdBlockMax))
	}
	switch {
	case window <= allowed:
		return window, nil
	case err != nil && err != io.EOF:
		return 0, err
	}
	return 0, &LimitError{What: "window", Needed: window + f.own.memory, Allowed: f.opts.maxWindow()}
}

// hold asks for the memory of a window.
func (f *zstdFormat) hold(window int64) error {
	return f.opts.hold(zstdMemory(window) + f.own.memory)
}

// zstdMemory is what a reader allocates for a window, with the part of it that is held
// beside a large one while it grows.
func zstdMemory(window int64) int64 {
	if window > zstdWalkAbove {
		return window + window/zstdStep + zstdFixed
	}
	return window + zstdFixed
}

// zstdWalkAbove is the window above which a frame is looked through for whether it
// needs so much, and above which memory is asked for once data came out.
const zstdWalkAbove = 1 << 20

// holdPending asks for the window once the data of the frame is about to take more room
// than a block. By then all that was decoded was returned, or can be.
func (f *zstdFormat) holdPending() error {
	rest, _ := f.in.Peek(f.in.Buffered())
	if n, ok := zstdBlocks(rest, f.pending); ok && f.given+zstdBlockMax+n < f.pending {
		f.pending = f.given + zstdBlockMax + n
		f.blocks.Bound(f.pending)
	}
	err := f.hold(f.pending)
	f.pending = 0
	return err
}

// verifies reports whether the frame has a checksum that is to be looked at.
func (f *zstdFormat) verifies() bool { return f.h.checksum && !f.opts.SkipChecksums }

func (f *zstdFormat) read(p []byte) (int, error) {
	if f.pending > 0 && f.given > zstdBlockMax {
		if err := f.holdPending(); err != nil {
			return 0, err
		}
	}
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
	return n, cause(err)
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
	b, err := readBytes(f.in, 4)
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
