package codec

// snappyElement reads the tag that b begins with: n bytes, 0 if they are not all
// there. offset is 0 for a literal, whose size bytes follow, and larger than any
// block for a copy from nowhere.
func snappyElement(b []byte) (n int, offset, size int64) {
	tag := b[0]
	size = int64(tag>>2) + 1
	switch tag & 3 {
	case 0:
		if n = 1; size > 60 {
			n += int(size - 60)
		}
	case 1:
		n = 2
		size = int64(tag>>2&7) + 4
	case 2:
		n = 3
	case 3:
		n = 5
	}
	if len(b) < n {
		return 0, 0, 0
	}
	var v int64
	for i, c := range b[1:n] {
		v |= int64(c) << (8 * i)
	}
	switch {
	case tag&3 == 0:
		if n > 1 {
			size = v + 1
		}
		return n, 0, size
	case tag&3 == 1:
		v |= int64(tag>>5) << 8
	}
	if v == 0 {
		v = noOffset
	}
	return n, v, size
}

// noOffset is the offset of a copy from nowhere.
const noOffset = 1 << 62

// snappyRun is what the elements of a Snappy block add up to.
type snappyRun struct {
	decoded int64 // bytes that they stand for, a torn literal by what is there
	torn    bool  // the last element is not all there
	bad     bool  // a copy reaches before the start
}

// snappyElements reads the elements of a block after its length, without decoding
// them.
func snappyElements(b []byte) (r snappyRun) {
	for len(b) > 0 {
		n, offset, size := snappyElement(b)
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
		}
		r.decoded += size
	}
	return r
}
