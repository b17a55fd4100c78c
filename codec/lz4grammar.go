package codec

import (
	"encoding/binary"
	"fmt"
)

// lz4Grammar goes from header to header of frames and their blocks. A legacy frame
// ends where the object does, or where another magic number or anything that is no
// block size follows.
type lz4Grammar struct {
	h      lz4Header // of the frame
	inside bool      // a frame began and did not end
	blocks int       // headers of blocks in it

	what lz4Item
	size int64  // stored bytes: of the header of a frame, of a skippable frame, of the data of a block
	raw  bool   // the block is not compressed
	word uint32 // of lz4Last
}

// lz4Item is what look found.
type lz4Item uint8

const (
	lz4Skip    lz4Item = iota // a skippable frame
	lz4Head                   // magic number and descriptor of a frame
	lz4Data                   // a block: four bytes, then size, then a checksum if h says so
	lz4EndMark                // the end mark of four bytes, then the checksum if h says so
	lz4Gone                   // a legacy frame has ended
	lz4Last                   // four bytes after a legacy frame's blocks are all that is left
)

func (g *lz4Grammar) look(b []byte, left int64) error {
	switch {
	case g.inside && g.h.legacy:
		return g.lookLegacy(b, left)
	case g.inside:
		return g.lookBlock(b, left)
	case len(b) == 0:
		return atEnd(left)
	case len(b) < 4:
		if !lz4Prefix(b) {
			return errNoMember
		}
		return short(b, left)
	}
	switch lz4KindOf(binary.LittleEndian.Uint32(b)) {
	case lz4None:
		return errNoMember
	case lz4Skippable:
		if len(b) < skippableHeader {
			return short(b, left)
		}
		g.what, g.size = lz4Skip, skippableHeader+int64(binary.LittleEndian.Uint32(b[4:]))
	case lz4Legacy:
		g.what, g.size = lz4Head, 4
		g.h = lz4Header{legacy: true, blockMax: lz4LegacyMax}
	case lz4Modern:
		if len(b) < 5 || len(b) < 4+lz4DescriptorSize(b[4]) {
			return short(b, left)
		}
		n := 4 + lz4DescriptorSize(b[4])
		h, err := parseLZ4Descriptor(b[4:n])
		if err != nil {
			return err
		}
		g.what, g.size, g.h = lz4Head, int64(n), h
	}
	return nil
}

func (g *lz4Grammar) lookBlock(b []byte, left int64) error {
	if len(b) < 4 {
		return short(b, left)
	}
	word := binary.LittleEndian.Uint32(b)
	if word == 0 {
		g.what = lz4EndMark
		return nil
	}
	most := g.h.blockMax
	if g.h.sized && g.h.size < uint64(most) {
		most = min(most, int(blockBytes(int64(g.h.size))))
	}
	g.what, g.size, g.raw = lz4Data, int64(word&0x7fffffff), word>>31 != 0
	if g.size > int64(most) {
		return fmt.Errorf("%w: lz4 block of %d bytes, at most %d declared", ErrCorrupt, g.size, most)
	}
	return nil
}

// lookLegacy looks at the size of a block, which nothing distinguishes from what may follow
// the last one but its value. The build of the Linux kernel appends the decoded size:
// four bytes at the end may be that, or a block that was cut.
func (g *lz4Grammar) lookLegacy(b []byte, left int64) error {
	if len(b) == 0 && left == 0 && g.blocks > 0 {
		g.what = lz4Gone
		return nil
	}
	if len(b) < 4 || len(b) == 4 && left != 4 {
		if len(b) == 4 && lz4KindOf(binary.LittleEndian.Uint32(b)) != lz4None {
			g.what = lz4Gone
			return nil
		}
		return short(b, left)
	}
	word := binary.LittleEndian.Uint32(b)
	g.raw = false
	switch {
	case lz4KindOf(word) != lz4None:
		g.what = lz4Gone
	case g.blocks > 0 && len(b) == 4:
		g.what, g.word = lz4Last, word
	case word > 0 && word <= lz4LegacySize:
		g.what, g.size = lz4Data, int64(word)
	case g.blocks > 0:
		g.what = lz4Gone
	default:
		return fmt.Errorf("%w: legacy lz4 block of %d bytes", ErrCorrupt, word)
	}
	return nil
}

// pass goes on to what stands after what look found.
func (g *lz4Grammar) pass() {
	switch g.what {
	case lz4Head:
		g.inside, g.blocks = true, 0
	case lz4Data:
		g.blocks++
	case lz4EndMark, lz4Gone, lz4Last:
		g.inside = false
	}
}

// lz4Scanner lists frames and their blocks. A unit is a frame. Skippable frames
// belong to the frame before them, those at the front to the first one.
type lz4Scanner struct {
	g    lz4Grammar
	bare bool // the frame before is legacy and has no block: it is none on its own
}

func newLZ4Scanner() Scanner { return new(lz4Scanner) }

func (s *lz4Scanner) Scan(b []byte, left int64) (Step, error) {
	g := &s.g
	if err := g.look(b, left); err != nil {
		if err == errNoMember {
			err = ErrTrailing
		}
		return Step{}, err
	}
	defer g.pass()
	sums := int64(0)
	switch g.what {
	case lz4Skip:
		return Step{Role: StepSkip, Part: Part{Kind: "skippable frame", Size: g.size}}, nil
	case lz4Head:
		n := g.h.needs()
		p := Part{Kind: "frame", Size: g.size, Decoded: n.Size, Window: lz4History}
		if g.h.legacy {
			p.Kind = "legacy frame"
		}
		unit := !s.bare
		s.bare = g.h.legacy
		return Step{Role: StepBegin, Unit: unit, Part: p, Memory: n.Memory}, nil
	case lz4Data:
		s.bare = false
		p := Part{Kind: "compressed block", Size: 4 + g.size, Decoded: -1}
		if g.raw {
			p.Kind, p.Decoded = "raw block", g.size
		}
		if g.h.blockSums {
			p.Size += 4
			p.Checksum = "xxh32"
		}
		return Step{Role: StepBlock, Part: p}, nil
	case lz4EndMark:
		sums = 4
	}
	st := Step{Role: StepEnd, Part: Part{Size: sums}}
	if g.h.contentSum {
		st.Size += 4
		st.Checksum = "xxh32"
	}
	st.Variants = g.h.variants()
	return st, nil
}

// variants name the kind of a frame.
func (h *lz4Header) variants() []string {
	if h.legacy {
		return []string{"legacy"}
	}
	kind := "independent blocks"
	if h.linked {
		kind = "linked blocks"
	}
	return []string{kind, lz4BlockNames[h.bd>>4&7]}
}

var lz4BlockNames = [8]string{
	4: "blocks of 64 KiB", 5: "blocks of 256 KiB", 6: "blocks of 1024 KiB", 7: "blocks of 4096 KiB",
}
