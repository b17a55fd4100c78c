package brotli

import (
	"math/bits"

	"github.com/thaw-go/thaw/internal/decode/mem"
)

// fastBytes are enough for fast to do something: it stops where fewer than
// tailBytes are left.
const (
	fastBytes = 32
	tailBytes = 16
)

// fast decodes elements while they are plain: not where a fault is, a word of the
// dictionary is copied, or bytes are copied across the end of the ring or of room.
// What it stops at is left to element.
//
// A load of bits takes 8 bytes and moves pos by 7 at most. in[pos:] has tailBytes or
// more at the first of a command's two loads, and at every other load. Copies read and
// write up to 31 bytes after what is copied, which is within the slack. Indexes of
// tables are those that the codes' builder made.
//
// The three literals of a load are written out. A loop over them decodes binary data
// 13 % slower, and a function of what one takes is more than the compiler inlines.
func (d *decoder) fast(end int) {
	if d.step > atDistance {
		return
	}
	b, o, t := &d.bits, &d.out, &d.alphabet
	stored, _ := b.src.Peek(b.src.Buffered())
	in, out := mem.Of(stored), mem.Of(o.buf)
	last := len(stored) - tailBytes
	pos, acc, n := 0, b.acc, b.n
	w, left := o.w, d.left
	reachAll := 0
	if o.full {
		reachAll = o.farthest
	}
	farthest, size := o.farthest, o.size
	literalTables, commandTables, distanceTables := mem.TableOf(d.literals.tables), mem.TableOf(d.commands.tables), mem.TableOf(d.distances.tables)
	commandTableAt := int(d.commands.tableAt[d.commands.current])
	distanceTableAt := (*[4]uint32)(d.distances.tableAt[d.distances.current<<2:])
	literalTableAt := (*[64]uint32)(d.literals.tableAt[d.literals.current<<6:])
	mode := &contextModes[d.modes[d.literals.current]&3]
	oneTable := d.oneTable[d.literals.current]
	literalsLeft, commandsLeft, distancesLeft := d.literals.left, d.commands.left, d.distances.left
	step, insertLength, copyLength, lastDistance, context := d.step, d.insertLength, d.copyLength, d.lastDistance, d.context

	for pos <= last && left > 0 {
		if step == atCommand {
			if commandsLeft == 0 {
				acc |= mem.Load64(in, pos) << (n & 63)
				pos += int(63-n) >> 3
				acc, n = d.commands.nextFrom(acc, n|56)
				commandsLeft = d.commands.left
				commandTableAt = int(d.commands.tableAt[d.commands.current])
				continue
			}
			pos0, acc0, n0 := pos, acc, n // to go back to
			acc |= mem.Load64(in, pos) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
			e := lookup(commandTables, commandTableAt, acc)
			acc, n = e.use(acc, n)
			c := &commands[e.value()&(uint(len(commands))-1)]
			k := uint(c.insertBits)
			insertLength = int(c.insertBase) + int(acc&(1<<(k&63)-1))
			acc >>= k & 63
			n -= k
			k = uint(c.copyBits)
			if n < k {
				acc |= mem.Load64(in, pos) << (n & 63)
				pos += int(63-n) >> 3
				n |= 56
			}
			copyLength = int(c.copyBase) + int(acc&(1<<(k&63)-1))
			acc >>= k & 63
			n -= k
			if insertLength > left {
				pos, acc, n = pos0, acc0, n0
				break
			}
			lastDistance, context = c.lastDistance, int(c.context)
			commandsLeft--
			step = inLiterals
		}
		if step == inLiterals {
			if literalsLeft == 0 && insertLength > 0 {
				if pos > last {
					break
				}
				acc |= mem.Load64(in, pos) << (n & 63)
				pos += int(63-n) >> 3
				acc, n = d.literals.nextFrom(acc, n|56)
				literalsLeft = d.literals.left
				literalTableAt = (*[64]uint32)(d.literals.tableAt[d.literals.current<<6:])
				mode = &contextModes[d.modes[d.literals.current]&3]
				oneTable = d.oneTable[d.literals.current]
			}
			if k := min(insertLength, literalsLeft, end-w); k > 0 {
				stop := w + k
				if oneTable {
					at := int(literalTableAt[0])
					// 56 bits are enough for three.
					for w < stop && pos <= last {
						acc |= mem.Load64(in, pos) << (n & 63)
						pos += int(63-n) >> 3
						n |= 56
						e := lookup(literalTables, at, acc)
						acc, n = e.use(acc, n)
						mem.Store8(out, w, byte(e.value()))
						if w++; w == stop {
							break
						}
						e = lookup(literalTables, at, acc)
						acc, n = e.use(acc, n)
						mem.Store8(out, w, byte(e.value()))
						if w++; w == stop {
							break
						}
						e = lookup(literalTables, at, acc)
						acc, n = e.use(acc, n)
						mem.Store8(out, w, byte(e.value()))
						w++
					}
				} else {
					p1, p2 := byte(0), byte(0)
					if w >= 2 {
						p1, p2 = mem.Load8(out, w-1), mem.Load8(out, w-2)
					} else {
						o.w = w
						p1, p2 = o.back(1), o.back(2)
					}
					second := mode.second[p2]
					for w < stop && pos <= last {
						acc |= mem.Load64(in, pos) << (n & 63)
						pos += int(63-n) >> 3
						n |= 56
						e := lookup(literalTables, int(literalTableAt[(mode.last[p1]|second)&63]), acc)
						second = mode.second[p1]
						acc, n = e.use(acc, n)
						p1 = byte(e.value())
						mem.Store8(out, w, p1)
						if w++; w == stop {
							break
						}
						e = lookup(literalTables, int(literalTableAt[(mode.last[p1]|second)&63]), acc)
						second = mode.second[p1]
						acc, n = e.use(acc, n)
						p1 = byte(e.value())
						mem.Store8(out, w, p1)
						if w++; w == stop {
							break
						}
						e = lookup(literalTables, int(literalTableAt[(mode.last[p1]|second)&63]), acc)
						second = mode.second[p1]
						acc, n = e.use(acc, n)
						p1 = byte(e.value())
						mem.Store8(out, w, p1)
						w++
					}
				}
				k -= stop - w
				insertLength -= k
				literalsLeft -= k
				left -= k
			}
			if insertLength > 0 {
				if literalsLeft == 0 && w < end {
					continue
				}
				break
			}
			step = atDistance
			if pos > last || left == 0 {
				break
			}
		}
		pos0, acc0, n0 := pos, acc, n // to go back to
		s := 0
		if !lastDistance {
			if distancesLeft == 0 {
				acc |= mem.Load64(in, pos) << (n & 63)
				pos += int(63-n) >> 3
				acc, n = d.distances.nextFrom(acc, n|56)
				distancesLeft = d.distances.left
				distanceTableAt = (*[4]uint32)(d.distances.tableAt[d.distances.current<<2:])
				continue
			}
			acc |= mem.Load64(in, pos) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
			at := int(distanceTableAt[context&3])
			e := lookup(distanceTables, at, acc)
			acc, n = e.use(acc, n)
			s = int(e.value())
		}
		c := &t.of[s&(len(t.of)-1)] // nothing for the first symbols
		k := uint(c.bits)
		distance := int(c.base) + int(acc&(1<<(k&63)-1))<<(t.postfix&63)
		acc >>= k & 63
		n -= k
		if short := t.short(s); s < shortDistances {
			distance = short
		}
		if distance <= 0 || distance > min(w|reachAll, farthest) || copyLength > left {
			pos, acc, n = pos0, acc0, n0
			break
		}
		if !lastDistance {
			distancesLeft--
		}
		if s > 0 {
			t.use(distance)
		}
		from := w - distance
		from += size & (from >> (bits.UintSize - 1))
		if copyLength > end-w || from > size-copyLength || from > w && distance < 16 {
			d.distance, step = distance, inCopy
			break
		}
		stop := w + copyLength
		left -= copyLength
		step = atCommand
		if distance >= 16 {
			mem.Copy16(out, w, out, from)
			mem.Copy16(out, w+16, out, from+16)
			for w += 32; w < stop; w += 16 {
				mem.Copy16(out, w, out, from+copyLength-(stop-w))
			}
		} else if distance >= 8 {
			for ; w < stop; w += 8 {
				mem.Store64(out, w, mem.Load64(out, from))
				from += 8
			}
		} else {
			mem.Repeat(out, w, stop, distance)
		}
		w = stop
	}

	pos -= int(n >> 3)
	n &= 7
	b.acc, b.n = acc&(1<<n-1), n
	b.src.Discard(pos)
	o.w, d.left = w, left
	d.literals.left, d.commands.left, d.distances.left = literalsLeft, commandsLeft, distancesLeft
	d.step, d.insertLength, d.copyLength, d.lastDistance, d.context = step, insertLength, copyLength, lastDistance, context
}

// lookup is the entry of the next bits in the table that begins at at.
func lookup(t mem.Table[entry], at int, acc uint64) entry {
	e := t.At(at + int(acc&(1<<rootBits-1)))
	if e.isLink() {
		e = t.At(at + int(e.value()) + int(acc>>rootBits)&(1<<(e.bits()-rootBits)-1))
	}
	return e
}
