package codec

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/thaw-go/thaw/internal/decode/lzma"
)

// lzipCodec is the lzip format, versions 0 and 1, as the manual of lzip describes it under
// "File format": any number of members, which are its units and restart points. It allows
// any bytes after the last member that do not look like a member with a damaged
// header; they end the data, and [Trailing] returns them. Zeros between members
// are skipped.
func lzipCodec() Codec {
	return Codec{
		Name:       "lzip",
		Extensions: []string{".lz"},
		Encodings:  []string{"lzip", "x-lzip"},
		Magic:      lzipMatch,
		Requires:   lzipRequires,
		MaxMemory:  lzmaGrows,
		NewReader:  opener("lzip", newLZIP),
		Scan:       func() Scanner { return new(lzipScanner) },
		NextMember: nextOf(lzipMagic, looksLZIP),
		Split:      splitter("lzip", func() Scanner { return new(lzipScanner) }, lzipTail),
		tail:       lzipTail,
		restarts:   "member",
		Restart:    restarter("lzip", newLZIP),
	}
}

const (
	lzipMagic      = "LZIP"
	lzipHeaderSize = 6  // magic 4, version 1, dictionary 1
	lzipTrailer0   = 12 // CRC32 4, data size 8
	lzipTrailer1   = 20 // and member size 8
)

// lzipMatch wants a version after the four letters, which text may begin with: a
// byte that text does not have. A version that is not known yet counts.
func lzipMatch(head []byte, _ bool) Match {
	m := prefix(head, lzipMagic)
	switch {
	case m != Matched:
		return m
	case len(head) == len(lzipMagic):
		return NeedMore
	case head[len(lzipMagic)] <= lzipVersions:
		return Matched
	}
	return NoMatch
}

// lzipVersions is the highest version that the magic is believed with.
const lzipVersions = 8

// lzipProps are the parameters of every lzip member.
var lzipProps = lzma.Props{LC: 3, PB: 2}

// lzipDict is the dictionary size that its byte stands for: a power of two less
// up to seven sixteenths of it, between 4 KiB and 512 MiB.
func lzipDict(b byte) (int64, bool) {
	log := b & 0x1f
	if log < 12 || log > 29 {
		return 0, false
	}
	size := int64(1) << log
	size -= size / 16 * int64(b>>5)
	return size, size >= 4<<10
}

// parseLZIPHeader reads what follows the magic: version and dictionary.
func parseLZIPHeader(version, dict byte) (window int64, err error) {
	if version > 1 {
		return 0, fmt.Errorf("%w: lzip version %d", ErrUnsupported, version)
	}
	window, ok := lzipDict(dict)
	if !ok {
		return 0, fmt.Errorf("%w: lzip dictionary size %#02x", ErrCorrupt, dict)
	}
	return window, nil
}

func lzipRequires(head []byte) (Needs, error) {
	if prefix(head, lzipMagic) == NoMatch {
		return Needs{}, fmt.Errorf("%w: not lzip data", ErrCorrupt)
	}
	if len(head) < lzipHeaderSize {
		return Needs{}, io.ErrUnexpectedEOF
	}
	window, err := parseLZIPHeader(head[4], head[5])
	if err != nil {
		return Needs{}, err
	}
	return lzmaNeeds(window, lzipProps, -1), nil
}

type lzipFormat struct {
	in         *Input
	room       lzmaRoom
	unverified bool
	d          lzma.Decoder
	version    byte
	crc        uint32
	size       int64
}

// newLZIP changes o, which is the decoder's own: bytes that are no member are
// part of the format.
func newLZIP(o *Options) (format, error) {
	o.IgnoreTrailing = true
	return &lzipFormat{room: lzmaRoom{opts: o}, unverified: o.SkipChecksums}, nil
}

func (f *lzipFormat) begin(in *Input, first bool) error {
	f.in = in
	if !first {
		if err := skipZeros(in); err != nil {
			return err
		}
	}
	err := readMagic(in, lzipMagic)
	if err == errNoMember && !first && damagedLZIP(in) {
		return fmt.Errorf("%w: damaged header of an lzip member", ErrCorrupt)
	}
	if err != nil {
		return err
	}
	b, err := readBytes(in, lzipHeaderSize-len(lzipMagic))
	if err != nil {
		return err
	}
	window, err := parseLZIPHeader(b[0], b[1])
	if err != nil {
		return err
	}
	if f.room.outgrown(window) {
		f.d = lzma.Decoder{}
	}
	if err := f.room.admit(window, lzmaNeeds(window, lzipProps, -1).Memory); err != nil {
		return err
	}
	f.version, f.crc, f.size = b[0], 0, 0
	f.d.Reset(in.buf, lzipProps, window, -1, lzma.MustHaveMarker)
	return nil
}

// damagedLZIP reports whether what follows the last member looks like another whose
// magic is damaged: more than one byte of it is right, and the rest of the header
// is valid.
func damagedLZIP(in *Input) bool {
	b, _ := in.Peek(lzipHeaderSize)
	if len(b) < lzipHeaderSize {
		return false
	}
	right := 0
	for i := range lzipMagic {
		if b[i] == lzipMagic[i] {
			right++
		}
	}
	_, err := parseLZIPHeader(b[4], b[5])
	return right > 1 && err == nil
}

func (f *lzipFormat) read(p []byte) (int, error) {
	n, err := f.d.Read(p)
	f.size += int64(n)
	if !f.unverified {
		f.crc = crc32.Update(f.crc, crc32.IEEETable, p[:n])
	}
	if err == io.EOF {
		return n, f.trailer()
	}
	return n, cause(err)
}

// trailer verifies checksum and sizes. It returns io.EOF if they are right.
func (f *lzipFormat) trailer() error {
	b, err := readBytes(f.in, lzipTrailer0)
	if err != nil {
		return err
	}
	crc, size := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint64(b[4:])
	switch {
	case crc != f.crc && !f.unverified:
		return fmt.Errorf("%w: CRC-32 is %08x, the lzip trailer says %08x", ErrChecksum, f.crc, crc)
	case size != uint64(f.size):
		return fmt.Errorf("%w: size is %d, the lzip trailer says %d", ErrChecksum, f.size, size)
	case f.version == 0:
		return io.EOF
	}
	if b, err = readBytes(f.in, lzipTrailer1-lzipTrailer0); err != nil {
		return err
	}
	member := lzipHeaderSize + f.d.Taken() + lzipTrailer1
	if stated := binary.LittleEndian.Uint64(b); stated != uint64(member) {
		return fmt.Errorf("%w: member size is %d, the lzip trailer says %d", ErrChecksum, member, stated)
	}
	return io.EOF
}

func (f *lzipFormat) close() { *f = lzipFormat{} }
