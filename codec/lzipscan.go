package codec

import (
	"encoding/binary"
	"io"
	"iter"
	"math"

	"github.com/thaw-go/thaw/internal/backward"
)

// lzipScanner reads the first member's header: nothing at the front says where it
// ends.
type lzipScanner struct{}

func (*lzipScanner) Scan(b []byte, left int64) (Step, error) {
	switch {
	case len(b) == 0:
		return Step{}, atEnd(left)
	case prefix(b, lzipMagic) == NoMatch:
		return Step{}, ErrTrailing
	case len(b) < lzipHeaderSize:
		return Step{}, short(b, left)
	}
	st, err := lzipBegin(b)
	st.Role, st.Unit, st.Size = StepRest, true, -1
	return st, err
}

// lzipBegin is the step of a member's header, which b begins with.
func lzipBegin(b []byte) (Step, error) {
	window, err := parseLZIPHeader(b[4], b[5])
	if err != nil {
		return Step{}, err
	}
	st := Step{Role: StepBegin, Unit: true, Memory: lzmaNeeds(window, lzipProps, -1).Memory, Part: Part{
		Kind: "member", Size: lzipHeaderSize, Decoded: -1, Window: window, Checksum: "crc32", Blocks: -1,
	}}
	if b[4] == 0 {
		st.Variants = []string{"version 0"}
	}
	return st, nil
}

// lzipTail lists members, found from the end by the sizes in their trailers. Zeros
// after the last one belong to it. An object that members of version 1 do not fill
// has no such list. Memory does not follow the number of members.
func lzipTail(h *headers) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		last, err := lastNonZero(h, h.size)
		// The last trailer ends with the high bytes of a size, at most seven of
		// them zero; other zeros are padding.
		for end := min(h.size, last+7); err == nil && end >= last && end > 0; end-- {
			err = backward.Ascending(0, end, func(end int64) (lzipPart, int64, error) {
				p, err := lzipMember(h, end)
				return p, p.off, err
			}, func(p lzipPart) bool {
				if p.off+p.size == end {
					p.size += h.size - end
				}
				return p.steps(yield)
			})
			if err == nil {
				return
			}
			if err == errNoMember {
				err = nil
			}
		}
		if err == nil {
			err = errNoHint
		}
		yield(&Step{}, err)
	}
}

// lzipPart is a member.
type lzipPart struct {
	off, size, decoded int64
	head               [lzipHeaderSize]byte
}

func (p *lzipPart) steps(yield func(*Step, error) bool) bool {
	st, err := lzipBegin(p.head[:])
	if err != nil {
		yield(&Step{}, err)
		return false
	}
	st.Offset, st.Decoded = p.off, p.decoded
	return yield(&st, nil) && yield(&Step{Role: StepEnd, Part: Part{
		Offset: p.off + lzipHeaderSize, Size: p.size - lzipHeaderSize,
	}}, nil)
}

// lzipMember is the member of version 1 that ends at end; errNoMember if there is
// none.
func lzipMember(r io.ReaderAt, end int64) (lzipPart, error) {
	var b [16]byte
	if end < lzipHeaderSize+lzipTrailer1 {
		return lzipPart{}, errNoMember
	}
	if err := readFullAt(r, b[:], end-16); err != nil {
		return lzipPart{}, err
	}
	decoded, member := binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
	if member < lzipHeaderSize+lzipTrailer1 || member > uint64(end) || decoded > math.MaxInt64 {
		return lzipPart{}, errNoMember
	}
	p := lzipPart{off: end - int64(member), size: int64(member), decoded: int64(decoded)}
	if err := readFullAt(r, p.head[:], p.off); err != nil {
		return lzipPart{}, err
	}
	if string(p.head[:5]) != lzipMagic+"\x01" {
		return lzipPart{}, errNoMember
	}
	return p, nil
}

// lastNonZero is the offset after the last byte that is not zero.
func lastNonZero(r io.ReaderAt, size int64) (int64, error) {
	var b [4096]byte
	for end := size; end > 0; {
		n := min(end, int64(len(b)))
		if err := readFullAt(r, b[:n], end-n); err != nil {
			return 0, err
		}
		for ; n > 0; n, end = n-1, end-1 {
			if b[n-1] != 0 {
				return end, nil
			}
		}
	}
	return 0, nil
}

// readFullAt fills p from off.
func readFullAt(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	return noEOF(err)
}
