package brotli

import "bytes"

// codes reads what comes before the commands of a meta-block: the headers of its
// blocks, its contexts and its codes, RFC 7932 section 9.2.
func (d *decoder) codes() error {
	b := &d.bits
	for _, k := range [3]*blocks{&d.literals.blocks, &d.commands.blocks, &d.distances.blocks} {
		if err := k.begin(b, &d.prefix); err != nil {
			return err
		}
	}
	postfix := uint(b.take(2))
	d.alphabet.begin(postfix, uint(b.take(4))<<postfix, d.large)
	d.modes = d.modes[:0]
	for range d.literals.types {
		d.modes = append(d.modes, uint8(b.take(2)))
	}
	var literals, distances int
	var err error
	if d.literals.contextMap, literals, err = d.contextMap(d.literals.contextMap, d.literals.types<<6); err != nil {
		return err
	}
	if d.distances.contextMap, distances, err = d.contextMap(d.distances.contextMap, d.distances.types<<2); err != nil {
		return err
	}
	if d.literals.tables, err = d.tables(d.literals.tables, literals, 256, 256); err != nil {
		return err
	}
	d.literals.tableAt = mapped(d.literals.tableAt, d.literals.contextMap, d.starts)
	d.oneTable = d.oneTable[:0]
	for i := range d.literals.types {
		d.oneTable = append(d.oneTable, allEqual(d.literals.contextMap[i<<6:][:64]))
	}
	if d.commands.tables, err = d.tables(d.commands.tables, d.commands.types, maxCommands, maxCommands); err != nil {
		return err
	}
	d.commands.tableAt = append(d.commands.tableAt[:0], d.starts...)
	if d.distances.tables, err = d.tables(d.distances.tables, distances, d.alphabet.size, d.alphabet.limit); err != nil {
		return err
	}
	d.distances.tableAt = mapped(d.distances.tableAt, d.distances.contextMap, d.starts)
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
