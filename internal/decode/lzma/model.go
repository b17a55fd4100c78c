package lzma

const (
	probBits  = 11
	probInit  = 1 << probBits / 2
	probShift = 5 // how fast a probability follows what it sees

	states    = 12
	maxPosBit = 4

	// literalSize is how many probabilities one literal context has: 0x100 for
	// a literal after a literal, 0x200 for one after a match.
	literalSize = 0x300
)

// Props are the parameters of the model: how many high bits of the previous
// byte (LC) and low bits of the position (LP) choose a literal's context, and how
// many low bits of the position (PB) choose that of everything else.
type Props struct{ LC, LP, PB uint8 }

// ParseProps unpacks the properties byte of .lzma and LZMA2.
func ParseProps(b byte) (Props, bool) {
	if b >= 9*5*5 {
		return Props{}, false
	}
	return Props{LC: b % 9, LP: b / 9 % 5, PB: b / 45}, true
}

// Memory is what a decoder with these parameters takes besides its window, in
// bytes.
func (p Props) Memory() int64 { return 2*literalSize<<(p.LC+p.LP) + 32<<10 }

// lengthModel has the probabilities of a length: 2–9, 10–17 or 18–273.
type lengthModel struct {
	choice [2]uint16
	low    [1 << maxPosBit][8]uint16
	mid    [1 << maxPosBit][8]uint16
	high   [256]uint16
}

// flagModel has the probabilities of what kind of symbol comes.
type flagModel struct {
	match   [states << maxPosBit]uint16 // literal or match
	rep     [states]uint16              // new or repeated distance
	rep0    [states]uint16              // the last distance or an older one
	rep1    [states]uint16
	rep2    [states]uint16
	repLong [states << maxPosBit]uint16 // one byte or more at the last distance
}

// distanceModel has the probabilities of a new distance. slot gives its length in
// bits and the two highest ones, by match length; near the rest of slots 4 to 13,
// as one tree each, one after another; align the low four bits of the others.
type distanceModel struct {
	slot  [4][64]uint16
	near  [128]uint16
	align [16]uint16
}

// model is all that the decoder learns.
type model struct {
	flags    flagModel
	dist     distanceModel
	lenMatch lengthModel
	lenRep   lengthModel
	literal  []uint16
	Props
}

// reset forgets all that was learnt and takes the parameters of p.
func (m *model) reset(p Props) {
	n := literalSize << (p.LC + p.LP)
	if cap(m.literal) < n {
		m.literal = make([]uint16, n)
	}
	m.Props, m.literal = p, m.literal[:n]
	fill(m.literal)
	m.flags.reset()
	m.dist.reset()
	m.lenMatch.reset()
	m.lenRep.reset()
}

func (f *flagModel) reset() {
	fill(f.match[:])
	fill(f.rep[:])
	fill(f.rep0[:])
	fill(f.rep1[:])
	fill(f.rep2[:])
	fill(f.repLong[:])
}

func (d *distanceModel) reset() {
	for i := range d.slot {
		fill(d.slot[i][:])
	}
	fill(d.near[:])
	fill(d.align[:])
}

func (l *lengthModel) reset() {
	fill(l.choice[:])
	for i := range l.low {
		fill(l.low[i][:])
		fill(l.mid[i][:])
	}
	fill(l.high[:])
}

// fill forgets probabilities, by copies of ever more of them: a chunk of a dozen
// bytes may have it done to all of a model.
func fill(p []uint16) {
	n := min(len(p), len(initial))
	copy(p, initial[:n])
	for n < len(p) {
		n += copy(p[n:], p[:n])
	}
}

// initial is what a model begins with. It is never written.
var initial = func() (p [512]uint16) {
	for i := range p {
		p[i] = probInit
	}
	return p
}()
