package codec

import "fmt"

// disguised skips a chunk whose type is that of data but for its highest bit. If
// what it holds is data with the right checksum, that bit is damage: skipping it
// would lose data silently.
//
// A few stored bytes may stand for megabytes to be decoded for the checksum, and
// none of them come out. So a chunk is decoded only if its elements add up to the
// length that it states, and all such chunks may cost disguisedFloor and
// disguisedRate for each stored byte. A stream beyond that is ErrLimit: it cannot
// be told whether data is missing from it.
func (f *snappyFramed) disguised() error {
	if f.size < 4 || int64(f.size) > snappyEncoded(f.max)+4 {
		return skip(f.in, int64(f.size))
	}
	src, err := f.stored.read(f.in, f.size)
	if err != nil {
		return err
	}
	kind := f.kind &^ chunkSkippable
	length := int64(len(src)) - 4
	if kind == chunkCompressed {
		var whole bool
		if length, whole = f.wholeBlock(src[4:]); !whole {
			return nil
		}
		f.checked += length
	}
	switch allowed := disguisedFloor + disguisedRate*f.in.Offset(); {
	case length > f.max:
		return nil
	case length > f.limit:
		return &LimitError{What: "chunk", Needed: length, Allowed: f.limit}
	case f.checked > allowed:
		return &LimitError{What: "skippable chunks that read as data", Needed: f.checked, Allowed: allowed}
	}
	verify := f.verify
	f.verify = true
	_, err = f.data(nil, kind, src)
	f.verify, f.rest = verify, nil
	if err == nil {
		return fmt.Errorf("%w: data in a chunk of type %#02x", ErrCorrupt, f.kind)
	}
	return nil
}

const (
	disguisedFloor = s2ChunkMax // of one chunk, whatever it is stored in
	disguisedRate  = 16
)

// wholeBlock reports whether b is a block whose elements add up to the length that
// it states. It decodes nothing.
func (f *snappyFramed) wholeBlock(b []byte) (length int64, whole bool) {
	length, n, err := snappyHeader(b)
	if err != nil || n == 0 || length > f.max {
		return 0, false
	}
	elements := snappyElements
	if f.max != snappyChunkMax {
		elements = s2Elements
	}
	r := elements(b[n:])
	return length, !r.bad && !r.torn && r.decoded == length
}

// s2Elements is snappyElements for a block of S2, where a copy of one byte with
// offset 0 repeats the last offset, with a longer length.
func s2Elements(b []byte) (r snappyRun) {
	last := int64(0)
	for len(b) > 0 {
		n, offset, size := snappyElement(b)
		if n == 2 && b[0]&3 == 1 && offset == noOffset {
			offset = last
			more := max(0, int(b[0]>>2&7)-4) // bytes of length
			if n += more; more > 0 && n <= len(b) {
				size = 4 + [4]int64{1: 4, 2: 1 << 8, 3: 1 << 16}[more]
				for i, c := range b[2:n] {
					size += int64(c) << (8 * i)
				}
			}
			if n > len(b) {
				n = 0
			}
			if offset == 0 {
				offset = noOffset
			}
		}
		switch {
		case n == 0:
			r.torn = true
			return r
		case offset > r.decoded:
			r.bad = true
			return r
		}
		b = b[n:]
		if offset == 0 {
			r.torn = size > int64(len(b))
			size = min(size, int64(len(b)))
			b = b[size:]
		} else {
			last = offset
		}
		r.decoded += size
	}
	return r
}
