package xz

import (
	"bufio"
	"encoding/binary"
	"io"
	"iter"

	"github.com/thaw-go/thaw/internal/backward"
	"github.com/thaw-go/thaw/internal/decode/fault"
)

// Unit is a part of a file that decodes on its own: a block with what stands
// before and after it, or a whole stream.
type Unit struct {
	Offset  int64
	Size    int64
	Decoded int64
	State   []byte // for Resume; nil for a whole stream, which Begin reads
	First   bool   // it begins with the header of a stream
}

// stream is a stream found from its end.
type stream struct {
	start, index, end int64 // of the header, of the index, after the padding
	kind              Check
}

// Units lists the units of a file of size bytes, in order and without gaps: the
// blocks of streams with several, and the other streams. Only headers, footers
// and indexes are read, the streams from the last to the first and then in order.
// Memory does not follow their number.
func Units(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		f := finder{r: r, src: bufio.NewReader(nil)}
		fault := backward.Ascending(0, size, f.find, func(s stream) bool {
			f.src.Reset(io.NewSectionReader(r, s.index, s.end-s.index))
			return s.units(f.src, yield)
		})
		if fault != nil {
			yield(Unit{}, fault)
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
		return yield(Unit{Offset: s.start, Size: s.end - s.start, First: true}, nil)
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
		out := Unit{Offset: at, Size: end - at, Decoded: u.decoded, First: u.first}
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

// finder finds streams from their ends.
type finder struct {
	r   io.ReaderAt
	src *bufio.Reader
}

// find finds the stream that ends at end, padding included, and its start.
func (f *finder) find(end int64) (s stream, start int64, err error) {
	s.end = end
	footer, end, err := lastFooter(f.r, end)
	if err != nil {
		return s, 0, err
	}
	if string(footer[10:]) != footerMagic {
		return s, 0, fault.Corruptf("no xz stream footer at %d: cut short, or followed by other bytes", end)
	}
	kind, index, err := parseFooter(footer[:])
	if err != nil {
		return s, 0, err
	}
	s.kind, s.index = kind, end-HeaderSize-index
	if s.index < HeaderSize {
		return s, 0, fault.Corruptf("xz footer gives an index that begins before the stream")
	}

	f.src.Reset(io.NewSectionReader(f.r, s.index, index))
	sum, err := sumIndex(f.src, index)
	if err != nil {
		return s, 0, err
	}
	s.start = s.index - sum.stored - HeaderSize
	if s.start < 0 {
		return s, 0, fault.Corruptf("xz index has more than the file")
	}
	var header [HeaderSize]byte
	if err = readAt(f.r, header[:], s.start); err != nil {
		return s, 0, err
	}
	if kind, err = parseHeader(header[:]); err != nil {
		return s, 0, err
	}
	if kind != s.kind {
		return s, 0, fault.Corruptf("xz stream header and footer have different flags")
	}
	return s, s.start, nil
}

// lastFooter reads the footer before end, and reports where it ends: before the
// padding. Padding is read in blocks that grow.
func lastFooter(r io.ReaderAt, end int64) (footer [HeaderSize]byte, at int64, err error) {
	if end < 2*HeaderSize {
		return footer, end, io.ErrUnexpectedEOF
	}
	err = readAt(r, footer[:], end-HeaderSize)
	if err != nil || binary.LittleEndian.Uint32(footer[8:]) != 0 {
		return footer, end, err
	}
	var block []byte
	for size := int64(paddingStep); ; size = min(4*size, mostPadding) {
		size = min(size, (end-HeaderSize)&^3)
		if size == 0 {
			return footer, end, io.ErrUnexpectedEOF
		}
		if int64(len(block)) < size {
			block = make([]byte, size)
		}
		b := block[:size]
		if err := readAt(r, b, end-size); err != nil {
			return footer, end, err
		}
		for ; len(b) > 0 && binary.LittleEndian.Uint32(b[len(b)-4:]) == 0; end -= 4 {
			b = b[:len(b)-4]
		}
		if len(b) == 0 {
			continue
		}
		if end < 2*HeaderSize {
			return footer, end, io.ErrUnexpectedEOF
		}
		return footer, end, readAt(r, footer[:], end-HeaderSize)
	}
}

const (
	paddingStep = 1 << 10
	mostPadding = 64 << 10
)

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
		err = fault.Corruptf("xz footer gives the index %d bytes, it has %d", size, x.size)
	}
	return sum, err
}

// readAt fills b from off.
func readAt(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	return noEOF(err)
}
