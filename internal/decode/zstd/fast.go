package zstd

import (
	"math/bits"

	"github.com/thaw-go/thaw/internal/decode/mem"
)

// decodeBatchPortable is decodeBatch without assembly.
func (d *decoder) decodeBatchPortable(n int) (int, error) {
	done, pending := d.decodePlain(min(n, 1+(d.bits.p-lead)/sequenceBytes))
	if pending.match > 0 {
		return done, d.executeOne(pending, d.execution.offset(pending))
	}
	return done, nil
}

// decodePlain decodes and executes turns sequences, or fewer if one is for executeOne: those
// that repeat less than 16 bytes, begin too far away, cross the end of old bytes,
// or are too long. It returns how many it decoded, and the last as pending if that is still to
// be executed. It calls nothing, so that nothing has to be saved for a call.
//
// There are lead bytes before the next bits, and sequenceBytes for each turn but
// the first more. Loads are of the 8 bytes before the next bits. No copy of 16 bytes
// begins after the end of the literals, of the block or of old bytes, but the
// second of a match, so that none reaches further than the slack.
func (d *decoder) decodePlain(turns int) (done int, pending sequence) {
	s, t, x, o := &d.bits, &d.tables, &d.execution, &d.out
	in, out, lit := mem.Of(s.b), mem.Of(o.buf), x.lit
	p, c := s.p, s.c
	ls, os, ms := s.literal, s.offset, s.match
	w, l, blockEnd, litEnd := o.w, x.at, x.end, x.size
	repeated := x.repeated
	window := uint64(o.window)
	// Where old bytes end if they are those of the buffer. A match that begins
	// before buf[0] then is at as many bytes before that end.
	oldEnd, end := 0, len(o.buf)
	if o.full {
		oldEnd, end = len(o.old), len(o.old)
	}
	for done < turns {
		done++
		le, oe, me := t.literals[ls&(1<<literalLog-1)], t.offsets[os&(1<<offsetLog-1)], t.matches[ms&(1<<matchLog-1)]
		sum := uint16(le) + uint16(oe) + uint16(me)

		word := mem.Load64(in, p-8)
		k := oe.extra()
		far := c+int(sum>>8) > 64
		c += int(k)
		value := uint64(oe>>32) + bits.RotateLeft64(word, c)&t.masks[k]
		if far {
			p -= c >> 3
			c &= 7
			word = mem.Load64(in, p-8)
		}
		k = me.extra()
		c += int(k)
		n := int(uint64(me>>32) + bits.RotateLeft64(word, c)&t.masks[k])
		k = le.extra()
		c += int(k)
		literals := int(uint64(le>>32) + bits.RotateLeft64(word, c)&t.masks[k])

		if c+int(uint8(sum)) > 64 {
			p -= c >> 3
			c &= 7
			word = mem.Load64(in, p-8)
		}
		k = le.bits()
		c += int(k)
		ls = le.next() + uint(bits.RotateLeft64(word, c)&t.masks[k])
		k = me.bits()
		c += int(k)
		ms = me.next() + uint(bits.RotateLeft64(word, c)&t.masks[k])
		k = oe.bits()
		c += int(k)
		os = oe.next() + uint(bits.RotateLeft64(word, c)&t.masks[k])
		p -= c >> 3
		c &= 7

		offset := value - newOffset
		index := uint64(3)
		if value <= 3 {
			index = value - 1
			if literals == 0 {
				index++
			}
			offset = repeated[index&3]
		}
		from := w + literals - int(offset)
		from += oldEnd & (from >> (bits.UintSize - 1))
		if offset < 16 || offset > window || uint(from) > uint(end-n) || literals > litEnd-l || literals+n > blockEnd-w {
			pending = sequence{uint32(literals), uint32(n), value}
			break
		}
		if index > 0 {
			if index > 1 {
				repeated[2] = repeated[1]
			}
			repeated[1] = repeated[0]
			repeated[0] = offset
			repeated[3] = offset - 1
		}

		mem.Copy16(out, w, lit, l)
		for k := 16; k < literals; k += 16 {
			mem.Copy16(out, w+k, lit, l+k)
		}
		w += literals
		l += literals

		mem.Copy16(out, w, out, from)
		mem.Copy16(out, w+16, out, from+16)
		for k := 32; k < n; k += 16 {
			mem.Copy16(out, w+k, out, from+k)
		}
		w += n
	}
	s.p, s.c = p, c
	s.literal, s.offset, s.match = ls, os, ms
	o.w, x.at = w, l
	x.repeated = repeated
	return done, pending
}
