package lzma

// How this file is organised. portable is the loop that LZMA data goes through,
// except on amd64, where a kernel in assembly does the same with the same state.
// The range decoder's range, code and input position are locals that pass through
// every function in registers; code < rng holds for what encoders write. A binary
// decision is decoded in one of two ways: by a branch where the outcome decides
// what comes next, and without one inside trees, where it is hard to predict:
//
//	bound := rng >> probBits * p
//	code < bound   0: rng = bound
//	otherwise      1: rng -= bound, code -= bound
//
// Without a branch, both outcomes are computed and conditional moves choose; what
// addresses depend on comes from a mask, all ones for 0 and zero for 1, made from
// the borrow of code-bound: the compiler makes no conditional moves for addresses.
// The range is normalized before a decision, never after, so that no byte is asked
// for that the decision does not need.

const (
	topValue = 1 << 24 // the range is normalized below it

	// maxSymbol is at least how many input bytes the longest symbol takes: 22
	// decisions of at most 6.05 bits, 26 direct bits, and one byte that the
	// decision before left to take.
	maxSymbol = 24

	inputMask = 31 // of an index of input
)

// input is what one symbol is decoded from. An array of constant size leaves a
// register free that a slice takes for its length. Indexes are masked in place of
// being checked; no symbol takes more than maxSymbol bytes.
type input [inputMask + 1]byte

// status is how a run of symbols ended.
type status uint8

const (
	running   status = iota // at a limit
	endMarker               // the end marker was read
	overlong                // a match ran past the end; it was cut there
	corrupt                 // a distance beyond the history
)

// coder is the state of LZMA decoding between runs.
type coder struct {
	model
	window
	rng, code uint64
	state     int
	reps      [4]uint32 // the last distances, less one, newest first
	marker    int       // length field of the end marker
}

// resetState forgets the state and the model.
func (c *coder) resetState(p Props) {
	c.model.reset(p)
	c.state = 0
	c.reps = [4]uint32{}
}

// start takes the first five bytes of range coded data.
func (c *coder) start(b []byte) bool {
	c.rng = 1<<32 - 1
	c.code = uint64(b[1])<<24 | uint64(b[2])<<16 | uint64(b[3])<<8 | uint64(b[4])
	return b[0] == 0 && c.code < c.rng
}

// afterLiteral is the state after a literal, by the state before it.
// It has 16 entries for masked indexes and is never written.
var afterLiteral = [16]uint8{4: 1, 5: 2, 6: 3, 7: 4, 8: 5, 9: 6, 10: 4, 11: 5}

