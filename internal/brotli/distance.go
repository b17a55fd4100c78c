package brotli

const (
	shortDistances = 16                                 // symbols for distances used before and near to them
	maxAlphabet    = shortDistances + 15<<3 + 62<<(3+1) // distances of a large window
	maxDistance    = 1<<31 - 4                          // the largest that a symbol may stand for
	maxWindowBits  = 24                                 // of RFC 7932
)

// distanceCode is what a symbol stands for: a base and bits above the postfix.
type distanceCode struct {
	base uint32
	bits uint8
}

// distances are the symbols of distances, RFC 7932 section 4.
type distances struct {
	postfix, direct uint // of the table
	large           bool
	size, limit     int                   // of the alphabet: by its definition, and of those allowed
	of              [1 << 11]distanceCode // room for any index of eleven bits
	used            [4]int                // the last ones, the latest first
}

// begin makes the table for such parameters, if it is not there yet.
func (t *distances) begin(postfix, direct uint, large bool) {
	if t.limit > 0 && postfix == t.postfix && direct == t.direct && large == t.large {
		return
	}
	t.postfix, t.direct, t.large = postfix, direct, large
	bits := 24
	if large {
		bits = 62
	}
	t.size = shortDistances + int(direct) + bits<<(postfix+1)
	s := shortDistances
	for i := range direct {
		t.of[s] = distanceCode{base: uint32(i) + 1}
		s++
	}
	for s < t.size {
		group := uint(s-shortDistances-int(direct)) >> postfix
		n := 1 + group>>1
		first := uint64(2+group&1)<<n - 4
		last := (first+1<<n)<<postfix + uint64(direct)
		if last > maxDistance {
			break
		}
		for i := range uint64(1) << postfix {
			t.of[s] = distanceCode{uint32(first<<postfix + i + uint64(direct) + 1), uint8(n)}
			s++
		}
	}
	t.limit = s
}

// short is the distance of one of the first symbols. It is 0 or less if there is
// none.
func (t *distances) short(s int) int {
	switch {
	case s < 4:
		return t.used[s]
	case s < 10:
		return t.used[0] + int(nearby[s-4])
	}
	return t.used[1] + int(nearby[s-10])
}

var nearby = [6]int8{-1, 1, -2, 2, -3, 3}

// use makes d the last distance used.
func (t *distances) use(d int) { t.used = [4]int{d, t.used[0], t.used[1], t.used[2]} }
