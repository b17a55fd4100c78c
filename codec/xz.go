package codec

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"github.com/thaw-go/thaw/internal/decode/lzma"
	"github.com/thaw-go/thaw/internal/decode/xz"
)

// xzCodec is "The .xz File Format", version 1.2.1, of XZ Utils: any number of streams, with
// zeros between and after them in multiples of four. Units and restart points are blocks.
func xzCodec() Codec {
	return Codec{
		Name:            "xz",
		Member:          "stream",
		Extensions:      []string{".xz"},
		ShortExtensions: map[string]string{".txz": ".tar"},
		Encodings:       []string{"xz", "x-xz"},
		Magic:           func(head []byte, _ bool) Match { return prefix(head, xz.Magic) },
		Requires:        xzRequires,
		MaxMemory:       lzmaGrows,
		NewReader:       opener("xz", newXZ),
		Scan:            newXZScanner,
		Split: splitter("xz", newXZScanner, func(h *headers) iter.Seq2[*Step, error] {
			return xzTail(h, false)
		}),
		tail:     func(h *headers) iter.Seq2[*Step, error] { return xzTail(h, true) },
		restarts: "block",
		Restart:  restarter("xz", newXZ),
	}
}

// xzFormat decodes one stream after the other.
type xzFormat struct {
	in      *Input
	r       xz.Reader
	room    lzmaRoom
	atBlock bool  // a block or the index is next
	given   int64 // bytes of the member that read gave
	mark    Point // after the last block, without state
}

func newXZ(o *Options) (format, error) {
	f := &xzFormat{room: lzmaRoom{opts: o}}
	f.renew()
	return f, nil
}

func (f *xzFormat) renew() {
	f.r = xz.Reader{Limit: f.room.opts.maxWindow(), Skip: f.room.opts.SkipChecksums}
}

func (f *xzFormat) begin(in *Input, first bool) error {
	f.in = in
	odd := false // padding of another length than the format allows
	if !first {
		from := in.Offset()
		err := skipZeros(in)
		odd = (in.Offset()-from)%4 != 0
		if err == io.EOF && odd {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	if err := readMagic(in, xz.Magic); err != nil {
		return err
	}
	if odd {
		return fmt.Errorf("%w: xz stream padding is no multiple of four bytes", ErrCorrupt)
	}
	f.given, f.mark, f.atBlock = 0, Point{}, true
	return cause(f.r.Begin(in.buf))
}

func (f *xzFormat) read(p []byte) (int, error) {
	if f.atBlock {
		if err := f.block(); err != nil {
			return 0, err
		}
		f.atBlock = false
	}
	blocks := f.r.Blocks()
	n, err := f.r.Read(p)
	f.given += int64(n)
	if f.r.Blocks() != blocks {
		f.mark = Point{Stored: f.in.Offset(), Decoded: f.given}
		f.atBlock = true
	}
	return n, cause(err)
}

// block makes room for the block whose header is next. Faults are left to the
// reader, which meets them again.
func (f *xzFormat) block() error {
	b, err := f.in.Peek(1)
	if err != nil || b[0] == 0 {
		return nil // the index: there is no block
	}
	window := f.room.opts.maxWindow() // for a header that the Input cannot show
	if b, err = f.in.Peek(xz.BlockHeaderSize(b[0])); err != bufio.ErrBufferFull {
		if err != nil {
			return nil
		}
		h, err := xz.ParseBlockHeader(b)
		if err != nil {
			return nil
		}
		window = h.Window()
	}
	if f.room.outgrown(window) {
		state := f.r.State()
		f.renew()
		if err := f.r.Resume(f.in.buf, state); err != nil {
			return cause(err)
		}
	}
	return f.room.admit(window, lzmaNeeds(window, xzProps, -1).Memory)
}

// point implements pointer.
func (f *xzFormat) point() (Point, bool) {
	p := f.mark
	if p.Stored == 0 {
		return p, false
	}
	p.State = f.r.State()
	return p, true
}

// resume implements resumer.
func (f *xzFormat) resume(in *Input, state []byte) error {
	f.in, f.given, f.mark, f.atBlock = in, 0, Point{}, true
	return cause(f.r.Resume(in.buf, state))
}

func (f *xzFormat) close() { *f = xzFormat{} }

// xzProps take the most that LZMA2 allows.
var xzProps = lzma.Props{LC: 4}

// xzRequires looks at the first block.
func xzRequires(head []byte) (Needs, error) {
	if prefix(head, xz.Magic) == NoMatch {
		return Needs{}, fmt.Errorf("%w: not xz data", ErrCorrupt)
	}
	if len(head) <= xz.HeaderSize {
		return Needs{}, io.ErrUnexpectedEOF
	}
	head = head[xz.HeaderSize:]
	if head[0] == 0 {
		return lzmaNeeds(0, xzProps, 0), nil // the index: there is no block
	}
	size := xz.BlockHeaderSize(head[0])
	if len(head) < size {
		return Needs{}, io.ErrUnexpectedEOF
	}
	h, err := xz.ParseBlockHeader(head[:size])
	if err != nil {
		return Needs{}, cause(err)
	}
	return lzmaNeeds(h.Window(), xzProps, -1), nil
}
