package zstd

import "github.com/thaw-go/thaw/internal/decode/fault"

// Modes of a table of sequences, RFC 8878 section 3.1.1.3.2.1.
const (
	modePredefined = iota
	modeRLE
	modeFSE
	modeRepeat
)

// Largest accuracy of the tables of sequences.
const (
	literalLog = 9
	offsetLog  = 8
	matchLog   = 9
)

// tables are what sequences are decoded with. They lie side by side, with the masks
// of the bits that are read, so that one register leads to all of them. A log says
// how many entries a table has; a table of no accuracy has one state that is never
// left, and noTable means that there is none.
type tables struct {
	literals [1 << literalLog]entry
	offsets  [1 << offsetLog]entry
	matches  [1 << matchLog]entry
	masks    [256]uint64 // the lowest bits, up to 63 of them

	literalLog, offsetLog, matchLog int
}

const noTable = -1

// reset takes the tables of a dictionary, or none.
func (t *tables) reset(dict *tables) {
	if t.masks[1] == 0 {
		for i := range 64 {
			t.masks[i] = 1<<i - 1
		}
	}
	if dict == nil {
		t.literalLog, t.offsetLog, t.matchLog = noTable, noTable, noTable
		return
	}
	for _, k := range t.parts(dict) {
		k.take()
	}
}

// part is one of the tables, and that of others which it may be taken from.
type part struct {
	now, from    []entry
	log, fromLog *int
	codes        *codes
	most         int // accuracy
}

// parts are in the order of a block's descriptions.
func (t *tables) parts(from *tables) [3]part {
	return [3]part{
		{t.literals[:], from.literals[:], &t.literalLog, &from.literalLog, literalCodes, literalLog},
		{t.offsets[:], from.offsets[:], &t.offsetLog, &from.offsetLog, offsetCodes, offsetLog},
		{t.matches[:], from.matches[:], &t.matchLog, &from.matchLog, matchCodes, matchLog},
	}
}

func (p *part) take() {
	*p.log = *p.fromLog
	copy(p.now, p.from[:1<<*p.log])
}

// parse reads the modes and descriptions at the beginning of b. It returns their
// size.
func (t *tables) parse(b []byte, c *counts) (int, error) {
	if len(b) == 0 {
		return 0, errHeader
	}
	modes, used := b[0], 1
	if modes&3 != 0 {
		return 0, fault.Corruptf("reserved bits of the sequences' modes")
	}
	for _, p := range t.parts(predefined()) {
		mode := modes >> 6
		modes <<= 2
		n, err := p.parse(mode, b[used:], c)
		if err != nil {
			return 0, err
		}
		used += n
	}
	return used, nil
}

// parse makes the table that mode says, and reads its description at the beginning
// of b. It returns the description's size.
func (p *part) parse(mode byte, b []byte, c *counts) (int, error) {
	switch mode {
	case modePredefined:
		p.take()
		return 0, nil
	case modeRepeat:
		if *p.log == noTable {
			return 0, fault.Corruptf("no table to repeat")
		}
		return 0, nil
	case modeRLE:
		if len(b) == 0 {
			return 0, errHeader
		}
		if int(b[0]) >= p.codes.n {
			return 0, fault.Corruptf("code of a sequence that does not exist")
		}
		*p.log, p.now[0] = 0, p.codes.of[b[0]]
		return 1, nil
	}
	n, err := c.parse(b, p.codes.n, p.most)
	if err != nil {
		return 0, err
	}
	build(p.now, c, &p.codes.of)
	*p.log = c.log
	return n, nil
}
