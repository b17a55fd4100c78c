package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/thaw-go/thaw/internal/decode/inflate"
)

// gzipCodec is RFC 1952: any number of members, with zeros accepted between and after them,
// as tapes and gzip itself leave them. It includes BGZF (SAM format specification, section
// 4.1), whose members are the blocks of one object.
func gzipCodec() Codec {
	return Codec{
		Name:            "gzip",
		Extensions:      []string{".gz", ".gzip", ".bgz", ".bgzf"},
		ShortExtensions: map[string]string{".tgz": ".tar", ".taz": ".tar", ".svgz": ".svg"},
		Encodings:       []string{"gzip", "x-gzip"},
		Magic:           func(head []byte, _ bool) Match { return prefix(head, gzipMagic) },
		Requires:        inflateNeeds,
		NewReader:       opener("gzip", newGzip),
		Scan:            newGzipScanner,
		NextMember:      nextOf(gzipMagic, looksGzip),
		Split:           splitter("gzip", newGzipScanner, nil),
		restarts:        "member",
		Restart:         restarter("gzip", newGzip),
	}
}

// gzipMagic includes the only compression method there is.
const gzipMagic = "\x1f\x8b\x08"

// Header flags of RFC 1952, section 2.3.1.
const (
	gzipHeaderCRC = 1 << 1
	gzipExtra     = 1 << 2
	gzipName      = 1 << 3
	gzipComment   = 1 << 4
	gzipReserved  = 0xe0
)

type gzipFormat struct {
	in         *Input
	z          inflater
	unverified bool
	unsummed   bool   // the checksum was not kept up before a restart
	crc        uint32 // of the data, or of the header while it is read
	magic      [2]byte
	bgzf       bool        // the member is a block of BGZF
	info       *gzipHeader // what is noted of a header; nil for nothing
}

func newGzip(o *Options) (format, error) { return &gzipFormat{unverified: o.SkipChecksums}, nil }

func (f *gzipFormat) begin(in *Input, first bool) error {
	f.in = in
	if !first {
		if err := skipZeros(in); err != nil {
			return err
		}
	}
	if err := readMagic(in, gzipMagic[:2]); err != nil {
		return err
	}
	if err := f.header(); err != nil {
		return err
	}
	f.crc, f.unsummed = 0, false
	f.z.reset(in)
	return nil
}

// skipZeros consumes zeros. It returns io.EOF where they reach the end.
func skipZeros(in *Input) error {
	for {
		b, err := in.Peek(max(1, in.Buffered()))
		if len(b) == 0 {
			return err
		}
		n := 0
		for n < len(b) && b[n] == 0 {
			n++
		}
		in.Discard(n)
		if n < len(b) {
			return nil
		}
	}
}

// header reads what follows the first two bytes.
func (f *gzipFormat) header() error {
	f.crc = crc32.ChecksumIEEE(f.magic[:copy(f.magic[:], gzipMagic)])
	f.bgzf = false
	h, err := f.headerBytes(8)
	if err != nil {
		return err
	}
	method, flags := h[0], h[1]
	if f.info != nil {
		f.info.time, f.info.method = binary.LittleEndian.Uint32(h[2:]), h[6]
	}
	switch {
	case method != gzipMagic[2]:
		return fmt.Errorf("%w: gzip compression method %d", ErrUnsupported, method)
	case flags&gzipReserved != 0:
		return fmt.Errorf("%w: reserved gzip flags %#02x", ErrUnsupported, flags&gzipReserved)
	}
	if flags&gzipExtra != 0 {
		if err := f.fields(); err != nil {
			return err
		}
	}
	for _, text := range []byte{gzipName, gzipComment} {
		for flags&text != 0 {
			h, err := f.headerBytes(1)
			if err != nil {
				return err
			}
			if h[0] == 0 {
				break
			}
			if f.info != nil && text == gzipName && len(f.info.name) < gzipNameMost {
				f.info.name = append(f.info.name, h[0])
			}
		}
	}
	if flags&gzipHeaderCRC != 0 {
		want := uint16(f.crc)
		h, err := f.headerBytes(2)
		if err != nil {
			return err
		}
		if le16(h) != want && !f.unverified {
			return fmt.Errorf("%w: of the gzip header", ErrChecksum)
		}
	}
	return nil
}

