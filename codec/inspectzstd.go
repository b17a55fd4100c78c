package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// zstd walks from frame to frame and from block to block. Behind frames whose
// sizes a seek table states, it reads the headers of frames alone.
func (i *inspection) zstd() error {
	i.restart()
	i.dict = i.zstdDict()
	if t, ok := i.zstdTable(); ok {
		if ok, err := i.zstdSeek(t); ok {
			return i.tiles(err)
		}
		i.restart()
	}
	return i.tiles(i.zstdWalk())
}

// zstdWalk is zstd without a seek table.
func (i *inspection) zstdWalk() error {
	i.How = "headers of frames and blocks"
	w := zstdWalk{walk{r: &i.headers, size: i.size}}
	pz := pzstdMark{all: true}
	for w.off < i.size {
		i.at = w.off
		b, err := w.at(0, 4)
		if err != nil {
			return err
		}
		if skippableMagic(b) == Yes {
			if err := i.skippable(&w.walk, &pz); err != nil {
				return err
			}
			continue
		}
		start := w.off
		if err := i.zstdFrame(&w); err != nil {
			return err
		}
		pz.frame(w.off - start)
	}
	if pz.all && pz.frames > 0 {
		i.variant("pzstd")
	}
	i.at = i.size
	return nil
}

// skippable goes behind a skippable frame.
func (i *inspection) skippable(w *walk, pz *pzstdMark) error {
	start := w.off
	b, err := w.at(0, skippableHeader)
	if err != nil {
		return err
	}
	first, n := b[0], int64(binary.LittleEndian.Uint32(b[4:]))
	pz.skip()
	if first == 0x50 && n == 4 {
		if b, err = w.at(skippableHeader, 4); err == nil {
			pz.claim = int64(binary.LittleEndian.Uint32(b))
		}
	}
	if err := w.advance(skippableHeader + n); err != nil {
		return err
	}
	i.Skipped.add(Part{Kind: "skippable frame", Offset: start, Size: w.off - start}, i.most)
	return nil
}

// pzstdMark tells the frames of pzstd: before each stands a skippable frame of
// four bytes that state the frame's size.
type pzstdMark struct {
	claim  int64 // of the skippable frame before; 0 none
	frames int
	all    bool
}

func (m *pzstdMark) skip() {
	m.all = m.all && m.claim == 0
	m.claim = 0
}

func (m *pzstdMark) frame(size int64) {
	m.frames++
	m.all = m.all && m.claim == size
	m.claim = 0
}

// zstdSeen is how far behind a frame's header a reader looks for the last block,
// to grant the frame no more window than its blocks can use.
const zstdSeen = 128 << 10

// zstdFrame goes behind a frame.
func (i *inspection) zstdFrame(w *zstdWalk) error {
	start := w.off
	h, err := i.zstdHeader(w)
	if err != nil {
		return err
	}
	p := zstdPart(start, h)
	body := w.off
	room, seen := int64(0), false // what the blocks can decode to; all are in sight
	for last := false; !last; {
		at := w.off
		i.at = at
		b, err := w.at(0, 3)
		if err != nil {
			return err
		}
		var typ, size int
		last, typ, size = zstdBlock(b)
		block := Part{Kind: zstdBlockKinds[typ], Offset: at, Decoded: int64(size)}
		switch typ {
		case zstdReserved:
			return fmt.Errorf("%w: reserved block type", ErrCorrupt)
		case zstdRLE:
			size = 1
		case zstdCompressed:
			block.Decoded = -1
		}
		if block.Decoded < 0 {
			room += zstdBlockMax
		} else {
			room += block.Decoded
		}
		seen = last && w.off+3-body <= zstdSeen
		if err := w.advance(3 + int64(size)); err != nil {
			return err
		}
		block.Size = w.off - at
		i.Blocks.add(block, i.most)
		p.Blocks++
	}
	if h.checksum {
		if err := w.advance(4); err != nil {
			return err
		}
	}
	if seen && p.Window > zstdWalkAbove {
		p.Window = min(p.Window, max(room, zstdBlockMax))
	}
	p.Size = w.off - start
	i.zstdAdd(p, h)
	return nil
}

var zstdBlockKinds = [4]string{"raw block", "run block", "compressed block", "reserved block"}

func zstdPart(start int64, h zstdHeader) Part {
	p := Part{Kind: "frame", Offset: start, Decoded: h.content, Window: h.bound(nil), Dictionary: h.dict}
	if h.checksum {
		p.Checksum = "xxh64"
	}
	return p
}

// zstdHeader reads the header of a frame and goes behind it.
func (i *inspection) zstdHeader(w *zstdWalk) (zstdHeader, error) {
	b, err := w.at(0, 4)
	if err != nil {
		return zstdHeader{}, err
	}
	if v := zstdLegacy(b); v > 0 {
		i.variant(fmt.Sprintf("legacy v0.%d", v))
		return zstdHeader{}, zstdLegacyError(v)
	}
	if string(b) != zstdMagic {
		if w.off == 0 {
			return zstdHeader{}, fmt.Errorf("%w: not zstd data", ErrCorrupt)
		}
		return zstdHeader{}, ErrTrailing
	}
	return w.header()
}

