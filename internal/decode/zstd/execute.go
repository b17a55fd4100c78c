package zstd

// execution is where the sequences of a block stand.
type execution struct {
	lit      view // the literals, with slack bytes behind them
	at, size int  // of the next literal; how many there are
	end      int  // where in the output the block ends at the latest
	repeated repeats
}

// start begins a block of at most most bytes.
func (x *execution) start(o *output, lit []byte, most int) {
	x.lit = viewOf(lit[:len(lit)+slack])
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

// slow executes any sequence. Its offset is the one that s stands for.
func (d *decoder) slow(s sequence, offset uint64) error {
	o, x := &d.out, &d.execution
	literals, match := int(s.literals), int(s.match)
	if literals > x.size-x.at {
		return corrupt("sequences of more literals than there are")
	}
	if literals+match > x.end-o.w {
		return errBlockSize
	}
	if offset == 0 {
		return corrupt("offset of 0")
	}
	out := viewOf(o.buf)
	for k := 0; k < literals; k += 16 {
		copy16(out, o.w+k, x.lit, x.at+k)
	}
	o.w += literals
	x.at += literals
	if !o.match(offset, match) {
		return corrupt("offset beyond the window or the data")
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
		repeat(viewOf(o.buf), w, w+n, distance)
		return true
	}
	for n > 0 {
		k := copy(o.buf[w:w+n], o.buf[w-distance:w])
		w += k
		n -= k
	}
	return true
}

// repeat writes the last distance bytes before w, 1 to 7, up to end and at most 7
// bytes beyond.
func repeat(out view, w, end, distance int) {
	p := load64(out, w-distance) & (1<<(8*distance) - 1) * repeatMul[distance&7]
	for step := int(repeatStep[distance&7]); w < end; w += step {
		store64(out, w, p)
	}
}

// repeatMul times some bytes are those bytes as often as they fit in eight, and
// repeatStep is how many whole bytes of these repetitions there are.
var (
	repeatMul  = [8]uint64{1: 0x0101010101010101, 2: 0x0001000100010001, 3: 0x0001000001000001, 4: 0x0000000100000001, 5: 0x0000010000000001, 6: 0x0001000000000001, 7: 0x0100000000000001}
	repeatStep = [8]uint8{1: 8, 2: 8, 3: 6, 4: 8, 5: 5, 6: 6, 7: 7}
)
