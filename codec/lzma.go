package codec

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/thaw-go/thaw/internal/decode/lzma"
)

// lzmaCodec is the .lzma format of LZMA Utils, also called LZMA_Alone
// (lzma-file-format.txt of XZ Utils): one stream, with its size, an end marker, or both. It
// has no magic number, and a likely header is no proof, so that only a hint chooses it.
func lzmaCodec() Codec {
	return Codec{
		Name:            "lzma",
		Extensions:      []string{".lzma"},
		ShortExtensions: map[string]string{".tlz": ".tar"},
		Encodings:       []string{"lzma", "x-lzma"},
		Requires:        lzmaRequires,
		NewReader:       opener("lzma", newLZMA),
		Scan:            func() Scanner { return &singleScanner{requires: lzmaRequires} },
		Restart:         restarter("lzma", newLZMA),
	}
}

// lzmaHeaderSize is the size of the header: properties 1, dictionary 4, size 8.
const lzmaHeaderSize = 13

// lzmaHeader is the header of a .lzma file.
type lzmaHeader struct {
	props  lzma.Props
	window int64 // dictionary, or all of smaller data
	size   int64 // -1 when unknown
}

func parseLZMAHeader(b []byte) (lzmaHeader, error) {
	props, ok := lzma.ParseProps(b[0])
	if !ok {
		return lzmaHeader{}, fmt.Errorf("%w: not lzma data: properties %#02x", ErrCorrupt, b[0])
	}
	h := lzmaHeader{props: props, window: int64(binary.LittleEndian.Uint32(b[1:])), size: -1}
	if size := binary.LittleEndian.Uint64(b[5:]); size != math.MaxUint64 {
		if size > math.MaxInt64 {
			return h, fmt.Errorf("%w: not lzma data: size %d", ErrCorrupt, size)
		}
		h.size = int64(size)
		h.window = min(h.window, h.size)
	}
	return h, nil
}

func lzmaRequires(head []byte) (Needs, error) {
	if len(head) < lzmaHeaderSize {
		return Needs{}, io.ErrUnexpectedEOF
	}
	h, err := parseLZMAHeader(head)
	if err != nil {
		return Needs{}, err
	}
	return lzmaNeeds(h.window, h.props, h.size), nil
}

type lzmaFormat struct {
	room lzmaRoom
	d    lzma.Decoder
}

func newLZMA(o *Options) (format, error) { return &lzmaFormat{room: lzmaRoom{opts: o}}, nil }

func (f *lzmaFormat) begin(in *Input, first bool) error {
	if _, err := in.Peek(1); err != nil {
		return err
	}
	if !first {
		return errNoMember
	}
	b, err := readBytes(in, lzmaHeaderSize)
	if err != nil {
		return err
	}
	h, err := parseLZMAHeader(b)
	if err != nil {
		return err
	}
	if f.room.outgrown(h.window) {
		f.d = lzma.Decoder{}
	}
	if err := f.room.admit(h.window, lzmaNeeds(h.window, h.props, h.size).Memory); err != nil {
		return err
	}
	f.d.Reset(in.buf, h.props, h.window, h.size, lzma.MayHaveMarker)
	return nil
}

func (f *lzmaFormat) read(p []byte) (int, error) {
	n, err := f.d.Read(p)
	return n, cause(err)
}

func (f *lzmaFormat) close() { *f = lzmaFormat{} }
