package brotli

import "github.com/thaw-go/thaw/internal/decode/fault"

// decoder decodes a stream. Its methods are of two kinds: some take bits one
// element at a time and find every fault; fast takes many elements while there are
// bits and room for them, and leaves to the others what is not plain.
type decoder struct {
	bits  bitReader
	out   output
	at    place
	large bool // window
	last  bool // meta-block
	left  int  // bytes of the meta-block to come

	literals, commands, far blocks // far is the category of distances

	prefix prefixCodes
	code   []entry // of a context map

	modes       []uint8 // of the types of literals
	literalMap  []uint8
	farMap      []uint8
	literalTabs []entry // tables one after the other
	commandTabs []entry
	farTabs     []entry
	starts      []uint32 // where those of one category begin
	literalAt   []uint32 // where in literalTabs the table of a context begins
	plain       []bool   // types of literals whose contexts all have one table
	commandAt   []uint32
	farAt       []uint32

	dist distances

	// The command that is not done yet.
	step     step
	insert   int  // literals to come
	copied   int  // bytes to copy, or that are left of them
	again    bool // its distance is the last
	context  int  // of its distance
	distance int
	wordBuf  [maxAffix + maxWord + maxAffix]byte
	word     []byte // bytes of a word to come
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

// coded decodes elements of a meta-block until the output is at end or the
// meta-block is done. It stops before that rather than wait for input while there is
// output.
func (d *decoder) coded(end int) error {
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
		d.at, d.step = atMeta, atCommand
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
		at := d.literalAt[d.literals.current<<6|d.literalContext()]
		s := b.symbol(d.literalTabs[at:])
		if b.err != nil {
			return b.err
		}
		o.buf[o.w] = byte(s)
		o.w++
		d.literals.left--
		d.left--
		if d.insert--; d.insert == 0 {
			d.step = atDistance
		}
		return nil
	case atDistance:
		return d.findDistance()
	case inCopy:
		n := o.repeat(d.distance, d.copied, end)
		d.left -= n
		if d.copied -= n; d.copied == 0 {
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
	c := &commands[b.symbol(d.commandTabs[d.commandAt[d.commands.current]:])]
	insert := int(c.literals) + b.take(uint(c.literalBits))
	d.copied = int(c.copied) + b.take(uint(c.copyBits))
	if b.err != nil {
		return b.err
	}
	if insert > d.left {
		return fault.Corruptf("more literals than the meta-block has bytes")
	}
	d.commands.left--
	d.insert, d.again, d.context = insert, c.again, int(c.context)
	if d.step = inLiterals; insert == 0 {
		d.step = atDistance
	}
	return nil
}

// findDistance decodes a command's distance, and finds what it is to.
func (d *decoder) findDistance() error {
	b, t := &d.bits, &d.dist
	s := 0
	if !d.again {
		if d.far.left == 0 {
			d.far.next(b)
		}
		s = b.symbol(d.farTabs[d.farAt[d.far.current<<2|d.context]:])
		d.far.left--
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
		word, err := words().appendWord(d.wordBuf[:0], uint(distance-reach-1), d.copied)
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
	if d.copied > d.left {
		return fault.Corruptf("longer copy than the meta-block has bytes")
	}
	if s > 0 {
		t.use(distance)
	}
	d.distance, d.step = distance, inCopy
	return nil
}
