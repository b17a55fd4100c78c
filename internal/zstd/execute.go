package zstd

// execution is where the sequences of a block stand.
type execution struct {
	lit  view // the literals, with slack bytes behind them
	at   int  // of the next literal
	left int  // literals to come
	room int  // bytes that the block may still decode to
}

// execute copies literals and matches. That they fit into the literals and the
// block is known: no copy of 16 bytes begins behind the end of either, so that
// none reaches further than the slack.
func (o *output) execute(seqs []sequence, x *execution) error {
	out, lit := viewOf(o.buf), x.lit
	w, l, window := o.w, x.at, uint(o.window)
	for i := range seqs {
		s := &seqs[i]
		copy16(out, w, lit, l)
		n := int(s.literals)
		if n > 16 {
			for k := 16; k < n; k += 16 {
				copy16(out, w+k, lit, l+k)
			}
		}
		w += n
		l += n

		n = int(s.match)
		offset := uint(s.offset)
		if offset > uint(w) || offset > window {
			if !o.far(w, offset, n) {
				return corrupt("offset beyond the window or the data")
			}
			w += n
			continue
		}
		from := w - int(offset)
		switch {
		case offset >= 16:
			copy16(out, w, out, from)
			for k := 16; k < n; k += 16 {
				copy16(out, w+k, out, from+k)
			}
		case offset >= 8:
			for k := 0; k < n; k += 8 {
				store64(out, w+k, load64(out, from+k))
			}
		default:
			repeat(out, w, w+n, int(offset))
		}
		w += n
	}
	o.w, x.at = w, l
	return nil
}

// far copies a match that begins before buf[0]. It is false if that is too far.
func (o *output) far(w int, offset uint, n int) bool {
	if offset > uint(o.reach(w)) || offset <= uint(w) {
		return false
	}
	before := int(offset) - w
	k := copy(o.buf[w:w+n], o.old[len(o.old)-before:])
	for w, n = w+k, n-k; n > 0; {
		k = copy(o.buf[w:w+n], o.buf[w-int(offset):w])
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