// fields reads the extra field, which has parts of two letters, a length and as many
// bytes. Bytes that are no part are left alone.
func (f *gzipFormat) fields() error {
	h, err := f.headerBytes(2)
	if err != nil {
		return err
	}
	for left := int(le16(h)); left > 0; {
		n := left
		if left >= 4 {
			if h, err = f.headerBytes(4); err != nil {
				return err
			}
			left -= 4
			n = min(int(le16(h[2:])), left)
			if string(h) == bgzfField && n == 2 && !f.bgzf {
				f.bgzf = true
				if h, err = f.headerBytes(2); err != nil {
					return err
				}
				if n, left = 0, left-2; f.info != nil {
					f.info.block = int64(le16(h)) + 1
				}
			} else if f.info != nil && string(h[:2]) == dictzipField {
				f.info.dictzip = true
			}
		}
		left -= n
		for ; n > 0; n-- {
			if _, err = f.headerBytes(1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *gzipFormat) headerBytes(n int) ([]byte, error) {
	b, err := readBytes(f.in, n)
	f.crc = crc32.Update(f.crc, crc32.IEEETable, b)
	return b, err
}

func (f *gzipFormat) read(p []byte) (int, error) {
	n, err := f.z.read(p)
	if f.summed() {
		f.crc = crc32.Update(f.crc, crc32.IEEETable, p[:n])
	}
	switch err {
	case nil:
		f.z.keep(f.crc, f.summed())
	case io.EOF:
		err = f.trailer()
	}
	return n, err
}

// summed reports whether crc covers all data of the member.
func (f *gzipFormat) summed() bool { return !f.unverified && !f.unsummed }

const (
	dictzipField = "RA"
	gzipNameMost = 256 // bytes of a name that are kept
)

// gzipState marks the restart states of gzip.
const gzipState = 'g'

// point implements pointer. Blocks of BGZF are small enough to begin at, and what a
// member is would not be known in its middle.
func (f *gzipFormat) point() (Point, bool) {
	if f.bgzf {
		return Point{}, false
	}
	return f.z.point(gzipState)
}

// bgzfField is the part of the extra field that marks BGZF, up to the size of the
// block (SAM format specification, section 4.1).
const bgzfField = "BC\x02\x00"

// bgzfCut is what is said of BGZF that does not end with a block of nothing.
const bgzfCut = "BGZF without its end block"

// cut says that the last member is a block of BGZF with data: an end after it is
// doubtful.
func (f *gzipFormat) cut() bool { return f.bgzf && f.z.size > 0 }

// doubt implements doubter.
func (f *gzipFormat) doubt() string {
	if f.cut() {
		return bgzfCut
	}
	return ""
}

// bgzfState is the state of a point after a block of BGZF with data. It is not changed.
var bgzfState = []byte{inflate.StateVersion, 'b'}

// carry implements carrier: an object that ends at the point is doubtful too.
func (f *gzipFormat) carry() (state []byte, ok bool) {
	if f.cut() {
		return bgzfState, true
	}
	return nil, true
}

// resume implements resumer.
func (f *gzipFormat) resume(in *Input, state []byte) error {
	if bytes.Equal(state, bgzfState) {
		f.bgzf, f.z.size = true, 1 // or more
		return errBetween
	}
	crc, summed, err := f.z.resume(in, gzipState, state)
	f.in, f.crc, f.unsummed, f.bgzf = in, crc, !summed, false
	return err
}

// trailer verifies checksum and size. It returns io.EOF if they are right.
func (f *gzipFormat) trailer() error {
	b, err := readBytes(f.in, 8)
	if err != nil {
		return err
	}
	crc, size := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	switch {
	case crc != f.crc && f.summed():
		return fmt.Errorf("%w: CRC-32 is %08x, the trailer says %08x", ErrChecksum, f.crc, crc)
	case size != uint32(f.z.size):
		return fmt.Errorf("%w: size modulo 2^32 is %d, the trailer says %d", ErrChecksum, uint32(f.z.size), size)
	}
	return io.EOF
}

func (f *gzipFormat) close() { *f = gzipFormat{} }

// le16 is 0 for fewer than two bytes.
func le16(b []byte) uint16 {
	if len(b) < 2 {
		return 0
	}
	return binary.LittleEndian.Uint16(b)
}