// portable decodes while a symbol begins before limit, in window positions, and at
// or before last, in src. src must have an input from last on, and limit must be
// at most the ring's size. A match is cut at end. It returns how many bytes of
// src it took.
func (c *coder) portable(src []byte, last, limit, end int) (int, status) {
	var (
		rng, code = c.rng, c.code
		used      = 0
		state     = c.state
		rep0      = c.reps[0]
		buf       = c.buf
		out       = c.pos
		prev      = uint(c.window.last())
		turn      = uint(c.turn)
		posMask   = uint(1)<<c.PB - 1
		litMask   = uint(1)<<c.LP - 1
		litShift  = c.LC & 15
		literal   = c.literal
		// A distance less one must be below reach. It grows with the output
		// until the dictionary is full.
		reach = c.full - out
		st    = running
	)
	for out < limit && used <= last {
		in, pos := (*input)(src[used:]), uint(0)
		posState := (uint(out) + turn) & posMask & 15

		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		p := &c.flags.match[uint(state)<<maxPosBit+posState]
		bound := rng >> probBits * uint64(*p)
		if code < bound {
			rng = bound
			*p += (1<<probBits - *p) >> probShift

			ctx := ((uint(out)+turn)&litMask)<<litShift + prev>>(8-litShift)
			tree := (*[literalSize]uint16)(literal[ctx*literalSize:])
			if state < 7 {
				prev, pos, rng, code = plainLiteral(tree, in, pos, rng, code)
			} else {
				from := out - int(rep0) - 1
				if from < 0 {
					from += c.size
				}
				prev, pos, rng, code = matchedLiteral(tree, uint(buf[from]), in, pos, rng, code)
			}
			buf[out] = byte(prev)
			out++
			state = int(afterLiteral[state&15])
			used += int(pos)
			continue
		}
		rng -= bound
		code -= bound
		*p -= *p >> probShift

		if rng < topValue {
			rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
		}
		var n int
		p = &c.flags.rep[state]
		bound = rng >> probBits * uint64(*p)
		if code < bound {
			rng = bound
			*p += (1<<probBits - *p) >> probShift

			n, pos, rng, code = c.lenMatch.decode(posState, in, pos, rng, code)
			c.reps[3], c.reps[2], c.reps[1] = c.reps[2], c.reps[1], rep0
			rep0, pos, rng, code = c.dist.decode(n, in, pos, rng, code)
			if rep0 == 1<<32-1 {
				c.marker, st = n, endMarker
				used += int(pos)
				break
			}
			if state < 7 {
				state = 7
			} else {
				state = 10
			}
		} else {
			rng -= bound
			code -= bound
			*p -= *p >> probShift

			var short bool
			short, pos, rng, code = c.repeated(state, posState, &rep0, in, pos, rng, code)
			if short {
				n = 1
				if state < 7 {
					state = 9
				} else {
					state = 11
				}
			} else {
				n, pos, rng, code = c.lenRep.decode(posState, in, pos, rng, code)
				if state < 7 {
					state = 8
				} else {
					state = 11
				}
			}
		}

		used += int(pos)
		if uint64(rep0) >= uint64(min(reach+out, c.dict)) {
			st = corrupt
			break
		}
		if n > end-out {
			n, st = end-out, overlong
		}
		dist := int(rep0) + 1
		from := out - dist
		if dist >= copyStep && from >= 0 {
			d, s := buf[out:out+n+copyStep], buf[from:from+n+copyStep]
			*(*[copyStep]byte)(d) = *(*[copyStep]byte)(s)
			for len(d) > 2*copyStep {
				d, s = d[copyStep:], s[copyStep:]
				*(*[copyStep]byte)(d) = *(*[copyStep]byte)(s)
			}
		} else {
			repeat(buf, c.size, out, dist, n)
		}
		out += n
		if st != running {
			break
		}
		prev = uint(buf[out-1])
	}
	c.rng, c.code, c.state, c.reps[0] = rng, code, state, rep0
	c.advance(out)
	return used, st
}

// repeated decodes which of the last distances comes, moves it to the front, and
// reports whether one byte only is repeated.
func (c *coder) repeated(state int, posState uint, rep0 *uint32, in *input, pos uint, rng, code uint64) (bool, uint, uint64, uint64) {
	var bit uint
	bit, pos, rng, code = decide(&c.flags.rep0[state], in, pos, rng, code)
	if bit == 0 {
		bit, pos, rng, code = decide(&c.flags.repLong[uint(state)<<maxPosBit+posState], in, pos, rng, code)
		return bit == 0, pos, rng, code
	}
	bit, pos, rng, code = decide(&c.flags.rep1[state], in, pos, rng, code)
	if bit == 0 {
		*rep0, c.reps[1] = c.reps[1], *rep0
		return false, pos, rng, code
	}
	bit, pos, rng, code = decide(&c.flags.rep2[state], in, pos, rng, code)
	if bit == 0 {
		*rep0, c.reps[1], c.reps[2] = c.reps[2], *rep0, c.reps[1]
	} else {
		*rep0, c.reps[1], c.reps[2], c.reps[3] = c.reps[3], *rep0, c.reps[1], c.reps[2]
	}
	return false, pos, rng, code
}

// decide decodes one decision by a branch.
func decide(p *uint16, in *input, pos uint, rng, code uint64) (uint, uint, uint64, uint64) {
	if rng < topValue {
		rng, code, pos = rng<<8, code<<8|uint64(in[pos&inputMask]), pos+1
	}
	bound := rng >> probBits * uint64(*p)
	if code < bound {
		*p += (1<<probBits - *p) >> probShift
		return 0, pos, bound, code
	}
	*p -= *p >> probShift
	return 1, pos, rng - bound, code - bound
}
