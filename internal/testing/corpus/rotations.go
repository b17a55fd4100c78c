package corpus

// rotate sorts all rotations of block and returns their last bytes and the place
// of block itself. It sorts by the first 1, 2, 4, … bytes: by class of the second
// half, then by that of the first.
func rotate(block []byte) (last []byte, origin int) {
	n := len(block)
	rows, class := make([]int32, n), make([]int32, n)
	next, nextClass := make([]int32, n), make([]int32, n)
	for i, b := range block {
		next[i], class[i] = int32(i), int32(b)
	}
	classes := 256
	for half := 0; half < n; half = max(1, half*2) {
		for i, row := range rows {
			if half > 0 {
				next[i] = int32((int(row) - half + n) % n)
			}
		}
		starts := make([]int32, max(classes, 256)+1)
		for _, c := range class {
			starts[c+1]++
		}
		for c := 1; c < len(starts); c++ {
			starts[c] += starts[c-1]
		}
		for _, row := range next {
			c := class[row]
			rows[starts[c]] = row
			starts[c]++
		}
		classes = 0
		for i, row := range rows {
			if i > 0 {
				prev := rows[i-1]
				if class[row] != class[prev] ||
					half > 0 && class[(int(row)+half)%n] != class[(int(prev)+half)%n] {
					classes++
				}
			}
			nextClass[row] = int32(classes)
		}
		classes++
		class, nextClass = nextClass, class
		if classes == n {
			break
		}
	}
	last = make([]byte, n)
	for i, row := range rows {
		last[i] = block[(int(row)+n-1)%n]
		if row == 0 {
			origin = i
		}
	}
	return last, origin
}
