package bzip2

const (
	maxCode   = 20  // bits of the longest code
	maxCodes  = 258 // 256 places of the list less one, two runs, the end
	tableBits = 10
)

// huffman decodes the canonical prefix code that the lengths of its codes define.
type huffman struct {
	// valid is false if there are more codes than their lengths have room for.
	// Encoders write such trees, and ones with room left, where none is needed.
	valid bool

	// table states, by the next tableBits bits, symbol<<8 | length of a code that
	// is no longer; 0 otherwise.
	table [1 << tableBits]uint32

	// For longer codes. limit[l] is the first code that is longer than l, shifted
	// up to 32 bits; symbols lists symbols by code, and base[l] is to be added
	// to the code's value for the index in it.
	limit   [maxCode + 1]uint64
	base    [maxCode + 1]int32
	symbols [maxCodes]uint16
}

// build prepares h for codes of the lengths, each 1 to maxCode.
func (h *huffman) build(lengths []uint8) {
	h.valid = false
	var count [maxCode + 1]int32
	for _, l := range lengths {
		count[l]++
	}
	var next [maxCode + 1]int32 // index into symbols
	code, index := uint64(0), int32(0)
	for l := 1; l <= maxCode; l++ {
		shift := 32 - uint(l)
		h.base[l] = index - int32(code>>shift)
		next[l] = index
		index += count[l]
		code += uint64(count[l]) << shift
		if code > 1<<32 {
			return
		}
		h.limit[l] = code
	}
	for s, l := range lengths {
		h.symbols[next[l]] = uint16(s)
		next[l]++
	}
	h.fillTable(&count)
	h.valid = true
}

func (h *huffman) fillTable(count *[maxCode + 1]int32) {
	at, i := 0, 0
	for l := 1; l <= tableBits; l++ {
		for range count[l] {
			e := uint32(h.symbols[i])<<8 | uint32(l)
			i++
			end := at + 1<<(tableBits-l)
			for ; at < end; at++ {
				h.table[at] = e
			}
		}
	}
	clear(h.table[at:])
}

// long decodes a code longer than tableBits at the head of acc. It returns length
// 0 for a code that no symbol has.
func (h *huffman) long(acc uint64) (symbol uint32, length uint) {
	v := uint32(acc >> 32)
	for l := uint(tableBits + 1); l <= maxCode; l++ {
		if uint64(v) < h.limit[l] {
			return uint32(h.symbols[int32(v>>(32-l))+h.base[l]]), l
		}
	}
	return 0, 0
}
