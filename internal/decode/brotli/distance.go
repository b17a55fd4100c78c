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

// distanceAlphabet is what the symbols of distances stand for, RFC 7932 section 4.
type distanceAlphabet struct {
	postfix, direct uint // of the table
	large           bool
	size, limit     int                   // of the alphabet: by its definition, and of those allowed
	of              [1 << 11]distanceCode // room for any index of eleven bits
	used            [4]int                // the last ones, a ring
	next            uint                  // where in it the next one goes
}

// begin makes the table for such parameters, if it is not there yet.
func (t *distanceAlphabet) begin(postfix, direct uint, large bool) {
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

// reset begins a stream: the last distances are 4, 11, 15 and 16.
func (t *distanceAlphabet) reset() { t.used, t.next = [4]int{16, 15, 11, 4}, 0 }

// short is the distance of one of the first symbols. It is 0 or less if there is
// none.
func (t *distanceAlphabet) short(s int) int {
	n := nearby[s&(shortDistances-1)]
	return t.used[(t.next-uint(n.back))&3] + int(n.more)
}

// use makes d the last distance used.
func (t *distanceAlphabet) use(d int) {
	t.used[t.next&3] = d
	t.next++
}

// nearby says what the first symbols stand for: how many distances back, and how much
// more than that.
var nearby = [shortDistances]struct {
	back uint8
	more int8
}{{1, 0}, {2, 0}, {3, 0}, {4, 0},
	{1, -1}, {1, 1}, {1, -2}, {1, 2}, {1, -3}, {1, 3},
	{2, -1}, {2, 1}, {2, -2}, {2, 2}, {2, -3}, {2, 3}}
