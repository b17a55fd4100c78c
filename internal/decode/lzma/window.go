package lzma

const (
	// minDict is the smallest dictionary: smaller sizes stand for it.
	minDict = 4 << 10

	// minRing is the least size of the ring once it has grown, so that small
	// dictionaries do not make small steps.
	minRing = 64 << 10

	// maxMatch is the length of the longest match.
	maxMatch = 273

	// copyStep is how many bytes a wide copy moves at a time: no distance may be
	// shorter.
	copyStep = 16

	// copySlack is more than a wide copy writes past its end. The kernel takes
	// two steps in one, then six.
	copySlack = 6 * copyStep

	// ringTail is the room after the ring for the symbol that crosses its end.
	ringTail = maxMatch + copySlack
)

// window is the history of decoded bytes and the queue of those not yet returned.
//
// It is a ring of size bytes followed by a tail. A symbol that begins inside the
// ring may end in the tail; wrap moves the tail to the front. The ring is larger
// than the dictionary by at least copySlack, so that what a wide copy spoils
// after pos is never within reach.
//
//	     rd        pos           size     len(buf)
//	------|---------|--------------|----------|
//	given   decoded   older history    tail
type window struct {
	buf  []byte
	size int // of the ring now
	ring int // that size may grow to
	dict int // largest distance
	rd   int // next byte to return
	pos  int // next byte to decode
	full int // bytes of history since the last reset, at most dict
	// turn is what, added to pos, gives the bytes since the last reset modulo
	// 2^32: literal and position contexts depend on its low bits.
	turn uint32
}

// init begins again with a dictionary of dict bytes. A buffer at hand is kept.
func (w *window) init(dict int64) {
	w.dict = int(max(dict, minDict))
	w.ring = max(w.dict+copySlack, minRing)
	w.size = min(max(len(w.buf)-ringTail, 0), w.ring)
	w.rd, w.pos, w.full, w.turn = 0, 0, 0, 0
}

// reset forgets the history. Bytes not yet returned stay.
func (w *window) reset() {
	if w.rd == w.pos {
		w.rd, w.pos = 0, 0
	}
	w.full = 0
	w.turn = uint32(-w.pos)
}

// unread is how many decoded bytes were not returned.
func (w *window) unread() int { return w.pos - w.rd }

// read returns decoded bytes.
func (w *window) read(p []byte) int {
	n := copy(p, w.buf[w.rd:w.pos])
	w.rd += n
	return n
}

// room makes pos < size. Every decoded byte must have been returned.
func (w *window) room() {
	switch {
	case w.pos < w.size:
	case w.size < w.ring:
		w.grow()
	default:
		n := copy(w.buf, w.buf[w.size:w.pos])
		w.turn += uint32(w.size)
		w.rd, w.pos = n, n
	}
}

// grow enlarges the ring to four times the data seen, eight times where that is
// all it may have: new memory costs more than what is copied.
func (w *window) grow() {
	size := min(max(4*w.size, minRing), w.ring)
	if size >= w.ring/2 {
		size = w.ring
	}
	if size+ringTail > len(w.buf) {
		buf := make([]byte, size+ringTail)
		copy(buf, w.buf[:w.pos])
		w.buf = buf
	}
	w.size = size
}

// advance records that decoding went on to pos.
func (w *window) advance(pos int) {
	w.full = min(w.full+pos-w.pos, w.dict)
	w.pos = pos
}

// last is the byte before pos; 0 without history.
func (w *window) last() byte {
	switch {
	case w.full == 0:
		return 0
	case w.pos == 0:
		return w.buf[w.size-1]
	}
	return w.buf[w.pos-1]
}

// repeat copies n bytes from dist back to pos at any place of the ring. The
// bytes may overlap and the source may run over the end of the ring.
func repeat(buf []byte, size, pos, dist, n int) {
	src := pos - dist
	if src < 0 {
		src += size
		if k := size - src; n > k {
			copy(buf[pos:pos+k], buf[src:size])
			pos, n, src = pos+k, n-k, 0
		}
	}
	if src+n <= pos || src > pos {
		copy(buf[pos:pos+n], buf[src:src+n])
		return
	}
	// The bytes overlap: what is written doubles the period each time.
	for n > 0 {
		k := copy(buf[pos:pos+n], buf[src:pos])
		pos, n = pos+k, n-k
	}
}
