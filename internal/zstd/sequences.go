package zstd

// Modes of a table of sequences, RFC 8878 section 3.1.1.3.2.1.
const (
	modePredefined = iota
	modeRLE
	modeFSE
	modeRepeat
)

// sequence is literals to copy and a match that follows them.
type sequence struct{ literals, match, offset uint32 }

// batch is how many sequences are decoded before they are executed.
const batch = 256

// sequences decodes the section b, up to the end of its block, and executes it to
// the output. All literals are used.
func (d *decoder) sequences(b []byte) error {
	n, used, err := sequenceCount(b)
	if err != nil {
		return err
	}
	b = b[used:]
	if n == 0 {
		if len(b) > 0 {
			return corrupt("bytes behind a section of no sequences")
		}
		return d.out.append(d.lit, d.blockMax)
	}
	if used, err = d.tables(b); err != nil {
		return err
	}
	s := &d.bits
	if err := s.start(b[used:], &d.coding); err != nil {
		return err
	}
	x := execution{lit: viewOf(d.lit[:len(d.lit)+slack]), room: d.blockMax, left: len(d.lit)}
	for n > 0 {
		seqs := d.seqs[:min(n, batch)]
		n -= len(seqs)
		literals, matches, err := s.decode(seqs, &d.coding, n == 0)
		if err != nil {
			return err
		}
		if literals > x.left {
			return corrupt("sequences of more literals than there are")
		}
		if literals+matches > x.room {
			return errBlockSize
		}
		x.left -= literals
		x.room -= literals + matches
		if err := d.out.execute(seqs, &x); err != nil {
			return err
		}
	}
	if s.left() != 0 {
		return errSequences
	}
	return d.out.append(d.lit[len(d.lit)-x.left:], x.room)
}

var (
	errSequences = corrupt("bits of the sequences left over or missing")
	errHeader    = corrupt("sequences section cut short")
	errBlockSize = corrupt("block of more bytes than allowed")
)

// sequenceCount reads how many sequences there are, and returns the size of that.
func sequenceCount(b []byte) (n, used int, err error) {
	switch {
	case len(b) == 0:
	case b[0] < 128:
		return int(b[0]), 1, nil
	case b[0] < 255 && len(b) >= 2:
		return int(b[0]-128)<<8 + int(b[1]), 2, nil
	case b[0] == 255 && len(b) >= 3:
		return int(b[1]) + int(b[2])<<8 + 0x7f00, 3, nil
	}
	return 0, 0, errHeader
}

// coding is what sequences are decoded with: the tables of the last block that had
// some, nil before it, and the repeated offsets.
type coding struct {
	literals, offsets, matches *fseTable
	repeated                   [3]uint32
}

// tables reads the modes and descriptions at the beginning of b. It returns their
// size.
func (d *decoder) tables(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, errHeader
	}
	modes := b[0]
	if modes&3 != 0 {
		return 0, corrupt("reserved bits of the sequences' modes")
	}
	p := predefined()
	used := 1
	for _, k := range []struct {
		now             **fseTable
		own, predefined *fseTable
		codes           []code
		mode            byte
		log             int
	}{
		{&d.coding.literals, &d.ownLiterals, &p.literals, literalCodes, modes >> 6, literalLog},
		{&d.coding.offsets, &d.ownOffsets, &p.offsets, offsetCodes, modes >> 4 & 3, offsetLog},
		{&d.coding.matches, &d.ownMatches, &p.matches, matchCodes, modes >> 2 & 3, matchLog},
	} {
		switch k.mode {
		case modePredefined:
			*k.now = k.predefined
		case modeRepeat:
			if *k.now == nil {
				return 0, corrupt("no table to repeat")
			}
		case modeRLE:
			if used == len(b) {
				return 0, errHeader
			}
			if int(b[used]) >= len(k.codes) {
				return 0, corrupt("code of a sequence that does not exist")
			}
			k.own.single(k.codes[b[used]])
			*k.now = k.own
			used++
		case modeFSE:
			n, err := d.counts.parse(b[used:], len(k.codes), k.log)
			if err != nil {
				return 0, err
			}
			k.own.build(&d.counts, k.codes)
			*k.now = k.own
			used += n
		}
	}
	return used, nil
}
