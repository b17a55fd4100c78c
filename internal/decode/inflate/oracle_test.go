package inflate_test

import "io"

// oracle decodes one bit at a time, as RFC 1951 tells it, and defines what the
// package must give: the bytes, the error and the bits used. history is what a
// distance may refer to before the first byte.
func oracle(data, history []byte) (out []byte, used int, err error) {
	o := &naive{data: data, out: history}
	defer func() {
		out, used = o.out[len(history):], o.pos
		if r := recover(); r != nil {
			err = r.(verdict).error
		}
	}()
	for !o.block() {
	}
	return
}

type verdict struct{ error }

type naive struct {
	data []byte
	pos  int // in bits
	out  []byte
}

func (o *naive) fail(bad bool) {
	if bad {
		panic(verdict{errCorrupt})
	}
}

func (o *naive) bits(n int) (v int) {
	for i := range n {
		if o.pos == 8*len(o.data) {
			panic(verdict{io.ErrUnexpectedEOF})
		}
		v |= int(o.data[o.pos/8]>>(o.pos%8)&1) << i
		o.pos++
	}
	return v
}

func (o *naive) block() (final bool) {
	head := o.bits(3)
	switch head >> 1 {
	case 0:
		o.pos = (o.pos + 7) &^ 7
		size := o.bits(32)
		o.fail(size&0xffff != ^size>>16&0xffff)
		for range size & 0xffff {
			o.out = append(o.out, byte(o.bits(8)))
		}
	case 1:
		var b bitWriter
		f := b.fixed(false)
		o.symbols(o.tree(f.lit.lens), o.tree(f.dist.lens))
	case 2:
		o.symbols(o.dynamic())
	default:
		o.fail(true)
	}
	return head&1 != 0
}

func (o *naive) dynamic() (lit, dist tree) {
	h := o.bits(14)
	nlit, ndist, npre := h&31+257, h>>5&31+1, h>>10+4
	o.fail(nlit > 286 || ndist > 30)
	pre := make([]int, 19)
	for _, s := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}[:npre] {
		pre[s] = o.bits(3)
	}
	code := o.tree(pre)
	var lens []int
	for len(lens) < nlit+ndist {
		value, n := 0, 1
		switch s := o.symbol(code); s {
		case 16:
			o.fail(len(lens) == 0)
			value, n = lens[len(lens)-1], 3+o.bits(2)
		case 17:
			n = 3 + o.bits(3)
		case 18:
			n = 11 + o.bits(7)
		default:
			value = s
		}
		o.fail(len(lens)+n > nlit+ndist)
		for range n {
			lens = append(lens, value)
		}
	}
	return o.tree(lens[:nlit]), o.tree(lens[nlit:])
}

// tree is a canonical code: how many symbols have each length, and the symbols by
// length and value.
type tree struct {
	count [16]int
	syms  []int
}

// tree makes the code with these lengths. It fails if that is neither complete
// nor empty nor one code of one bit.
func (o *naive) tree(lens []int) (t tree) {
	space := 0
	for l := 1; l <= 15; l++ {
		for s, n := range lens {
			if n == l {
				space += 1 << 15 >> l
				t.count[l]++
				t.syms = append(t.syms, s)
			}
		}
	}
	o.fail(space != 0 && space != 1<<15 && (len(t.syms) > 1 || space != 1<<14))
	return t
}

// symbol reads a symbol, failing once no code begins with the bits read.
func (o *naive) symbol(t tree) int {
	code, first, longest := 0, 0, 0
	for l, n := range t.count {
		if n > 0 {
			longest = l
		}
	}
	syms := t.syms
	for _, n := range t.count[1 : longest+1] {
		code, first = code<<1|o.bits(1), first<<1
		if code-first < n {
			return syms[code-first]
		}
		syms = syms[n:]
		first += n
	}
	panic(verdict{errCorrupt})
}

func (o *naive) symbols(lit, dist tree) {
	for {
		s := o.symbol(lit)
		if s == 256 {
			return
		}
		if s < 256 {
			o.out = append(o.out, byte(s))
			continue
		}
		o.fail(s > 285)
		length, n := o.spread(s-257, 4)
		length += 3
		if s == 285 {
			length = 258
		} else {
			length += o.bits(n)
		}
		s = o.symbol(dist)
		o.fail(s > 29)
		back, n := o.spread(s, 2)
		back += 1 + o.bits(n)
		o.fail(back > len(o.out) || back > 32768)
		for range length {
			o.out = append(o.out, o.out[len(o.out)-back])
		}
	}
}

// spread is the base, counted from 0, and the number of extra bits of a symbol.
func (o *naive) spread(s, per int) (base, n int) {
	if s < 2*per {
		return s, 0
	}
	n = s/per - 1
	return (s - per*n) << n, n
}
