package codec

import (
	"encoding/binary"
	"fmt"
	"io"
)

// lz4 walks from frame to frame and from block to block.
func (i *inspection) lz4() error {
	i.restart()
	i.How = "headers of frames and blocks"
	return i.tiles(i.lz4Walk())
}

func (i *inspection) lz4Walk() error {
	w := lz4Walk{walk{r: &i.headers, size: i.size}}
	pz := pzstdMark{}
	for w.off < i.size {
		i.at = w.off
		kind, err := w.magic()
		switch {
		case err == ErrTrailing && w.off == 0:
			return fmt.Errorf("%w: not lz4 data", ErrCorrupt)
		case err != nil:
			return err
		case kind == lz4Skippable:
			err = i.skippable(&w.walk, &pz)
		case kind == lz4Legacy:
			err = i.lz4Legacy(&w.walk)
		default:
			err = i.lz4Frame(&w.walk)
		}
		if err != nil {
			return err
		}
	}
	i.at = i.size
	return nil
}

// lz4Frame goes behind a frame.
func (i *inspection) lz4Frame(w *walk) error {
	p := Part{Kind: "frame", Offset: w.off, Window: lz4History}
	b, err := w.at(4, 1)
	if err != nil {
		return err
	}
	n := lz4DescriptorSize(b[0])
	if b, err = w.at(4, n); err != nil {
		return err
	}
	h, err := parseLZ4Descriptor(b)
	if err != nil {
		return err
	}
	if err := w.advance(int64(4 + n)); err != nil {
		return err
	}
	extra := int64(4)
	if h.blockSums {
		extra += 4
	}
	for {
		at := w.off
		i.at = at
		b, err := w.at(0, 4)
		if err != nil {
			return err
		}
		word := binary.LittleEndian.Uint32(b)
		if word == 0 {
			break
		}
		block := Part{Kind: "compressed block", Offset: at, Decoded: -1}
		size := int64(word & 0x7fffffff)
		if word>>31 != 0 {
			block.Kind, block.Decoded = "raw block", size
		}
		if size > int64(h.blockMax) {
			return fmt.Errorf("%w: lz4 block of %d bytes, at most %d declared", ErrCorrupt, size, h.blockMax)
		}
		if err := w.advance(extra + size); err != nil {
			return err
		}
		if block.Size = w.off - at; h.blockSums {
			block.Checksum = "xxh32"
		}
		i.Blocks.add(block, i.most)
		p.Blocks++
	}
	extra = 4
	if h.contentSum {
		extra += 4
		p.Checksum = "xxh32"
	}
	if err := w.advance(extra); err != nil {
		return err
	}
	if h.linked {
		i.variant("linked blocks")
	} else {
		i.variant("independent blocks")
	}
	i.variant(fmt.Sprintf("blocks of %d KiB", h.blockMax>>10))
	if h.blockSums || h.contentSum {
		i.checksum("xxh32")
	}
	needs := h.needs()
	p.Size, p.Decoded = w.off-p.Offset, needs.Size
	i.lz4Add(p, needs)
	return nil
}

func (i *inspection) lz4Add(p Part, n Needs) {
	i.tile(p.Offset, p.Decoded)
	i.Members.add(p, i.most)
	i.declare(p.Decoded)
	i.needs(n)
}

// lz4Legacy goes behind a legacy frame, which ends where the object does or where
// another frame begins. Four bytes at the end that are no block are the decoded
// size, as the build of the Linux kernel appends it.
func (i *inspection) lz4Legacy(w *walk) error {
	i.variant("legacy")
	h := lz4Header{legacy: true}
	p := Part{Kind: "legacy frame", Offset: w.off, Decoded: -1, Window: lz4History}
	w.off += 4
	for w.off < w.size {
		at := w.off
		i.at = at
		b, err := w.at(0, 4)
		if err != nil {
			return err
		}
		word := binary.LittleEndian.Uint32(b)
		if p.Blocks > 0 && lz4KindOf(word) != lz4None {
			break
		}
		if w.size-w.off == 4 && p.Blocks > 0 {
			p.Decoded = int64(word)
			i.note("the size behind the legacy frame is taken modulo 2^32")
			w.off += 4
			break
		}
		if word == 0 || word > lz4LegacySize {
			if p.Blocks > 0 {
				break // what follows is no block: the next frame, or trailing bytes
			}
			return fmt.Errorf("%w: legacy lz4 block of %d bytes", ErrCorrupt, word)
		}
		if err := w.advance(4 + int64(word)); err != nil {
			return err
		}
		i.Blocks.add(Part{Kind: "compressed block", Offset: at, Size: w.off - at, Decoded: -1}, i.most)
		p.Blocks++
	}
	if p.Blocks == 0 {
		return io.ErrUnexpectedEOF
	}
	p.Size = w.off - p.Offset
	i.lz4Add(p, h.needs())
	return nil
}

// lz4Java walks along the blocks of lz4-java, which state both their sizes.
func (i *inspection) lz4Java() error {
	i.restart()
	i.How = "headers of blocks"
	w := walk{r: &i.headers, size: i.size}
	for w.off < i.size {
		p := Part{Kind: "stream", Offset: w.off, Window: lz4History, Checksum: "xxh32"}
		for {
			i.at = w.off
			b, err := w.at(0, len(lz4JavaMagic))
			if err == nil && string(b) != lz4JavaMagic {
				err = ErrTrailing
				if p.Blocks > 0 || w.off == 0 {
					err = fmt.Errorf("%w: no lz4-java block", ErrCorrupt)
				}
			}
			if err == nil {
				b, err = w.at(int64(len(lz4JavaMagic)), lz4JavaHeader)
			}
			if err != nil {
				i.Declared = -1
				return err
			}
			block := Part{Kind: "compressed block", Offset: w.off, Checksum: "xxh32"}
			if b[0]&0xf0 == lz4JavaRaw {
				block.Kind = "raw block"
			}
			stored := int64(binary.LittleEndian.Uint32(b[1:]))
			block.Decoded = int64(binary.LittleEndian.Uint32(b[5:]))
			i.needs(Needs{Window: lz4History, Memory: chunkMemory(lz4JavaMax(b[0]))})
			if err := w.advance(int64(len(lz4JavaMagic)+lz4JavaHeader) + stored); err != nil {
				i.Declared = -1
				return err
			}
			block.Size = w.off - block.Offset
			if stored == 0 && block.Decoded == 0 {
				break
			}
			i.Blocks.add(block, i.most)
			p.Blocks++
			p.Decoded += block.Decoded
		}
		p.Size = w.off - p.Offset
		i.Members.add(p, i.most)
		i.declare(p.Decoded)
		i.checksum("xxh32")
	}
	i.Units.Count = -1
	return nil
}
