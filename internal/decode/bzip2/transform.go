package bzip2

// inverseBWT inverts the Burrows-Wheeler transform of z.block in place. origin is the
// row of the original among the sorted rotations; z.counts counts the bytes.
//
// The byte at place i of the transform is the last of row i. The row that begins
// with this very byte is found by order alone: rows sorted by their first byte
// keep, among equals, the order of their last ones. Going there again and again
// gives the original from its end; going the other way gives it from its start.
// Each step waits for memory, so both are gone at once, to the middle. Unless
// they meet in one row, no original has this transform, and inverseBWT returns false.
func (z *Reader) inverseBWT(origin int) bool {
	block, n := z.block, len(z.block)
	if cap(z.links) < 2*n {
		z.links = make([]uint32, min(max(2*n, 2*cap(z.links)), 2*9*levelBytes))
	}
	before, after := z.links[:n], z.links[n:2*n]
	first := uint32(0)
	for c := range z.counts {
		count := z.counts[c]
		z.counts[c] = first
		first += count
	}
	for i, c := range block {
		row := z.counts[c]
		z.counts[c] = row + 1
		before[i] = row<<8 | uint32(c)
		after[row] = uint32(i)<<8 | uint32(c)
	}
	front, back := uint32(origin), uint32(origin)
	i, j := 0, n-1
	for ; i < j; i, j = i+1, j-1 {
		a, b := after[front], before[back]
		block[i], block[j] = byte(a), byte(b)
		front, back = a>>8, b>>8
	}
	if i == j {
		link := before[back]
		block[j] = byte(link)
		back = link >> 8
	}
	return front == back
}
