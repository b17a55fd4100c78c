package codec

import (
	"encoding/binary"
	"fmt"
	"io"
)

// snappy walks along the chunks of the framing that Snappy and S2 share.
func (i *inspection) snappy(c Codec) error {
	i.restart()
	i.How = "headers of chunks"
	w := snappyWalk{walk: walk{r: &i.headers, size: i.size}}
	var stream Part
	end := func() {
		if stream.Kind != "" {
			stream.Size = w.off - stream.Offset
			i.Members.add(stream, i.most)
		}
	}
	for w.off < i.size {
		p := Part{Offset: w.off}
		i.at = w.off
		kind, decoded, err := w.step()
		if err != nil {
			i.Declared = -1
			return err
		}
		p.Size, p.Decoded = w.off-p.Offset, decoded
		switch kind {
		case chunkIdentifier:
			w.off -= p.Size
			end()
			w.off += p.Size
			stream = Part{Kind: "stream", Offset: p.Offset, Checksum: "crc32c"}
			if stream.Window = snappyChunkMax; w.s2 {
				stream.Window = s2ChunkMax
				i.variant("s2 stream")
			} else if c.Name == "s2" {
				i.variant("snappy stream")
			}
			i.needs(Needs{Window: stream.Window, Memory: chunkMemory(stream.Window)})
			continue
		case chunkCompressed, chunkStored:
			if p.Kind = "compressed chunk"; kind == chunkStored {
				p.Kind = "raw chunk"
			}
			i.checksum("crc32c")
			i.declare(decoded)
			i.Blocks.add(p, i.most)
			stream.Blocks++
			stream.Decoded += decoded
			continue
		case 0x99:
			p.Kind = "s2 index"
			i.variant("indexed")
		case 0xfe:
			p.Kind = "padding"
		default:
			if p.Kind = "skippable chunk"; i.Skipped.Count < int64(i.most) {
				p.Kind = fmt.Sprintf("skippable chunk %#02x", kind)
			}
		}
		i.Skipped.add(p, i.most)
	}
	end()
	i.at = i.size
	return i.split(c, nil)
}

// xerial walks along the chunks of snappy-java, which begin with their decoded
// length.
func (i *inspection) xerial() error {
	i.restart()
	i.How = "headers of chunks"
	i.Units.Count = -1
	w := walk{r: &i.headers, size: i.size}
	for w.off < i.size {
		i.at = w.off
		if b, err := w.at(0, len(xerialMagic)); err == nil && string(b) == xerialMagic {
			if err := w.advance(int64(len(xerialMagic)) + 8); err != nil {
				return i.torn(err)
			}
			i.Members.add(Part{Kind: "stream", Offset: i.at, Size: -1, Decoded: -1}, i.most)
			continue
		} else if w.off == 0 && err == nil {
			return i.torn(fmt.Errorf("%w: no xerial stream", ErrCorrupt))
		}
		p := Part{Kind: "chunk", Offset: w.off}
		b, err := w.at(0, 4)
		if err != nil {
			return i.torn(err)
		}
		size := int64(binary.BigEndian.Uint32(b))
		if size == 0 || size > 1<<31-1 {
			return i.torn(ErrTrailing)
		}
		if b, err = w.at(4, int(min(size, 5, max(0, w.size-w.off-4)))); err != nil {
			return i.torn(err)
		}
		length, n, err := snappyHeader(b)
		if err == nil && n == 0 {
			err = errSnappyBlock
			if size > int64(len(b)) {
				err = io.ErrUnexpectedEOF
			}
		}
		if err == nil {
			err = w.advance(4 + size)
		}
		if err != nil {
			return i.torn(err)
		}
		p.Size, p.Decoded = w.off-p.Offset, length
		i.Blocks.add(p, i.most)
		i.declare(length)
		i.needs(Needs{Window: length, Memory: spanMemory(size) + length})
	}
	i.at = i.size
	return nil
}

// torn is err, with the declared size no longer known.
func (i *inspection) torn(err error) error {
	i.Declared = -1
	return err
}

// snappyHadoop lists Hadoop's blocks.
func (i *inspection) snappyHadoop(c Codec) error {
	i.restart()
	i.How = "headers of blocks"
	return i.split(c, func(u Unit) error {
		i.at = u.Offset + u.Size
		i.Members.add(Part{Kind: "block", Offset: u.Offset, Size: u.Size, Decoded: u.Decoded}, i.most)
		i.declare(u.Decoded)
		i.needs(Needs{Window: u.Decoded, Memory: u.Decoded + spanMemory(u.Size)})
		return nil
	})
}

// single is a format of one member whose head states its decoded size.
func (i *inspection) single(c Codec) error {
	var b [lzmaHeaderSize]byte
	head := b[:min(int64(len(b)), i.size)]
	if err := readFullAt(&i.headers, head, 0); err != nil {
		return err
	}
	n, err := c.Requires(head)
	if err != nil {
		return err
	}
	i.restart()
	i.Units.Count, i.Blocks.Count = -1, -1
	i.Declared = n.Size
	i.needs(n)
	i.Members.add(Part{Kind: "member", Size: i.size, Decoded: n.Size, Window: n.Window}, i.most)
	return nil
}
