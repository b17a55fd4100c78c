package codec

import (
	"encoding/binary"
	"io"
	"iter"
	"math"
	"slices"
)

// lzipSplit lists members, found from the end by the sizes in their trailers.
// Zeros behind the last one belong to it. An object that members of version 1 do
// not fill is one unit.
func lzipSplit(r io.ReaderAt, size int64) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		units, err := lzipMembers(r, size)
		if err != nil {
			yield(Unit{}, &Error{Codec: "lzip", Err: err})
			return
		}
		for _, u := range units {
			if !yield(u, nil) {
				return
			}
		}
	}
}

func lzipMembers(r io.ReaderAt, size int64) ([]Unit, error) {
	last, err := lastNonZero(r, size)
	if err != nil || size == 0 {
		return nil, err
	}
	// The last trailer ends with the high bytes of a size, at most seven of
	// them zero; other zeros are padding.
	for end := min(size, last+7); end >= last && end > 0; end-- {
		units, err := lzipTile(r, end)
		if err != nil {
			return nil, err
		}
		if units != nil {
			units[len(units)-1].Size += size - end
			return units, nil
		}
	}
	return []Unit{{Size: size, Decoded: -1}}, nil
}

// lzipTile lists the members of version 1 that fill r up to end; nil if they do
// not.
func lzipTile(r io.ReaderAt, end int64) ([]Unit, error) {
	var units []Unit
	for end > 0 {
		var b [16]byte
		if end < lzipHeaderSize+lzipTrailer1 {
			return nil, nil
		}
		if err := readFullAt(r, b[:], end-16); err != nil {
			return nil, err
		}
		decoded, member := binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
		if member < lzipHeaderSize+lzipTrailer1 || member > uint64(end) || decoded > math.MaxInt64 {
			return nil, nil
		}
		end -= int64(member)
		if err := readFullAt(r, b[:lzipHeaderSize], end); err != nil {
			return nil, err
		}
		if string(b[:5]) != lzipMagic+"\x01" {
			return nil, nil
		}
		units = append(units, Unit{Offset: end, Size: int64(member), Decoded: int64(decoded)})
	}
	slices.Reverse(units)
	return units, nil
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
