package zstd

import "github.com/thaw-go/thaw/internal/decode/fault"

// Types of a literals section, RFC 8878 section 3.1.1.3.1.1.
const (
	literalsRaw = iota
	literalsRLE
	literalsCompressed
	literalsTreeless
)

// slack is how many bytes after literals may be read, and after output
// written, by wide copies.
const slack = 64

// literalsHeader is the header of a literals section.
type literalsHeader struct {
	typ, size   int // decoded bytes
	compressed  int // stored bytes; 0 where the type says how many
	fourStreams bool
}

// parseLiterals reads the header at the beginning of b and returns its size.
func parseLiterals(b []byte) (h literalsHeader, size int, err error) {
	if len(b) == 0 {
		return h, 0, errLiterals
	}
	h.typ = int(b[0] & 3)
	format := b[0] >> 2 & 3
	compressed := h.typ >= literalsCompressed
	var field int // bits of a size
	switch {
	case compressed:
		size, field = [4]int{3, 3, 4, 5}[format], [4]int{10, 10, 14, 18}[format]
		h.fourStreams = format != 0
	case format&1 == 0:
		h.size = int(b[0] >> 3)
		return h, 1, nil
	default:
		size, field = [4]int{1: 2, 3: 3}[format], [4]int{1: 12, 3: 20}[format]
	}
	if len(b) < size {
		return h, 0, errLiterals
	}
	var v uint64
	for i, c := range b[:size] {
		v |= uint64(c) << (8 * i)
	}
	v >>= 4
	h.size = int(v & (1<<field - 1))
	if compressed {
		h.compressed = int(v >> field)
	}
	return h, size, nil
}

var errLiterals = fault.Corruptf("literals section cut short")

// literals decodes the section at the beginning of b. It returns the section's
// size; d.lit are the literals, with slack bytes after them that may be read.
func (d *decoder) literals(b []byte) (int, error) {
	h, used, err := parseLiterals(b)
	if err != nil {
		return 0, err
	}
	if h.size > d.blockMax {
		return 0, fault.Corruptf("more literals than a block may decode to")
	}
	b = b[used:]
	switch h.typ {
	case literalsRaw:
		if h.size > len(b) {
			return 0, errLiterals
		}
		if d.lit = b[:h.size]; len(b) < h.size+slack {
			d.lit = d.literalBuffer(h.size)
			copy(d.lit, b)
		}
		return used + h.size, nil
	case literalsRLE:
		if len(b) == 0 {
			return 0, errLiterals
		}
		d.lit = d.literalBuffer(h.size)
		fill(d.lit, b[0])
		return used + 1, nil
	}
	if h.compressed > len(b) {
		return 0, errLiterals
	}
	used += h.compressed
	b = b[:h.compressed]
	if h.typ == literalsCompressed {
		d.huff = nil
		n, err := d.ownHuff.parse(b, &d.counts)
		if err != nil {
			return 0, err
		}
		d.huff, b = &d.ownHuff, b[n:]
	} else if d.huff == nil {
		return 0, fault.Corruptf("literals without a Huffman tree")
	}
	d.lit = d.literalBuffer(h.size)
	if h.fourStreams {
		return used, d.huff.decodeStreams(d.lit, b)
	}
	return used, d.huff.decodeStream(d.lit, b)
}

// literalBuffer returns room for n literals, with the slack after them.
func (d *decoder) literalBuffer(n int) []byte {
	if cap(d.ownLit) < n+slack {
		d.ownLit = make([]byte, max(n+slack, min(2*cap(d.ownLit), blockLimit+slack)))
	}
	return d.ownLit[:n]
}

// fill sets all of b to c.
func fill(b []byte, c byte) {
	for i := range b {
		b[i] = c
	}
}
