package brotli

import "bytes"

// codes reads what comes before the commands of a meta-block: the headers of its
// blocks, its contexts and its codes, RFC 7932 section 9.2.
func (d *decoder) codes() error {
	b := &d.bits
	for _, k := range [3]*blocks{&d.literals, &d.commands, &d.far} {
		if err := k.begin(b, &d.prefix); err != nil {
			return err
		}
	}
	postfix := uint(b.take(2))
	d.dist.begin(postfix, uint(b.take(4))<<postfix, d.large)
	d.modes = d.modes[:0]
	for range d.literals.types {
		d.modes = append(d.modes, uint8(b.take(2)))
	}
	var literals, far int
	var err error
	if d.literalMap, literals, err = d.contextMap(d.literalMap, d.literals.types<<6); err != nil {
		return err
	}
	if d.farMap, far, err = d.contextMap(d.farMap, d.far.types<<2); err != nil {
		return err
	}
	if d.literalTabs, err = d.tables(d.literalTabs, literals, 256, 256); err != nil {
		return err
	}
	d.literalAt = mapped(d.literalAt, d.literalMap, d.starts)
	d.plain = d.plain[:0]
	for i := range d.literals.types {
		d.plain = append(d.plain, allEqual(d.literalMap[i<<6:][:64]))
	}
	if d.commandTabs, err = d.tables(d.commandTabs, d.commands.types, maxCommands, maxCommands); err != nil {
		return err
	}
	d.commandAt = append(d.commandAt[:0], d.starts...)
	if d.farTabs, err = d.tables(d.farTabs, far, d.dist.size, d.dist.limit); err != nil {
		return err
	}
	d.farAt = mapped(d.farAt, d.farMap, d.starts)
	d.step = atCommand
	return b.err
}

// tables reads n codes. Where their tables begin is in d.starts.
func (d *decoder) tables(to []entry, n, size, limit int) (_ []entry, err error) {
	to = to[:0]
	d.starts = d.starts[:0]
	for range n {
		d.starts = append(d.starts, uint32(len(to)))
		if to, err = d.prefix.read(&d.bits, to, size, limit); err != nil {
			return to, err
		}
	}
	return to, d.bits.err
}

// mapped is where the tables begin that m names.
func mapped(to []uint32, m []uint8, starts []uint32) []uint32 {
	if cap(to) < len(m) {
		to = make([]uint32, len(m))
	}
	to = to[:len(m)]
	if allEqual(m) {
		repeat(to, starts[m[0]])
		return to
	}
	var at [maxTrees]uint32
	copy(at[:], starts)
	for i, tree := range m {
		to[i] = at[tree]
	}
	return to
}

func allEqual(b []uint8) bool { return bytes.Equal(b[1:], b[:len(b)-1]) }
