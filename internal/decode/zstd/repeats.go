package zstd

// repeats are the repeated offsets and, as the last, one less than the first: what a
// sequence may say by 0 to 3.
type repeats [4]uint64

func repeatsOf(a, b, c uint64) repeats { return repeats{a, b, c, a - 1} }

// add makes a new offset the first.
func (r *repeats) add(offset uint64) { *r = repeatsOf(offset, r[0], r[1]) }

// use makes the offset at index the first.
func (r *repeats) use(index uint64) {
	switch index {
	case 1:
		*r = repeatsOf(r[1], r[0], r[2])
	case 2, 3:
		*r = repeatsOf(r[index], r[0], r[1])
	}
}
