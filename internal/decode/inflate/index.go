package inflate

import (
	"bufio"
	"bytes"
	"hash/crc32"
	"io"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

// Mark is a Point with the last History bytes before it.
type Mark struct {
	Point
	Window []byte
}

// Marked is a stream with marks in it, as an index keeps them. A piece of the stream
// lies between two marks, in front of the first or after the last. Its methods do
// not change it.
type Marked struct {
	Stored  int64 // bytes of the stream
	Decoded int64 // bytes that it decodes to

	// Marks are Len in number, ascending in both offsets. At returns them and may be
	// called by several goroutines at once.
	Len int
	At  func(i int) (Mark, error)
}

// bounds are the marks around piece i: from is the start for the first, and last
// says that there is no mark after it.
func (m *Marked) bounds(i int) (from, to Mark, last bool, err error) {
	if i > 0 {
		from, err = m.At(i - 1)
	}
	if err == nil && i < m.Len {
		to, err = m.At(i)
	}
	return from, to, i == m.Len, err
}

// pieceChunk is how much of a piece is decoded at a time: its bytes are still in a
// second-level cache when they are summed and written.
const pieceChunk = 96 << 10

// piecer decodes pieces one at a time.
type piecer struct {
	m    *Marked
	src  io.ReaderAt // begins with the stream
	w    io.WriterAt
	in   *bufio.Reader
	d    Decoder
	slab []byte
	at   int // end of what is decoded in slab
}

func newPiecer(m *Marked, src io.ReaderAt, w io.WriterAt) *piecer {
	return &piecer{m: m, src: src, w: w, in: bufio.NewReaderSize(nil, 128<<10), slab: make([]byte, Window+pieceChunk+Slack)}
}

// piece decodes piece i, writes it where it belongs, and returns its CRC-32 and
// size. It ends well only where the next mark says that it ends, with the window
// that the mark has: then what the next piece makes of the mark is what decoding
// everything in order makes.
func (p *piecer) piece(i int) (crc uint32, size int64, err error) {
	from, to, last, err := p.m.bounds(i)
	if err != nil {
		return 0, 0, err
	}
	end := to.Decoded
	if last {
		end = p.m.Decoded
	}
	if len(from.Window) < from.History || len(to.Window) < to.History || from.Offset > p.m.Stored || from.Decoded > end {
		return 0, 0, &Error{Offset: from.Offset, Bit: from.Bit, Decoded: from.Decoded, Err: fault.Corruptf("marks that cannot be")}
	}
	p.in.Reset(io.NewSectionReader(p.src, from.Offset, p.m.Stored-from.Offset))
	if err := p.d.Resume(p.in, from.Point); err != nil {
		return 0, 0, err
	}
	if !last {
		p.d.StopAt(end)
	}
	p.at = copy(p.slab, from.Window[len(from.Window)-from.History:])
	for {
		if len(p.slab)-p.at < Slack {
			p.at = copy(p.slab, p.slab[p.at-p.d.History():p.at])
		}
		off := p.d.Decoded()
		n, err := p.d.Fill(p.slab, p.at)
		data := p.slab[p.at : p.at+n]
		p.at += n
		beyond := off+int64(n) > end
		if beyond {
			data = data[:end-off]
		}
		crc = crc32.Update(crc, crc32.IEEETable, data)
		size += int64(len(data))
		if _, werr := p.w.WriteAt(data, off); werr != nil {
			return 0, 0, werr
		}
		switch at, border := p.d.Point(); {
		case err == io.EOF && last && p.d.Decoded() == end && p.d.Consumed() == p.m.Stored:
			return crc, size, nil
		case err != nil && err != io.EOF:
			return 0, 0, err
		case err == io.EOF || beyond:
			e := p.d.fault(0, fault.Corruptf("the stream does not lead to the next mark"))
			e.Decoded = min(e.Decoded, end)
			return 0, 0, e
		case !last && border && at.Offset == to.Offset && at.Bit == to.Bit && at.Decoded == to.Decoded:
			if window := to.Window[len(to.Window)-to.History:]; !bytes.HasSuffix(p.slab[:p.at], window) {
				return 0, 0, p.d.fault(0, fault.Corruptf("the next mark has another window"))
			}
			return crc, size, nil
		}
	}
}
