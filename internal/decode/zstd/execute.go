package zstd

import (
	"github.com/thaw-go/thaw/internal/decode/fault"
	"github.com/thaw-go/thaw/internal/decode/mem"
)

// execution is where the sequences of a block stand.
type execution struct {
	lit      mem.View // the literals, with slack bytes after them
	at, size int      // of the next literal; how many there are
	end      int      // where in the output the block ends at the latest
	repeated repeats
}

// start begins a block of at most most bytes.
func (x *execution) start(o *output, lit []byte, most int) {
	x.lit = mem.Of(lit[:len(lit)+slack])
	x.at, x.size, x.end = 0, len(lit), o.w+most
}

// offset is the one that s says, which becomes the last used.
func (x *execution) offset(s sequence) uint64 {
	if s.offset > 3 {
		offset := s.offset - newOffset
		x.repeated.add(offset)
		return offset
	}
	index := s.offset - 1
	if s.literals == 0 {
		index++
	}
	offset := x.repeated[index]
	x.repeated.use(index)
	return offset
}

// executeOne executes any sequence. offset is the one that s stands for.
func (d *decoder) executeOne(s sequence, offset uint64) error {
	o, x := &d.out, &d.execution
	literals, match := int(s.literals), int(s.match)
	if literals > x.size-x.at {
		return fault.Corruptf("sequences of more literals than there are")
	}
	if literals+match > x.end-o.w {
		return errBlockSize
	}
	if offset == 0 {
		return fault.Corruptf("offset of 0")
	}
	out := mem.Of(o.buf)
	for k := 0; k < literals; k += 16 {
		mem.Copy16(out, o.w+k, x.lit, x.at+k)
	}
	o.w += literals
	x.at += literals
	if !o.match(offset, match) {
		return fault.Corruptf("offset beyond the window or the data")
	}
	return nil
}

// match copies any match. It is false if it begins too far away.
func (o *output) match(offset uint64, n int) bool {
	if offset > uint64(o.reach(o.w)) {
		return false
	}
	w, distance := o.w, int(offset)
	o.w += n
	if before := distance - w; before > 0 {
		k := copy(o.buf[w:w+n], o.old[len(o.old)-before:])
		w += k
		n -= k
	}
	if distance < 8 && n > 0 {
		mem.Repeat(mem.Of(o.buf), w, w+n, distance)
		return true
	}
	for n > 0 {
		k := copy(o.buf[w:w+n], o.buf[w-distance:w])
		w += k
		n -= k
	}
	return true
}
