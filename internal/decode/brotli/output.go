package brotli

// The room beside the window is what is decoded at once; slack is for copies of 16
// bytes that end after what they are for.
const (
	room  = 64 << 10
	slack = 64
	least = 32 << 10 // bytes of a buffer
)

// output is a ring of decoded bytes that holds the window.
//
//	buf   │ given │ decoded │ older … │ slack │
//	      0       r         w         size
//
// It grows with the data up to the window and the room beside it. Once it is full,
// decoding goes on at its beginning; what is overwritten is out of the window.
type output struct {
	buf      []byte
	r, w     int
	size     int // bytes of the ring
	limit    int // the largest size
	farthest int // largest distance, RFC 7932 section 9.1
	full     bool
}

// windowGap is how much less than the window a distance may be.
const windowGap = 16

// reset begins a stream.
func (o *output) reset(window int) {
	o.r, o.w, o.full = 0, 0, false
	o.limit = window + room
	o.farthest = window - windowGap
	o.size = min(o.limit, max(len(o.buf)-slack, 0))
}

// reserve makes room for a byte or more. All has been returned.
func (o *output) reserve() {
	if o.w < o.size {
		return
	}
	if o.size == o.limit {
		o.full = true
		o.r, o.w = 0, 0
		return
	}
	n := max(2*o.size, least)
	if 2*n > o.farthest+windowGap {
		n = o.limit // so that no more than half a window is held beside it
	}
	buf := make([]byte, n+slack)
	copy(buf, o.buf[:o.w])
	o.buf, o.size = buf, n
}

// reach is how far back data may refer.
func (o *output) reach() int {
	if o.full {
		return o.farthest
	}
	return min(o.w, o.farthest)
}

// back is the byte at a distance, 0 before the first.
func (o *output) back(distance int) byte {
	i := o.w - distance
	if i < 0 {
		if !o.full {
			return 0
		}
		i += o.size
	}
	return o.buf[i]
}

// repeat copies up to n bytes from a distance, as far as there is room until end,
// and reports how many.
func (o *output) repeat(distance, n, end int) int {
	n = min(n, end-o.w)
	from := o.w - distance
	if from < 0 {
		from += o.size
	}
	for left := n; left > 0; {
		k := min(left, o.size-from)
		if from < o.w {
			k = min(k, o.w-from)
		}
		copy(o.buf[o.w:o.w+k], o.buf[from:from+k])
		o.w += k
		left -= k
		if from += k; from == o.size {
			from = 0
		}
	}
	return n
}
