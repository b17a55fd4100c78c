package codec

import (
	"fmt"
	"io"

	"github.com/thaw-go/thaw/internal/lzma"
	"github.com/thaw-go/thaw/internal/xz"
)

// xz lists blocks by the indexes, found from the end, and reads their headers.
func (i *inspection) xz(c Codec) error {
	i.restart()
	i.How = "indexes and headers of blocks"
	// The indexes and the blocks lie apart, and each is read in order.
	blocks := i.headers.apart()
	var stream Part
	end := func() {
		if stream.Kind != "" {
			i.Members.add(stream, i.most)
			i.declare(stream.Decoded)
		}
	}
	err := i.split(c, func(u Unit) error {
		i.at = u.Offset
		at := u.Offset
		var b [xz.HeaderSize]byte
		if err := readFullAt(blocks, b[:], at); err != nil {
			return err
		}
		if string(b[:len(xz.Magic)]) == xz.Magic {
			end()
			stream = Part{Kind: "stream", Offset: at, Checksum: xzCheck(b[7])}
			i.checksum(stream.Checksum)
			at += xz.HeaderSize
		}
		stream.Size = u.Offset + u.Size - stream.Offset
		stream.Decoded += u.Decoded
		return i.xzBlock(blocks, at, u, &stream)
	})
	if err != nil {
		return i.xzFront(err)
	}
	end()
	i.at = i.size
	return nil
}

// xzBlock reads the header of the block at off, which belongs to u.
func (i *inspection) xzBlock(r io.ReaderAt, off int64, u Unit, stream *Part) error {
	var b [1024]byte
	if err := readFullAt(r, b[:1], off); err != nil {
		return err
	}
	if b[0] == 0 {
		return nil // the index: the stream has no block
	}
	head := b[:xz.BlockHeaderSize(b[0])]
	if err := readFullAt(r, head, off); err != nil {
		return err
	}
	h, err := xz.ParseBlockHeader(head)
	if err != nil {
		return lzmaFault(err)
	}
	window := h.Window()
	i.needs(lzmaNeeds(window, lzma.Props{LC: 4}, -1))
	i.Claimed = max(i.Claimed, h.Dict)
	i.Blocks.add(Part{
		Kind: "block", Offset: off, Size: u.Offset + u.Size - off, Decoded: u.Decoded,
		Window: window, Checksum: stream.Checksum,
	}, i.most)
	stream.Blocks++
	stream.Window = max(stream.Window, window)
	return nil
}

// xzFront reads the first headers of an object that ends with no index.
func (i *inspection) xzFront(fault error) error {
	i.torn(fault)
	if i.Members.Count > 0 || i.Blocks.Count > 0 {
		return fault
	}
	i.Members.Count, i.Blocks.Count, i.Units.Count = -1, -1, -1
	i.How = "headers at the front"
	var b [xz.HeaderSize]byte
	if err := readFullAt(&i.headers, b[:], 0); err == nil && string(b[:len(xz.Magic)]) == xz.Magic {
		i.checksum(xzCheck(b[7]))
	}
	return fault
}

// xzCheck names the check of a stream.
func xzCheck(id byte) string {
	switch c := xz.Check(id); c {
	case xz.None:
		return "none"
	case xz.CRC32:
		return "crc32"
	case xz.CRC64:
		return "crc64"
	case xz.SHA256:
		return "sha256"
	default:
		return fmt.Sprintf("check %d", c)
	}
}

// lzip lists members by their trailers, found from the end, and reads their
// headers.
func (i *inspection) lzip(c Codec) error {
	i.restart()
	i.How = "trailers and headers of members"
	i.Blocks.Count = -1
	i.checksum("crc32")
	return i.split(c, func(u Unit) error {
		i.at = u.Offset
		var b [lzipHeaderSize]byte
		if err := readFullAt(&i.headers, b[:], u.Offset); err != nil {
			return err
		}
		if string(b[:4]) != lzipMagic {
			return fmt.Errorf("%w: not lzip data", ErrCorrupt)
		}
		window, err := parseLZIPHeader(b[4], b[5])
		if err != nil {
			return err
		}
		if b[4] == 0 {
			i.variant("version 0")
		}
		i.needs(lzmaNeeds(window, lzipProps, -1))
		i.declare(u.Decoded)
		if u.Decoded < 0 {
			i.How = "the first header"
			i.Members.Count = -1
			return nil
		}
		i.Members.add(Part{
			Kind: "member", Offset: u.Offset, Size: u.Size, Decoded: u.Decoded, Window: window, Checksum: "crc32",
		}, i.most)
		return nil
	})
}

// bzip2 reads the first stream's header: nothing tells where the next one begins.
func (i *inspection) bzip2() error {
	var b [bzip2HeadSize]byte
	head := b[:min(int64(len(b)), i.size)]
	if err := readFullAt(&i.headers, head, 0); err != nil {
		return err
	}
	if _, err := bzip2Requires(head); err != nil {
		return err
	}
	i.checksum("crc32")
	i.note("the first stream has blocks of %d bytes", bzip2Window(head))
	return nil
}
