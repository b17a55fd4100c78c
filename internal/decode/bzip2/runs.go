package bzip2

import "encoding/binary"

// runs undoes the outer run-length coding of a block: four equal bytes are
// followed by a byte that says how many more there are. At the block's end that
// byte may be missing.
type runs struct {
	block []byte // what is left; no run reaches into it from before
	byte  byte
	more  int // how many of byte are still to be returned
}

// read returns up to len(p) bytes; 0 only at the end.
func (r *runs) read(p []byte) int {
	n := 0
	for n < len(p) {
		if r.more > 0 {
			m := min(r.more, len(p)-n)
			fill(p[n:n+m], r.byte)
			r.more -= m
			n += m
			continue
		}
		b := r.block
		if len(b) >= 11 && len(p)-n >= 8 && !runStarts(b) {
			// Eight bytes of which none begins a run.
			binary.LittleEndian.PutUint64(p[n:], binary.LittleEndian.Uint64(b))
			r.block = b[8:]
			n += 8
			continue
		}
		if len(b) == 0 {
			break
		}
		if len(b) >= 4 && b[0] == b[1] && b[1] == b[2] && b[2] == b[3] {
			r.byte, r.more = b[0], 4
			if b = b[4:]; len(b) > 0 {
				r.more += int(b[0])
				b = b[1:]
			}
			r.block = b
			continue
		}
		p[n] = b[0]
		r.block = b[1:]
		n++
	}
	return n
}

// runStarts reports whether a run of four may begin at one of b's first eight
// bytes. b has at least eleven.
func runStarts(b []byte) bool {
	_ = b[10]
	x := binary.LittleEndian.Uint64(b)
	differ := x ^ binary.LittleEndian.Uint64(b[1:]) |
		x ^ binary.LittleEndian.Uint64(b[2:]) |
		x ^ binary.LittleEndian.Uint64(b[3:])
	const low, high = 0x0101010101010101, 0x8080808080808080
	return (differ-low)&^differ&high != 0
}
