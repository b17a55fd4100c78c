package zstd

// output is a buffer of decoded bytes that holds the window.
//
//	buf   │ given │ decoded │ room … slack │
//	      0       r         w
//
// It grows with the data up to the window, two blocks and the slack. While data moves
// to a larger buffer both are held, so the last step is from a 64th and two blocks at
// most. Once it is full, decoding goes on at its beginning, and what it held is old:
// the window is then the end of old and buf[:w]. Old bytes are overwritten only when
// they are out of the window.
type output struct {
	buf    []byte
	r, w   int
	window int
	limit  int    // the largest buffer for it
	old    []byte // what lies before buf[0]: a dictionary, or the buffer before it was full
	full   bool   // old is the buffer
}

// reset begins a frame. old is the content of its dictionary. A buffer that a smaller
// window left is let go where moving from it would take more than is stated above:
// as much data must come before there is one of that size again.
func (o *output) reset(window int, old []byte) {
	o.r, o.w, o.old, o.full = 0, 0, old, false
	o.bound(window)
	if n := len(o.buf); n > o.limit/64+2*blockLimit && n < o.limit {
		o.buf = nil
	}
}

// bound states the window, or a smaller one once less data than that is known to come.
func (o *output) bound(window int) {
	o.window, o.limit = window, window+2*blockLimit+slack
}

// reserve makes room for a block of n bytes and the slack. All has been returned.
func (o *output) reserve(n int) {
	if len(o.buf)-o.w >= n+slack {
		return
	}
	if len(o.buf) >= o.limit {
		o.old, o.full = o.buf[:o.w], true
		o.r, o.w = 0, 0
		return
	}
	given := o.buf[:o.w]
	size := max(2*len(o.buf), o.w+n+slack)
	switch {
	case o.w == 0:
		o.buf = nil // before more is held
	case o.w+n+slack > o.limit:
		// A buffer of an earlier frame is a little too small for this one: what
		// lies before the window is left out.
		given = given[o.w-o.window:]
		o.old = nil
	}
	if size > o.limit || o.w > o.limit/128 {
		size = o.limit
	}
	buf := make([]byte, size)
	o.w = copy(buf, given)
	o.buf, o.r = buf, o.w
}

// reach is how far back from w data may refer. A dictionary counts until the
// window is full.
func (o *output) reach(w int) int {
	if o.full || w > o.window {
		return o.window
	}
	return w + len(o.old)
}

// append adds literals, at most room bytes.
func (o *output) append(lit []byte, room int) error {
	if len(lit) > room {
		return errBlockSize
	}
	o.w += copy(o.buf[o.w:], lit)
	return nil
}
