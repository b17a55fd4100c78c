package xz

import (
	"bufio"
	"encoding/binary"
	"io"
	"iter"
	"slices"

	"github.com/thaw-go/thaw/internal/lzma"
)

// Unit is a part of a file that decodes on its own: a block with what stands
// before and behind it, or a whole stream.
type Unit struct {
	Offset  int64
	Size    int64
	Decoded int64
	State   []byte // for Resume; nil for a whole stream, which Begin reads
}

// stream is a stream found from its end.
type stream struct {
	start, index, end int64 // of the header, of the index, behind the padding
	kind              Check
	records           int64
}

// Units lists the units of a file of size bytes, in order and without gaps: the
// blocks of streams with several, and the other streams. Only headers, footers
// and indexes are read.
func Units(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		streams, err := walk(r, size)
		if err != nil {
			yield(Unit{}, err)
			return
		}
		src := bufio.NewReader(nil)
		for _, s := range streams {
			src.Reset(io.NewSectionReader(r, s.index, s.end-s.index))
			if !s.units(src, yield) {
				return
			}
		}
	}
}

// units lists the units of a stream. It returns false once yield does.
func (s *stream) units(src *bufio.Reader, yield func(Unit, error) bool) bool {
	var x indexReader
	n, err := x.begin(src)
	if err != nil {
		return yield(Unit{}, err)
	}
	if n == 0 {
		return yield(Unit{Offset: s.start, Size: s.end - s.start}, nil)
	}
	at := s.start
	next := s.start + HeaderSize
	for i := range n {
		u := unit{kind: s.kind, first: i == 0, last: i == n-1}
		if u.unpadded, u.decoded, err = x.record(); err != nil {
			yield(Unit{}, err)
			return false
		}
		next += (u.unpadded + 3) &^ 3
		end := next
		if u.last {
			end = s.end
		}
		out := Unit{Offset: at, Size: end - at, Decoded: u.decoded}
		if n > 1 {
			out.State = u.state()
		}
		if !yield(out, nil) {
			return false
		}
		at = next
	}
	return true
}

// walk finds the streams of a file from its end.
func walk(r io.ReaderAt, size int64) ([]stream, error) {
	var streams []stream
	src := bufio.NewReader(nil)
	for end := size; end > 0; {
		s := stream{end: end}
		footer, err := lastFooter(r, &end)
		if err != nil {
			return nil, err
		}
		if string(footer[10:]) != footerMagic {
			return nil, lzma.Corruptf("no xz stream footer at %d: cut short, or followed by other bytes", end)
		}
		kind, index, err := parseFooter(footer[:])
		if err != nil {
			return nil, err
		}
		s.kind, s.index = kind, end-HeaderSize-index
		if s.index < HeaderSize {
			return nil, lzma.Corruptf("xz footer gives an index that begins before the stream")
		}

		src.Reset(io.NewSectionReader(r, s.index, index))
		sum, err := sumIndex(src, index)
		if err != nil {
			return nil, err
		}
		s.records = sum.count
		s.start = s.index - sum.stored - HeaderSize
		if s.start < 0 {
			return nil, lzma.Corruptf("xz index has more than the file")
		}
		header, err := readAt(r, s.start)
		if err != nil {
			return nil, err
		}
		if kind, err = parseHeader(header[:]); err != nil {
			return nil, err
		}
		if kind != s.kind {
			return nil, lzma.Corruptf("xz stream header and footer have different flags")
		}
		streams = append(streams, s)
		end = s.start
	}
	slices.Reverse(streams)
	return streams, nil
}

// lastFooter reads the footer before *end and moves *end behind it, off the
// padding.
func lastFooter(r io.ReaderAt, end *int64) (footer [HeaderSize]byte, err error) {
	for {
		if *end < 2*HeaderSize {
			return footer, io.ErrUnexpectedEOF
		}
		if footer, err = readAt(r, *end-HeaderSize); err != nil {
			return footer, err
		}
		if binary.LittleEndian.Uint32(footer[8:]) != 0 {
			return footer, nil
		}
		*end -= 4
	}
}

// sumIndex reads an index of size bytes whole.
func sumIndex(src *bufio.Reader, size int64) (tally, error) {
	var x indexReader
	var sum tally
	sum.reset()
	n, err := x.begin(src)
	for i := int64(0); err == nil && i < n; i++ {
		var unpadded, decoded int64
		if unpadded, decoded, err = x.record(); err == nil {
			err = sum.add(unpadded, decoded)
		}
	}
	if err == nil {
		err = x.end()
	}
	if err == nil && x.size != size {
		err = lzma.Corruptf("xz footer gives the index %d bytes, it has %d", size, x.size)
	}
	return sum, err
}

func readAt(r io.ReaderAt, off int64) (b [HeaderSize]byte, err error) {
	n, err := r.ReadAt(b[:], off)
	if n == len(b) {
		return b, nil
	}
	return b, noEOF(err)
}
