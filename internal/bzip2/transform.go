package bzip2

// undo inverts the Burrows-Wheeler transform of z.block in place. origin is the
// row of the original among the sorted rotations; z.counts counts the bytes.
//
// The byte at place i of the transform is the last of row i. The row that begins
// with this very byte is found by order alone: rows sorted by their first byte
// keep, among equals, the order of their last ones. Going there again and again
// gives the original from its end, and the row of the start once all is done. It
// returns false if another row is reached: no original has this transform.
func (z *Reader) undo(origin int) bool {
	block, n := z.block, len(z.block)
	if cap(z.links) < n {
		z.links = make([]uint32, min(max(n, 2*cap(z.links)), 9*levelBytes))
	}
	links := z.links[:n]
	first := uint32(0)
	for c := range z.counts {
		count := z.counts[c]
		z.counts[c] = first<<8 | uint32(c)
		first += count
	}
	for i, c := range block {
		links[i] = z.counts[c]
		z.counts[c] += 1 << 8
	}
	row := uint32(origin)
	for i := n - 1; i >= 0; i-- {
		link := links[row]
		block[i] = byte(link)
		row = link >> 8
	}
	return row == uint32(origin)
}
