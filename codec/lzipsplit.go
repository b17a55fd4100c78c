package codec

import (
	"encoding/binary"
	"io"
	"iter"
	"math"

	"github.com/thaw-go/thaw/internal/backward"
)

// lzipSplit lists members, found from the end by the sizes in their trailers.
// Zeros behind the last one belong to it. An object that members of version 1 do
// not fill is one unit. Memory does not follow the number of members.
func lzipSplit(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		if size == 0 {
			return
		}
		h := headersOf(r, size)
		last, err := lastNonZero(h, size)
		// The last trailer ends with the high bytes of a size, at most seven of
		// them zero; other zeros are padding.
		for end := min(size, last+7); err == nil && end >= last && end > 0; end-- {
			err = backward.Ascending(0, end, func(end int64) (Unit, int64, error) {
				u, err := lzipMember(h, end)
				return u, u.Offset, err
			}, func(u Unit) bool {
				if u.Offset+u.Size == end {
					u.Size += size - end
				}
				return yield(u, nil)
			})
			if err == nil {
				return
			}
			if err == errNoMember {
				err = nil
			}
		}
		if err != nil {
			yield(Unit{}, &Error{Codec: "lzip", Err: err})
			return
		}
		yield(Unit{Size: size, Decoded: -1}, nil)
	}
}

// lzipMember is the member of version 1 that ends at end; errNoMember if there is
// none.
func lzipMember(r io.ReaderAt, end int64) (Unit, error) {
	var b [16]byte
	if end < lzipHeaderSize+lzipTrailer1 {
		return Unit{}, errNoMember
	}
	if err := readFullAt(r, b[:], end-16); err != nil {
		return Unit{}, err
	}
	decoded, member := binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
	if member < lzipHeaderSize+lzipTrailer1 || member > uint64(end) || decoded > math.MaxInt64 {
		return Unit{}, errNoMember
	}
	u := Unit{Offset: end - int64(member), Size: int64(member), Decoded: int64(decoded)}
	if err := readFullAt(r, b[:lzipHeaderSize], u.Offset); err != nil {
		return Unit{}, err
	}
	if string(b[:5]) != lzipMagic+"\x01" {
		return Unit{}, errNoMember
	}
	return u, nil
}

// lastNonZero is the offset behind the last byte that is not zero.
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
