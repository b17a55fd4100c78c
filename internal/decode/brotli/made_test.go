package brotli_test

import (
	"math/bits"
	"math/rand/v2"
)

// maker makes streams of random commands, whose data it tells by itself.
type maker struct {
	*bitWriter
	rng             *rand.Rand
	want            []byte
	gap             int    // the farthest distance
	used            [4]int // the last distances, the last one first
	postfix, direct int
}

// made is a stream with a window of 2^window bytes that is of n bytes or some more.
func made(rng *rand.Rand, window int, large bool, n int) (stored, want []byte) {
	m := &maker{bitWriter: new(bitWriter), rng: rng, gap: 1<<window - 16, used: [4]int{4, 11, 15, 16}}
	switch {
	case large:
		m.num(0x11, 8).num(window, 6)
	case window == 16:
		m.num(0, 1)
	case window == 17:
		m.num(1, 7)
	case window > 17:
		m.num(1|(window-17)<<1, 4)
	default:
		m.num(1|(window-8)<<4, 7)
	}
	for len(m.want) < n {
		switch rng.IntN(8) {
		case 0:
			raw := randomBytes(rng, 1+rng.IntN(1<<(1+rng.IntN(17))))
			m.num(0, 1).size(len(raw)).num(1, 1).align()
			m.out, m.want = append(m.out, raw...), append(m.want, raw...)
		case 1:
			m.num(0, 1).num(3, 2).num(0, 1).num(1, 2).num(9, 8).align()
			m.out = append(m.out, "not a part"...)
		default:
			m.commands(1 + rng.IntN(200))
		}
	}
	return m.end().out, m.want
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// size is the length of a meta-block.
func (w *bitWriter) size(n int) *bitWriter {
	digits := max(4, (bits.Len(uint(n-1))+3)/4)
	return w.num(digits-4, 2).num(n-1, 4*digits)
}

// flat begins a code of n symbols whose lengths differ by one at most.
func (w *bitWriter) flat(n int) {
	long := bits.Len(uint(n - 1))
	short := 1<<long - n
	if short == 0 {
		w.complex(map[int]int{long: 1})
		return
	}
	w.complex(map[int]int{long - 1: 1, long: 1})
	for s := range n {
		w.num(min(1, s/short), 1)
	}
}

// symbol is one of a flat code of n.
func (w *bitWriter) symbol(n, s int) *bitWriter {
	long := bits.Len(uint(n - 1))
	if short := 1<<long - n; s < short {
		long--
	} else {
		s += short
	}
	return w.num(int(bits.Reverse16(uint16(s))>>(16-long)), long)
}

// commands makes a meta-block of n commands.
func (m *maker) commands(n int) {
	m.postfix = m.rng.IntN(4)
	direct := m.rng.IntN(16)
	m.direct = direct << m.postfix
	stream, before := m.bitWriter, len(m.want)
	m.bitWriter = new(bitWriter)
	for range n {
		m.command()
	}
	body := m.bitWriter
	m.bitWriter = stream
	m.num(0, 1).size(len(m.want)-before).num(0, 1)
	m.num(0, 3).num(m.postfix, 2).num(direct, 4).num(m.rng.IntN(4), 2).num(0, 2)
	m.flat(256)
	m.flat(ofCommands)
	m.flat(m.distances())
	for i, c := range body.out {
		k := 8
		if i == len(body.out)-1 && body.used > 0 {
			k = body.used
		}
		m.num(int(c), k)
	}
}

// distances is how many symbols of distances are used.
func (m *maker) distances() int { return 16 + m.direct + 48<<m.postfix }

// command makes one: literals, and a copy from some distance.
func (m *maker) command() {
	insertBits := []int{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 24}
	copyBits := []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24}
	cells := [3][3]int{{2, 3, 6}, {4, 5, 8}, {7, 9, 10}}
	i, c := m.rng.IntN(10), m.rng.IntN(24)
	if len(m.want) == 0 || m.rng.IntN(16) == 0 {
		i = 1 + m.rng.IntN(20)
	}
	value := func(base int, all []int, code int) (v, extra, k int) {
		for _, n := range all[:code] {
			base += 1 << n
		}
		k = all[code]
		extra = m.rng.IntN(1 << min(k, 13))
		return base + extra, extra, k
	}
	insert, insertExtra, insertK := value(0, insertBits, i)
	copied, copyExtra, copyK := value(2, copyBits, c)
	m.symbol(ofCommands, cells[i>>3][c>>3]<<6|i&7<<3|c&7).num(insertExtra, insertK).num(copyExtra, copyK)
	for _, b := range randomBytes(m.rng, insert) {
		m.symbol(256, int(b))
		m.want = append(m.want, b)
	}
	d := m.distance(min(len(m.want), m.gap))
	for range copied {
		m.want = append(m.want, m.want[len(m.want)-d])
	}
}

// distance makes one of at most reach.
func (m *maker) distance(reach int) int {
	near := [16][2]int{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, -1}, {0, 1}, {0, -2}, {0, 2}, {0, -3}, {0, 3}, {1, -1}, {1, 1}, {1, -2}, {1, 2}, {1, -3}, {1, 3}}
	s := m.rng.IntN(16)
	d := m.used[near[s][0]] + near[s][1]
	extra, k := 0, 0
	if d < 1 || d > reach || m.rng.IntN(4) > 0 {
		switch m.rng.IntN(3) {
		case 0:
			d = 1 + m.rng.IntN(min(reach, 40))
		case 1:
			d = 1 + m.rng.IntN(reach)
		case 2:
			d = reach - m.rng.IntN(min(reach, 3))
		}
		if s = 15 + d; d > m.direct {
			v := d - m.direct - 1
			low := v & (1<<m.postfix - 1)
			v = v>>m.postfix + 4
			k = bits.Len(uint(v)) - 2
			s = 16 + m.direct + (2*(k-1)+v>>k&1)<<m.postfix + low
			extra = v & (1<<k - 1)
		}
	}
	m.symbol(m.distances(), s).num(extra, k)
	if s > 0 {
		m.used = [4]int{d, m.used[0], m.used[1], m.used[2]}
	}
	return d
}
