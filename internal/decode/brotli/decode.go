package brotli

import "github.com/thaw-go/thaw/internal/decode/fault"

// decoder decodes a stream. Its methods are of two kinds: some take bits one
// element at a time and find every fault; fast takes many elements while there are
// bits and room for them, and leaves to the others what is not plain.
type decoder struct {
	bits  bitReader
	out   output
	phase phase
	large bool // the window is one of RFC 9841
	last  bool // the meta-block is the last
	left  int  // bytes of the meta-block to come

	literals, commands, distances category

	modes    []uint8 // context modes of the types of literals
	oneTable []bool  // types of literals whose contexts all have one table
	alphabet distanceAlphabet

	prefix prefixCodes
	code   []entry  // of a context map
	starts []uint32 // where the tables of one category begin

	pending
}

// category is what decodes one kind of element of a meta-block: literals, commands
// or distances.
type category struct {
	blocks
	contextMap []uint8  // from the contexts of each type to codes; commands have none
	tables     []entry  // of the codes, one after the other
	tableAt    []uint32 // where in tables that of a context begins, for commands that of a type
}

// pending is the command that is not done yet.
type pending struct {
	step         step
	insertLength int  // literals to come
	copyLength   int  // bytes to copy, or that are left of them
	lastDistance bool // it copies from the last distance
	context      int  // of its distance
	distance     int
	wordBuf      [maxAffix + maxWord + maxAffix]byte
	word         []byte // bytes of a word to come
}

// step is what of a command is next.
type step uint8

const (
	atCommand step = iota
	inLiterals
	atDistance
	inCopy
	inWord
)

// elementBytes are more than hold any element with the headers of a block before it.
const elementBytes = 16

// compressed decodes elements of a compressed meta-block until the output is at end or the
// meta-block is done. It stops before that rather than wait for input while there is
// output.
func (d *decoder) compressed(end int) error {
	o := &d.out
	for d.left > 0 && o.w < end {
		if d.bits.src.Buffered() >= fastBytes {
			if d.fast(end); d.left == 0 || o.w == end {
				break
			}
		}
		if o.w > o.r && d.bits.src.Buffered() < elementBytes {
			return nil
		}
		if err := d.element(end); err != nil {
			return err
		}
	}
	if d.left == 0 {
		d.phase, d.step = atMeta, atCommand
	}
	return nil
}

// element decodes one of any kind, or what there is room for.
func (d *decoder) element(end int) error {
	b, o := &d.bits, &d.out
	switch d.step {
	case atCommand:
		return d.command()
	case inLiterals:
		if d.literals.left == 0 {
			d.literals.next(b)
		}
		at := d.literals.tableAt[d.literals.current<<6|d.literalContext()]
		s := b.symbol(d.literals.tables[at:])
		if b.err != nil {
			return b.err
		}
		o.buf[o.w] = byte(s)
		o.w++
		d.literals.left--
		d.left--
		if d.insertLength--; d.insertLength == 0 {
			d.step = atDistance
		}
		return nil
	case atDistance:
		return d.findDistance()
	case inCopy:
		n := o.repeat(d.distance, d.copyLength, end)
		d.left -= n
		if d.copyLength -= n; d.copyLength == 0 {
			d.step = atCommand
		}
		return nil
	}
	n := copy(o.buf[o.w:end], d.word)
	o.w += n
	d.left -= n
	if d.word = d.word[n:]; len(d.word) == 0 {
		d.step = atCommand
	}
	return nil
}

func (d *decoder) literalContext() int {
	m := &contextModes[d.modes[d.literals.current]&3]
	return int(m.last[d.out.back(1)] | m.second[d.out.back(2)])
}

// command decodes a command's lengths.
func (d *decoder) command() error {
	b := &d.bits
	if d.commands.left == 0 {
		d.commands.next(b)
	}
	c := &commands[b.symbol(d.commands.tables[d.commands.tableAt[d.commands.current]:])]
	insertLength := int(c.insertBase) + b.take(uint(c.insertBits))
	d.copyLength = int(c.copyBase) + b.take(uint(c.copyBits))
	if b.err != nil {
		return b.err
	}
	if insertLength > d.left {
		return fault.Corruptf("more literals than the meta-block has bytes")
	}
	d.commands.left--
	d.insertLength, d.lastDistance, d.context = insertLength, c.lastDistance, int(c.context)
	if d.step = inLiterals; insertLength == 0 {
		d.step = atDistance
	}
	return nil
}

// findDistance decodes a command's distance, and finds what it is to.
func (d *decoder) findDistance() error {
	b, t := &d.bits, &d.alphabet
	s := 0
	if !d.lastDistance {
		if d.distances.left == 0 {
			d.distances.next(b)
		}
		s = b.symbol(d.distances.tables[d.distances.tableAt[d.distances.current<<2|d.context]:])
		d.distances.left--
	}
	var distance int
	if s < shortDistances {
		distance = t.short(s)
	} else {
		c := t.of[s]
		distance = int(c.base) + b.take(uint(c.bits))<<t.postfix
	}
	if b.err != nil {
		return b.err
	}
	if distance <= 0 {
		return fault.Corruptf("distance that is not positive")
	}
	reach := d.out.reach()
	if distance > reach {
		word, err := words().appendWord(d.wordBuf[:0], uint(distance-reach-1), d.copyLength)
		if err != nil {
			return err
		}
		if len(word) > d.left {
			return fault.Corruptf("longer word than the meta-block has bytes")
		}
		d.word = word
		if d.step = inWord; len(word) == 0 {
			d.step = atCommand
		}
		return nil
	}
	if d.copyLength > d.left {
		return fault.Corruptf("longer copy than the meta-block has bytes")
	}
	if s > 0 {
		t.use(distance)
	}
	d.distance, d.step = distance, inCopy
	return nil
}
