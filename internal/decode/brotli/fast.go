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
func (d *decoder) fast(end int) {
	if d.step > atDistance {
		return
	}
	b, o, t := &d.bits, &d.out, &d.dist
	stored, _ := b.src.Peek(b.src.Buffered())
	in, out := mem.Of(stored), mem.Of(o.buf)
	last := len(stored) - tailBytes
	pos, acc, n := 0, b.acc, b.n
	w, left := o.w, d.left
	reachAll := 0
	if o.full {
		reachAll = o.gap
	}
	gap, size := o.gap, o.size
	literalTabs, commandTabs, farTabs := mem.TableOf(d.literalTabs), mem.TableOf(d.commandTabs), mem.TableOf(d.farTabs)
	commandAt := int(d.commandAt[d.commands.current])
	farAt := (*[4]uint32)(d.farAt[d.far.current<<2:])
	literalAt := (*[64]uint32)(d.literalAt[d.literals.current<<6:])
	mode := &contextModes[d.modes[d.literals.current]&3]
	plain := d.plain[d.literals.current]
	literalsLeft, commandsLeft, farLeft := d.literals.left, d.commands.left, d.far.left
	step, insert, copied, again, context := d.step, d.insert, d.copied, d.again, d.context

	for pos <= last && left > 0 {
		if step == atCommand {
			if commandsLeft == 0 {
				acc |= mem.Load64(in, pos) << (n & 63)
				pos += int(63-n) >> 3
				acc, n = d.commands.nextOf(acc, n|56)
				commandsLeft = d.commands.left
				commandAt = int(d.commandAt[d.commands.current])
				continue
			}
			pos0, acc0, n0 := pos, acc, n // to go back to
			acc |= mem.Load64(in, pos) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
			e := lookup(commandTabs, commandAt, acc)
			acc >>= e.bits()
			n -= e.bits()
			c := &commands[e.value()&(uint(len(commands))-1)]
			k := uint(c.literalBits)
			insert = int(c.literals) + int(acc&(1<<(k&63)-1))
			acc >>= k & 63
			n -= k
			k = uint(c.copyBits)
			if n < k {
				acc |= mem.Load64(in, pos) << (n & 63)
				pos += int(63-n) >> 3
				n |= 56
			}
			copied = int(c.copied) + int(acc&(1<<(k&63)-1))
			acc >>= k & 63
			n -= k
			if insert > left {
				pos, acc, n = pos0, acc0, n0
				break
			}
			again, context = c.again, int(c.context)
			commandsLeft--
			step = inLiterals
		}
		if step == inLiterals {
			if literalsLeft == 0 && insert > 0 {
				if pos > last {
					break
				}
				acc |= mem.Load64(in, pos) << (n & 63)
				pos += int(63-n) >> 3
				acc, n = d.literals.nextOf(acc, n|56)
				literalsLeft = d.literals.left
				literalAt = (*[64]uint32)(d.literalAt[d.literals.current<<6:])
				mode = &contextModes[d.modes[d.literals.current]&3]
				plain = d.plain[d.literals.current]
			}
			if k := min(insert, literalsLeft, end-w); k > 0 {
				stop := w + k
				if plain {
					at := int(literalAt[0])
					// 56 bits are enough for three.
					for w < stop && pos <= last {
						acc |= mem.Load64(in, pos) << (n & 63)
						pos += int(63-n) >> 3
						n |= 56
						e := lookup(literalTabs, at, acc)
						acc >>= e.bits()
						n -= e.bits()
						mem.Store8(out, w, byte(e.value()))
						if w++; w == stop {
							break
						}
						e = lookup(literalTabs, at, acc)
						acc >>= e.bits()
						n -= e.bits()
						mem.Store8(out, w, byte(e.value()))
						if w++; w == stop {
							break
						}
						e = lookup(literalTabs, at, acc)
						acc >>= e.bits()
						n -= e.bits()
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
						e := lookup(literalTabs, int(literalAt[(mode.last[p1]|second)&63]), acc)
						second = mode.second[p1]
						acc >>= e.bits()
						n -= e.bits()
						p1 = byte(e.value())
						mem.Store8(out, w, p1)
						if w++; w == stop {
							break
						}
						e = lookup(literalTabs, int(literalAt[(mode.last[p1]|second)&63]), acc)
						second = mode.second[p1]
						acc >>= e.bits()
						n -= e.bits()
						p1 = byte(e.value())
						mem.Store8(out, w, p1)
						if w++; w == stop {
							break
						}
						e = lookup(literalTabs, int(literalAt[(mode.last[p1]|second)&63]), acc)
						second = mode.second[p1]
						acc >>= e.bits()
						n -= e.bits()
						p1 = byte(e.value())
						mem.Store8(out, w, p1)
						w++
					}
				}
				k -= stop - w
				insert -= k
				literalsLeft -= k
				left -= k
			}
			if insert > 0 {
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
		if !again {
			if farLeft == 0 {
				acc |= mem.Load64(in, pos) << (n & 63)
				pos += int(63-n) >> 3
				acc, n = d.far.nextOf(acc, n|56)
				farLeft = d.far.left
				farAt = (*[4]uint32)(d.farAt[d.far.current<<2:])
				continue
			}
			acc |= mem.Load64(in, pos) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
			at := int(farAt[context&3])
			e := lookup(farTabs, at, acc)
			acc >>= e.bits()
			n -= e.bits()
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
		if distance <= 0 || distance > min(w|reachAll, gap) || copied > left {
			pos, acc, n = pos0, acc0, n0
			break
		}
		if !again {
			farLeft--
		}
		if s > 0 {
			t.use(distance)
		}
		from := w - distance
		from += size & (from >> (bits.UintSize - 1))
		if copied > end-w || from > size-copied || from > w && distance < 16 {
			d.distance, step = distance, inCopy
			break
		}
		stop := w + copied
		left -= copied
		step = atCommand
		if distance >= 16 {
			mem.Copy16(out, w, out, from)
			mem.Copy16(out, w+16, out, from+16)
			for w += 32; w < stop; w += 16 {
				mem.Copy16(out, w, out, from+copied-(stop-w))
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
	d.literals.left, d.commands.left, d.far.left = literalsLeft, commandsLeft, farLeft
	d.step, d.insert, d.copied, d.again, d.context = step, insert, copied, again, context
}

// lookup is the entry of the next bits in the table that begins at at.
func lookup(t mem.Table[entry], at int, acc uint64) entry {
	e := t.At(at + int(acc&(1<<rootBits-1)))
	if e.isLink() {
		e = t.At(at + int(e.value()) + int(acc>>rootBits)&(1<<(e.bits()-rootBits)-1))
	}
	return e
}
