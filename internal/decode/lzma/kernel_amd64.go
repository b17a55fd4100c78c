//go:build !purego && !noasm

package lzma

// kernel decodes symbols as symbols does, until limit or last, or after a match
// that it leaves to the caller. It returns how many bytes of src it took, the
// position reached, and the length of the match left, 0 for none. prev is the
// last byte.
//
//go:noescape
func kernel(c *coder, src *byte, last, limit, end, prev int) (used, out, n int)

// symbols decodes while a symbol begins before limit, in window positions, and at
// or before last, in src. src must have an input from last on, and limit must be
// at most the ring's size. A match is cut at end. It returns how many bytes of
// src it took.
func (c *coder) symbols(src []byte, last, limit, end int) (int, status) {
	_ = src[last:][:len(input{})]
	if c.pos >= limit {
		return 0, running
	}
	end = min(end, c.size+maxMatch)
	used := 0
	for {
		took, out, n := kernel(c, &src[used], last-used, limit, end, int(c.window.last()))
		used += took
		c.advance(out)
		if n == 0 {
			return used, running
		}
		if st := c.match(n, end); st != running || used > last {
			return used, st
		}
	}
}

// match appends a match of length n at the last distance, which ends at end at the
// latest.
func (c *coder) match(n, end int) status {
	dist, st := c.reps[0], running
	switch {
	case dist == 1<<32-1:
		c.marker = n
		return endMarker
	case int64(dist) >= int64(c.full):
		return corrupt
	case n > end-c.pos:
		n, st = end-c.pos, overlong
	}
	repeat(c.buf, c.size, c.pos, int(dist)+1, n)
	c.advance(c.pos + n)
	return st
}