// zstdAdd adds a frame.
func (i *inspection) zstdAdd(p Part, h zstdHeader) {
	if !i.dict.whole || !i.tiled {
		i.tile(p.Offset, p.Decoded)
	} else {
		i.unit.Decoded = plus(i.unit.Decoded, p.Decoded)
	}
	i.Members.add(p, i.most)
	i.declare(p.Decoded)
	i.needs(Needs{Window: p.Window, Memory: zstdMemory(p.Window) + i.dict.memory})
	i.Claimed = max(i.Claimed, h.window)
	if h.checksum {
		i.checksum(p.Checksum)
	}
	if h.dict != 0 {
		i.Dictionaries = once(i.Dictionaries, h.dict, i.most)
	}
}

// zstdTable is the seek table of the Zstandard Seekable Format, version 0.1.0: a
// skippable frame at the end with the sizes of all frames.
type zstdTable struct {
	off    int64 // of the skippable frame
	frames int64
	entry  int64 // bytes of an entry: 8, or 12 with a checksum
}

const (
	zstdSeekMagic  = "\xb1\xea\x92\x8f"
	zstdSeekFrame  = "\x5e\x2a\x4d\x18"
	zstdSeekFooter = 9
)

// read reads the stored and decoded size of frame k.
func (t zstdTable) read(r io.ReaderAt, k int64) (stored, decoded int64, err error) {
	var b [8]byte
	err = readFullAt(r, b[:], t.off+skippableHeader+k*t.entry)
	return int64(binary.LittleEndian.Uint32(b[:])), int64(binary.LittleEndian.Uint32(b[4:])), err
}

// zstdTable finds a seek table whose sizes add up to what stands before it.
func (i *inspection) zstdTable() (t zstdTable, ok bool) {
	var b [zstdSeekFooter]byte
	if i.size < skippableHeader+zstdSeekFooter {
		return t, false
	}
	if err := readFullAt(&i.headers, b[:], i.size-zstdSeekFooter); err != nil || string(b[5:]) != zstdSeekMagic {
		return t, false
	}
	i.variant("seekable")
	t.frames, t.entry = int64(binary.LittleEndian.Uint32(b[:])), 8
	flags := b[4]
	if flags&0x80 != 0 {
		t.entry = 12
	}
	body := t.frames*t.entry + zstdSeekFooter
	t.off = i.size - skippableHeader - body
	if t.off < 0 {
		return t, i.zstdDistrust("it states more frames than the object can hold")
	}
	if err := readFullAt(&i.headers, b[:skippableHeader], t.off); err != nil {
		return t, false
	}
	switch {
	case flags&0x7c != 0:
		return t, i.zstdDistrust("reserved bits are set")
	case string(b[:4]) != zstdSeekFrame || int64(binary.LittleEndian.Uint32(b[4:])) != body:
		return t, i.zstdDistrust("it does not fill its frame")
	}
	sum := int64(0)
	for k := range t.frames {
		size, _, err := t.read(&i.headers, k)
		if err != nil {
			return t, false
		}
		sum += size
	}
	if sum != t.off {
		return t, i.zstdDistrust("the sizes in it do not add up")
	}
	return t, true
}

// zstdDistrust is false.
func (i *inspection) zstdDistrust(why string) bool {
	i.note("the seek table is not used: %s", why)
	return false
}

// zstdSeek lists the frames of a seek table. Their headers are read where the
// table says that they are, their blocks are not. It returns false if the table
// and the headers differ.
func (i *inspection) zstdSeek(t zstdTable) (ok bool, err error) {
	i.How = "seek table and headers of frames"
	// Table and frames lie apart, and each is read in order.
	table := i.headers.apart()
	w := zstdWalk{walk{r: &i.headers, size: t.off}}
	for k := range t.frames {
		start := w.off
		i.at = start
		size, decoded, err := t.read(table, k)
		if err != nil {
			return true, err
		}
		if size < skippableHeader {
			return i.zstdDistrust("a frame in it is too short"), nil
		}
		m, err := w.at(0, 4)
		if err != nil {
			return true, err
		}
		if skippableMagic(m) == Yes {
			i.Skipped.add(Part{Kind: "skippable frame", Offset: start, Size: size}, i.most)
			w.off = start + size
			continue
		}
		h, err := i.zstdHeader(&w)
		switch {
		case errors.Is(err, errReadLimit):
			return true, err
		case err != nil, h.content >= 0 && h.content != decoded, w.off > start+size:
			return i.zstdDistrust(fmt.Sprintf("what is at offset %d is not what it states", start)), nil
		}
		p := zstdPart(start, h)
		p.Size, p.Decoded = size, decoded
		i.zstdAdd(p, h)
		w.off = start + size
	}
	i.Blocks.Count = -1
	i.unknown("blocks: the seek table spares the walk along them")
	i.Skipped.add(Part{Kind: "seek table", Offset: t.off, Size: i.size - t.off}, i.most)
	i.at = i.size
	return true, nil
}
