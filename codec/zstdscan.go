package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/thaw-go/thaw/internal/decode/zstd"
	"github.com/thaw-go/thaw/internal/limits"
)

// zstdScanner lists frames and their blocks. A unit is a frame. Skippable frames
// belong to the frame before them, those at the front to the first one. A dictionary
// in the first frame goes with every unit, and leaves one unit where it is too large
// for that.
type zstdScanner struct {
	head zstdFrameHead
	pz   pzstdMark

	begun  bool   // the object has a frame, skippable ones included
	framed bool   // it has one with data
	state  []byte // of units
	dict   int64  // memory of the dictionary
	whole  bool   // there is but one unit

	inside bool  // a block is next
	last   bool  // the trailer is
	size   int64 // stored bytes of the frame so far
	body   int64 // of its blocks
	room   int64 // what they can decode to
	seen   bool  // all of them are in sight of who reads the header
	noted  bool
}

func newZstdScanner() Scanner { return &zstdScanner{pz: pzstdMark{all: true}} }

// zstdSeen is how far after a frame's header a reader looks for the last block, to
// grant the frame no more window than its blocks can use.
const zstdSeen = 128 << 10

var zstdBlockKinds = [...]string{zstd.BlockRaw: "raw block", zstd.BlockRLE: "run block", zstd.BlockCompressed: "compressed block"}

func (z *zstdScanner) Scan(b []byte, left int64) (Step, error) {
	switch {
	case z.inside:
		return z.block(b, left)
	case z.last:
		return z.trailer(b, left)
	case len(b) == 0 && left == 0 && z.pz.all && z.pz.frames > 0 && !z.noted:
		z.noted = true
		return Step{Role: StepSkip, Variants: []string{"pzstd"}}, nil
	}
	err := z.head.look(b, left)
	if err == errNoMember {
		err = ErrTrailing
	}
	if err != nil {
		return Step{Variants: z.legacy(b)}, err
	}
	first := !z.begun
	if z.head.skip > 0 {
		return z.skip(b, left, first)
	}
	z.begun = true
	h := &z.head.h
	z.inside, z.size, z.body, z.room = true, int64(h.size), 0, 0
	st := zstdBegin(h)
	z.hold(&st)
	st.Unit = !z.framed || !z.whole
	if st.Unit && z.framed {
		st.State = z.state
	}
	z.framed = true
	return st, nil
}

// hold adds to st what a reader of its window takes.
func (z *zstdScanner) hold(st *Step) {
	st.Memory = zstdMemory(st.Window) + z.dict
	st.Allow = st.Window + z.dict
}

// legacy is the variant of a frame of before v0.8 at b.
func (z *zstdScanner) legacy(b []byte) []string {
	if len(b) < 4 || zstdLegacy(b[:4]) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("legacy v0.%d", zstdLegacy(b[:4]))}
}

// zstdBegin is the step of a frame's header.
func zstdBegin(h *zstdHeader) Step {
	st := Step{Role: StepBegin, Claimed: h.window, Part: Part{
		Kind: "frame", Size: int64(h.size), Decoded: h.content, Window: h.bound(nil), Dictionary: h.dict,
	}}
	if h.checksum {
		st.Checksum = "xxh64"
	}
	return st
}

// skip goes past a skippable frame.
func (z *zstdScanner) skip(b []byte, left int64, first bool) (Step, error) {
	size := z.head.skip
	content := b[min(skippableHeader, len(b)):]
	if first && len(content) < 4 && int64(len(b)) != left {
		return Step{}, short(b, left)
	}
	st := Step{Role: StepSkip, Part: Part{Kind: "skippable frame", Size: size}}
	if first && holdsZstdDict(b) && (left < 0 || size <= left) {
		if err := z.dictionary(&st, b, size-skippableHeader, left); err != nil {
			return Step{}, err
		}
	}
	z.begun = true
	z.pz.skip()
	if b[0] == 0x50 && size == skippableHeader+4 {
		if len(content) < 4 {
			return Step{}, short(b, left)
		}
		z.pz.stated = int64(binary.LittleEndian.Uint32(content))
	}
	return st, nil
}

// dictionary looks at the dictionary of n bytes that the first frame holds. One that
// is small enough to go with units is loaded.
func (z *zstdScanner) dictionary(st *Step, b []byte, n, left int64) error {
	size, window, how := n, int64(0), "as it is"
	if content := b[skippableHeader:]; string(content[:4]) == zstdMagic {
		how = "compressed"
		if h, err := parseZstdHeader(content); err == nil {
			window = h.bound(nil)
			size = max(n, min(h.content, DefaultMaxWindow/zstdDictShare))
		}
	}
	if z.whole = n > limits.State; !z.whole {
		if int64(len(b)) < skippableHeader+n {
			return short(b, left)
		}
		f := zstdFormat{opts: new(Options)}
		if f.loadDict(bytes.NewReader(b[skippableHeader:skippableHeader+n])) == nil {
			z.state, size = f.own.state, max(size, f.own.size)
		}
	}
	// Buffers grow to twice what is in them, and the old one is held meanwhile.
	z.dict = 2*max(size, runStep) + 2*min(n, limits.State)
	st.Memory = z.dict + size + 2*(limits.State+1)
	if st.Allow = zstdDictShare * size; window > 0 {
		st.Memory += zstdMemory(window)
	}
	st.Notes = []string{fmt.Sprintf("the first frame holds a dictionary, %s, in %d bytes", how, n)}
	return nil
}

// block goes past a block.
func (z *zstdScanner) block(b []byte, left int64) (Step, error) {
	if len(b) < 3 {
		return Step{}, short(b, left)
	}
	block := zstd.ParseBlock(b)
	if err := block.Check(z.head.h.bound(nil)); err != nil {
		return Step{}, cause(err)
	}
	st := Step{Role: StepBlock, Part: Part{Kind: zstdBlockKinds[block.Type], Size: 3 + int64(block.Stored()), Decoded: int64(block.Size)}}
	if block.Type == zstd.BlockCompressed {
		st.Decoded = -1
	}
	if left >= 0 && st.Size > left {
		return st, nil // the object is cut
	}
	if z.room += zstdBlockMax; st.Decoded >= 0 {
		z.room += st.Decoded - zstdBlockMax
	}
	z.seen = block.Last && z.body+3 <= zstdSeen
	z.body += st.Size
	z.size += st.Size
	z.inside, z.last = !block.Last, block.Last
	return st, nil
}

// trailer ends a frame.
func (z *zstdScanner) trailer(b []byte, left int64) (Step, error) {
	h := &z.head.h
	st := Step{Role: StepEnd, Part: Part{Decoded: min(h.content, 0)}} // that of raw blocks is not stated
	if h.checksum {
		st.Size = 4
	}
	if w := h.bound(nil); z.seen && w > zstdWalkAbove {
		st.Window = min(w, max(z.room, zstdBlockMax))
		z.hold(&st)
	}
	z.last = false
	z.pz.frame(z.size + st.Size)
	return st, nil
}

// pzstdMark recognises the frames of pzstd: before each stands a skippable frame of
// four bytes that state the frame's size.
type pzstdMark struct {
	stated int64 // of the skippable frame before; 0 none
	frames int
	all    bool
}

func (m *pzstdMark) skip() {
	m.all = m.all && m.stated == 0
	m.stated = 0
}

func (m *pzstdMark) frame(size int64) {
	m.frames++
	m.all = m.all && m.stated == size
	m.stated = 0
}
